package command

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/verify/conform"
)

// suite is the tests sub-command.
type suite struct {
	job
	cover        string
	inputs       []string
	undetermined bool
	out          outFile
}

func (a *app) testsCommand() *cobra.Command {
	t := &suite{job: a.job()}
	cmd := t.command("tests", t.on(t.run), t.protocol.register, t.search.limits, t.asJSON)
	choice(cmd, &t.cover, "cover", "WHAT", ringcheck.Choices("cover"),
		"the runs cover, %s: every transition of the state space, every action, or every control point")
	flags := cmd.Flags()
	flags.StringSliceVar(&t.inputs, "input", nil, "further actions that a test makes happen, `KINDS,NAMES`, besides "+
		"receipts, ticks and faults: kinds of actions, and names of events and messages")
	flags.BoolVar(&t.undetermined, "undetermined", false,
		"write also runs in which the program may as well do something else after the same inputs")
	t.out.short = "o"
	t.file(cmd, &t.out, "out", "write the runs to `FILE`, which ends in .jsonl, and a summary to standard output",
		".jsonl")
	return cmd
}

func (t *suite) run(ctx context.Context, sys *ringcheck.System) error {
	tests, err := conform.NewTests(ctx, sys,
		conform.TestOptions{Cover: conform.Cover(t.cover), Inputs: t.inputs, Undetermined: t.undetermined}, t.options())
	if err != nil {
		return err
	}
	switch write := func(w *os.File) error { return tests.Write(ctx, w) }; {
	case !tests.Complete: // there are no runs
	case t.out.path != "":
		err = t.out.save(write)
	case t.json:
		err = tests.Write(ctx, io.Discard)
	default:
		t.watch.prints.Store(true)
		t.progress.clear()
		if err := tests.Write(ctx, t.stdout); err != nil {
			return earlyStop(fmt.Errorf("writing the result: %w", err))
		}
		if !t.quiet {
			for _, note := range testsNotes(tests) {
				fmt.Fprintln(t.stderr, printable.Text("ringcheck: "+note))
			}
		}
		return testsReport(tests).verdict()
	}
	if err != nil {
		return err
	}
	return t.finish(testsReport(tests))
}

// testsReport returns the report that tests prints besides the tests.
func testsReport(tests *conform.Tests) *report {
	r := &report{stopErr: tests.Err(), Document: document.Document{Data: tests}}
	r.Line("%s", tests.Title())
	r.Gap()
	r.Row("runs", comma(tests.Count))
	r.Row("steps", comma(tests.Steps))
	r.Row(string(tests.Cover), comma(tests.Covered))
	if tests.Uncovered > 0 {
		r.Row("uncovered", comma(tests.Uncovered))
	}
	for _, note := range testsNotes(tests) {
		r.Line("  (%s)", note)
	}
	return r
}

// testsNotes returns what there is to say about runs and steps that are left out.
func testsNotes(tests *conform.Tests) (notes []string) {
	for _, l := range tests.LeftOut {
		notes = append(notes,
			fmt.Sprintf("left out: %s %s, such as %s", countOf(l.Runs, "run"), reasonText(l), l.Example))
	}
	if len(notes) > 0 {
		notes = append(notes, "--input names further actions that a test makes happen; --undetermined writes all runs")
	}
	if tests.Bound != "" {
		notes = append(notes, "steps that exceed a bound are left out: "+tests.Bound)
	}
	return notes
}

// reasonText says why runs are left out.
func reasonText(l conform.LeftOut) string {
	at := ""
	if l.At != "" {
		at = " at " + l.At
	}
	switch l.Reason {
	case conform.Choice:
		return "with a choice of the program" + at
	case conform.Race:
		return "with an input that may come after an action of the process" + at
	default:
		return "with a step" + at + " that depends on when other processes act"
	}
}

package command

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/verify/conform"
)

// suite is the tests sub-command.
type suite struct {
	job
	cover string
	out   outFile
}

func (a *app) testsCommand() *cobra.Command {
	t := &suite{job: a.job()}
	cmd := t.command("tests", t.on(t.run), t.protocol.register, t.search.limits, t.asJSON)
	choice(cmd, &t.cover, "cover", "WHAT", coverNames(),
		"the runs cover, %s: every transition of the state space, every action, or every control point")
	t.out.short = "o"
	t.file(cmd, &t.out, "out", "write the runs to `FILE`, which ends in .jsonl, and a summary to standard output",
		".jsonl")
	return cmd
}

func coverNames() (names []string) {
	for _, c := range conform.Covers() {
		names = append(names, string(c))
	}
	return names
}

func (t *suite) run(ctx context.Context, sys *ringcheck.System) error {
	tests, err := conform.NewTests(ctx, sys, conform.Cover(t.cover), t.options())
	if err != nil {
		return err
	}
	out := &t.out
	if tests.Count == 0 { // the search ended before the first run
		out = &outFile{}
	}
	if t.json || out.path != "" || tests.Count == 0 {
		return t.finish(testsReport(tests), out)
	}
	return cmp.Or(t.printed(tests.Write), testsReport(tests).verdict())
}

// testsReport returns what tests prints besides the tests.
func testsReport(tests *conform.Tests) *report {
	r := &report{ended: tests.Err(), Document: document.Document{Data: tests,
		Other: map[string]func(io.Writer) error{".jsonl": tests.Write}}}
	r.Line("%s", tests.Title())
	r.Gap()
	r.Row("runs", comma(tests.Count))
	r.Row("steps", comma(tests.Steps))
	r.Row(string(tests.Cover), comma(tests.Covered))
	return r
}

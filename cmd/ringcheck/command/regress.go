package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/textfile"
	"ringcheck/results/regress"
	"ringcheck/results/table"
)

// regression is the regress sub-command.
type regression struct {
	job
	full   bool
	update bool
	only   string
	junit  outFile
}

func (a *app) regressCommand() *cobra.Command {
	r := &regression{job: a.job()}
	cmd := r.command("regress", r.work(r.run), r.search.means, r.asJSON)
	cmd.Args = operandRange(1, 1, "one FILE")
	flags := cmd.Flags()
	flags.BoolVar(&r.full, "full", false, "also run the entries that take long")
	flags.BoolVar(&r.update, "update", false, "replace the expected results in FILE by the actual ones")
	flags.StringVar(&r.only, "only", "", "run only the entries whose name matches `REGEXP`")
	r.junit.format = ".xml"
	r.file(cmd, &r.junit, "junit", "also write the results to `FILE` as JUnit XML")
	return cmd
}

func (r *regression) run(cmd *cobra.Command) error {
	path := cmd.Flags().Arg(0)
	text, err := textfile.Read(path)
	if err != nil {
		return wrongRequest(err)
	}
	file, err := regress.Parse(path, text)
	if err != nil {
		return wrongRequest(err)
	}
	found, err := r.runAll(cmd.Context(), file)
	if err != nil {
		return err
	}
	summary := regressionReport(path, found.Document(path), found)
	if !r.update {
		return r.finish(summary, &r.junit)
	}
	summary.violation, summary.stopErr = "", nil
	if err := r.finish(summary, &r.junit); err != nil {
		return err
	}
	return r.save(path, file, found)
}

// runAll runs the entries that the flags choose.
func (r *regression) runAll(ctx context.Context, file *regress.File) (*regress.Report, error) {
	only, err := regexp.Compile(r.only)
	if err != nil {
		return nil, wrongRequestf("--only: %w", err)
	}
	report, err := file.Run(ctx, regress.Options{
		Search:  r.options(),
		Select:  func(e *regress.Entry) bool { return (r.full || !e.Full) && only.MatchString(e.Name()) },
		Update:  r.update,
		OnStart: func(e *regress.Entry) { r.progress.begin(e.Name()) },
	})
	if err != nil && classify(err) == nil {
		err = wrongRequest(err) // most errors concern the request of an entry
	}
	return report, err
}

// save writes the file with the actual results.
func (r *regression) save(path string, file *regress.File, found *regress.Report) error {
	file.Update(found)
	text, err := file.Format()
	if err != nil {
		return err
	}
	if err := saveBytes(path, path, text); err != nil {
		return err
	}
	if found.Interrupted || found.Count(regress.Incomplete) > 0 {
		return earlyStop(errors.New("entries that did not complete are unchanged"))
	}
	return nil
}

// regressionReport returns the report on results that were compared with expected ones.
func regressionReport(what string, d *document.Document, found *regress.Report) *report {
	r := &report{Document: *d}
	switch {
	case found.Count(regress.Differs) > 0:
		r.violation = what + ": " + found.Summary()
	case found.Interrupted || found.Count(regress.Incomplete) > 0:
		r.stopErr = earlyStop(fmt.Errorf("%s: stopped before the end: %s", what, found.Summary()))
	}
	return r
}

// tables is the table sub-command.
type tables struct {
	job
	maxStates uint64
	out       outFile
}

func (a *app) tableCommand() *cobra.Command {
	t := &tables{job: a.job()}
	choices := []string{"1", "2", "3", "all"}
	cmd := t.command("table", t.work(t.run), t.search.means, t.asJSON)
	cmd.ValidArgs = choices
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || !slices.Contains(choices, args[0]) {
			return wrongRequestf("ringcheck table takes one of %s", strings.Join(choices, ", "))
		}
		return nil
	}
	cmd.Flags().Uint64Var(&t.maxStates, "max-states", 0,
		"skip rows with more than `N` published states (default: none)")
	t.file(cmd, &t.out, "out", "also write the tables to `FILE`, by its ending .md, .csv or .json", ".md", ".csv",
		".json")
	return cmd
}

func (t *tables) run(cmd *cobra.Command) error {
	which := cmd.Flags().Arg(0)
	chosen, err := table.All()
	if err != nil {
		return err
	}
	other := func(t *table.Table) bool { return which != "all" && which != fmt.Sprint(t.Number) }
	chosen = slices.DeleteFunc(chosen, other)
	found, failed := table.Run(cmd.Context(), chosen, ringcheck.Count(t.maxStates), regress.Options{
		Search:  t.options(),
		OnStart: func(e *regress.Entry) { t.progress.begin(e.Name()) },
	})
	if failed != nil {
		return cmp.Or(t.publish(table.Document(chosen)), failed)
	}
	return t.finish(regressionReport("table "+which, table.Document(chosen), found), &t.out)
}

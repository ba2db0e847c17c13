package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/textfile"
	"ringcheck/results/regress"
	"ringcheck/results/table"
)

// regression is the sub-command regress.
type regression struct {
	job
	full   bool
	update bool
	only   string
	junit  outFile
}

func (a *app) regressCommand() *cobra.Command {
	r := &regression{job: a.job()}
	cmd := a.command("regress", r.work(r.run))
	cmd.Args = between(1, 1, "one FILE")
	r.search.registerMeans(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&r.full, "full", false, "also run the entries that take long")
	flags.BoolVar(&r.update, "update", false, "replace the expected results in FILE by the actual ones")
	flags.StringVar(&r.only, "only", "", "run only the entries whose name matches `REGEXP`")
	r.file(cmd, &r.junit, "junit", "also write the results to `FILE` as JUnit XML")
	r.form.register(cmd)
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
	report, err := r.runAll(cmd.Context(), file)
	if err != nil {
		return err
	}
	if err := r.publish(path, report); err != nil {
		return err
	}
	if r.update {
		return r.save(path, file, report)
	}
	return regressionVerdict(path, report)
}

// runAll runs the entries that are wanted.
func (r *regression) runAll(ctx context.Context, file *regress.File) (*regress.Report, error) {
	only, err := regexp.Compile(r.only)
	if err != nil {
		return nil, wrongRequestf("--only: %w", err)
	}
	watch := newProgress(r.app)
	report, err := file.Run(ctx, regress.Options{
		Search:  r.search.options(watch),
		Wanted:  func(e *regress.Entry) bool { return (r.full || !e.Full) && only.MatchString(e.Name()) },
		Update:  r.update,
		Started: func(e *regress.Entry) { watch.begin(e.Name()) },
	})
	watch.clear()
	if err != nil && classify(err) == nil {
		err = wrongRequest(err) // most are about what an entry asks for
	}
	return report, err
}

// publish prints the report and writes it to --junit.
func (r *regression) publish(path string, report *regress.Report) error {
	return cmp.Or(r.form.publish(report, report.Text()), r.junit.save(report.JUnit(path).Write))
}

// save writes the file with the actual results.
func (r *regression) save(path string, file *regress.File, report *regress.Report) error {
	file.Update(report)
	text, err := file.Format()
	if err != nil {
		return err
	}
	if err := saveFile(path, path, text); err != nil {
		return err
	}
	if report.Interrupted || report.Count(regress.Incomplete) > 0 {
		return stopped(errors.New("entries that did not complete are unchanged"))
	}
	return nil
}

// regressionVerdict returns nil if all chosen entries have the expected results.
func regressionVerdict(path string, report *regress.Report) error {
	switch differ := report.Count(regress.Differs); {
	case differ > 0:
		return violated(fmt.Errorf("%s: %s", path, report.Summary()))
	case report.Interrupted || report.Count(regress.Incomplete) > 0:
		return stopped(fmt.Errorf("%s: stopped before the end: %s", path, report.Summary()))
	}
	return nil
}

// tables is the sub-command table.
type tables struct {
	job
	maxStates uint64
	out       outFile
}

func (a *app) tableCommand() *cobra.Command {
	t := &tables{job: a.job()}
	choices := []string{"1", "2", "3", "all"}
	cmd := a.command("table", t.work(t.run))
	cmd.ValidArgs = choices
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || !slices.Contains(choices, args[0]) {
			return wrongRequestf("ringcheck table wants one of %s", strings.Join(choices, ", "))
		}
		return nil
	}
	t.search.registerMeans(cmd)
	cmd.Flags().Uint64Var(&t.maxStates, "max-states", 0, "skip rows with more than `N` published states (default: none)")
	t.file(cmd, &t.out, "out", "also write the tables to `FILE`, by its ending .md, .csv or .json", ".md", ".csv",
		".json")
	t.form.register(cmd)
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
	watch := newProgress(t.app)
	report, failed := table.Run(cmd.Context(), chosen, ringcheck.Count(t.maxStates), regress.Options{
		Search:  t.search.options(watch),
		Started: func(e *regress.Entry) { watch.begin(e.Name()) },
	})
	watch.clear()
	if err := t.publish(chosen); err != nil || failed != nil {
		return cmp.Or(err, failed)
	}
	return regressionVerdict("table "+which, report)
}

// publish prints the tables and writes them to --out.
func (t *tables) publish(chosen []*table.Table) error {
	format := ""
	if t.json {
		format = ".json"
	}
	var b strings.Builder
	if err := table.Write(&b, chosen, format); err != nil {
		return err
	}
	return cmp.Or(t.print(b.String()), t.out.save(func(w io.Writer) error {
		return table.Write(w, chosen, t.out.ending())
	}))
}

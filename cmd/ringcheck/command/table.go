package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/results/regress"
	"ringcheck/results/table"
)

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
	cmd.Flags().Uint64Var(&t.maxStates, "max-states", 0, "leave out rows with more than `N` published states "+
		"(default: run all)")
	t.file(cmd, &t.out, "out", "write the tables to `FILE` too, by its ending .md, .csv or .json", ".md", ".csv",
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

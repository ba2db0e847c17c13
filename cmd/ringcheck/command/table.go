package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/results/published"
	"ringcheck/results/table"
)

// tables is the sub-command table.
type tables struct {
	job
	maxStates uint64
	out       outFile
}

// tableFormats are the formats of --out by the ending of the file.
var tableFormats = map[string]table.Format{".md": table.Markdown, ".csv": table.CSV, ".json": table.JSON}

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
	cmd.Flags().Uint64Var(&t.maxStates, "max-states", 0, "leave out rows with more than `N` published states (default: run all)")
	t.file(cmd, &t.out, "out", "write the tables to `FILE` too, by its ending .md, .csv or .json", ".md", ".csv", ".json")
	t.form.register(cmd)
	noFiles(cmd, "max-states")
	return cmd
}

func (t *tables) run(cmd *cobra.Command) error {
	chosen, err := chosenTables(cmd.Flags().Arg(0))
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	failed := t.runAll(ctx, chosen)
	if err := t.publish(chosen); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return tableVerdict(ctx, table.Summarize(chosen))
}

// chosenTables returns the tables that the argument asks for.
func chosenTables(which string) ([]*table.Table, error) {
	all, err := published.Tables()
	if err != nil {
		return nil, err
	}
	var chosen []*table.Table
	for _, p := range all {
		if which != "all" && which != fmt.Sprint(p.Number) {
			continue
		}
		t, err := table.New(p)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// runAll runs the rows that are not too large.
func (t *tables) runAll(ctx context.Context, chosen []*table.Table) error {
	watch := newProgress(t.app)
	defer watch.clear()
	opt := table.Options{Search: t.search.options(watch), MaxStates: ringcheck.Count(t.maxStates)}
	for _, c := range chosen {
		opt.Started = func(r *table.Row) {
			watch.begin(fmt.Sprintf("table %d: n = %d, k = %d, %s", c.Number, r.N, r.K, r.Strategy))
		}
		if err := c.Run(ctx, opt); err != nil {
			return err
		}
	}
	return nil
}

// publish prints the tables and writes them to --out.
func (t *tables) publish(chosen []*table.Table) error {
	printed := table.Text
	if t.json {
		printed = table.JSON
	}
	var b strings.Builder
	if err := table.Write(&b, chosen, printed); err != nil {
		return err
	}
	if err := t.print(b.String()); err != nil {
		return err
	}
	return t.out.save(func(w io.Writer) error { return table.Write(w, chosen, tableFormats[t.out.ending()]) })
}

// tableVerdict returns nil if all that was to be run equals what is published, else why not.
func tableVerdict(ctx context.Context, s table.Summary) error {
	switch {
	case s.Different > 0:
		return violated(fmt.Errorf("%d of %d numbers differ from the published ones", s.Different, s.Equal+s.Different))
	case s.Incomplete > 0:
		return stopped(errors.New("a search stopped before its end: its row is incomplete"))
	case ctx.Err() != nil:
		return stopped(errors.New("stopped before the last row"))
	}
	return nil
}

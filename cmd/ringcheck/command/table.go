package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/results/published"
	"ringcheck/results/table"
)

// tables is the sub-command table.
type tables struct {
	*app
	search    search
	maxStates uint64
	out       string
	json      bool
}

// tableFormats are the formats of --out by the ending of the file.
var tableFormats = map[string]table.Format{".md": table.Markdown, ".csv": table.CSV, ".json": table.JSON}

func (a *app) tableCommand() *cobra.Command {
	t := &tables{app: a}
	choices := []string{"1", "2", "3", "all"}
	cmd := &cobra.Command{
		Use:   "table 1|2|3|all",
		Short: "Reproduce the paper's tables beside our own counts",
		Long: "Count what the tables of Bakhshi, Fokkink, Pang and van de Pol (2008) count, and show both numbers with\n" +
			"\"=\" or the difference, and the time, rate and memory that it took. The exit status is 1 if a number differs.",
		Example:   "  ringcheck table 1 --max-states 1000000\n  ringcheck table all --out tables.md",
		ValidArgs: choices,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(choices, args[0]) {
				return wrongRequestf("ringcheck table wants one of %s", strings.Join(choices, ", "))
			}
			return nil
		},
		RunE: runE(t.run),
	}
	t.search.registerMeans(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&t.maxStates, "max-states", 0, "leave out rows with more than `N` published states (default: run all)")
	flags.StringVar(&t.out, "out", "", "write the tables to `FILE` too, by its ending .md, .csv or .json")
	flags.BoolVar(&t.json, "json", false, "write one JSON object to standard output, and nothing else there")
	noFiles(cmd, "max-states")
	must(cmd.MarkFlagFilename("out", "md", "csv", "json"))
	return cmd
}

func (t *tables) run(cmd *cobra.Command) error {
	if err := t.search.validate(cmd.Flags()); err != nil {
		return err
	}
	format, known := tableFormats[filepath.Ext(t.out)]
	if t.out != "" && !known {
		return wrongRequestf("--out %s: the file name must end in .md, .csv or .json", t.out)
	}
	chosen, err := chosenTables(cmd.Flags().Arg(0))
	if err != nil {
		return err
	}
	if err := writable("--out", t.out); err != nil {
		return err
	}
	ctx, cancel := t.search.limit(cmd.Context())
	defer cancel()
	failed := t.runAll(ctx, chosen)
	if err := t.publish(chosen, format); err != nil {
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
func (t *tables) publish(chosen []*table.Table, format table.Format) error {
	printed := table.Text
	if t.json {
		printed = table.JSON
	}
	var b strings.Builder
	if err := table.Write(&b, chosen, printed); err != nil {
		return err
	}
	if err := t.print(b.String()); err != nil || t.out == "" {
		return err
	}
	var file bytes.Buffer
	if err := table.Write(&file, chosen, format); err != nil {
		return err
	}
	return saveFile("--out", t.out, file.Bytes())
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

package command

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
	"ringcheck/results/experiment"
	"ringcheck/results/growth"
	"ringcheck/results/sweep"
)

// sweeping is the sub-command sweep.
type sweeping struct {
	form
	protocol protocol
	search   search
	check    bool
	path     string
}

func (a *app) sweepCommand() *cobra.Command {
	s := &sweeping{form: form{app: a}}
	cmd := &cobra.Command{
		Use:   "sweep SPEC",
		Short: "Explore or check a protocol for a grid of settings, and say how it grows",
		Long: "Explore a protocol for each combination of settings, which can be lists and ranges: the first changes slowest. A table fills\n" +
			"as rows are done; at the end each series of rows that differ in n only is fitted by states ≈ c·bⁿ, with what the next row\n" +
			"would need. When a row does not come to its end, larger ones of its series are left out.\n\n" +
			"A JSON file that --out names and that is there already, of the same spec, is gone on with: what it knows is not run again.\n" +
			"The exit status is 1 if a property is violated, 3 if a row did not come to its end.",
		Example: "  ringcheck sweep franklin -n 2..5 -k 2,3 --order any,left --timeout 10m\n" +
			"  ringcheck sweep my.ring -n 2..6 --check --out sweep.json\n" +
			"  ringcheck sweep franklin -n 2..5 --symmetry rotation --out growth.svg",
		RunE: runE(s.run),
	}
	s.protocol.register(a, cmd)
	s.search.register(cmd)
	s.search.registerReductions(cmd, &s.protocol)
	flags := cmd.Flags()
	flags.BoolVar(&s.check, "check", false, "decide the properties of each instance, too")
	flags.StringVar(&s.path, "out", "", "write the rows to `FILE` too, by its ending .csv, .json or .md, or .svg for a plot")
	must(cmd.MarkFlagFilename("out", "csv", "json", "md", "svg"))
	s.form.register(cmd)
	return cmd
}

// sweepFormats write a sweep to a file, by its ending.
var sweepFormats = map[string]func(io.Writer, *sweep.Sweep) error{
	".csv": sweepCSV, ".md": sweepMarkdown, ".svg": sweepSVG,
	".json": func(w io.Writer, s *sweep.Sweep) error { return json.NewEncoder(w).Encode(s) },
}

func (s *sweeping) run(cmd *cobra.Command) error {
	err := cmp.Or(s.search.validate(cmd.Flags()), writable("--out", s.path))
	ext := filepath.Ext(s.path)
	switch {
	case err != nil:
		return err
	case s.path != "" && sweepFormats[ext] == nil:
		return wrongRequestf("--out %s: the file name must end in .csv, .json, .md or .svg", s.path)
	}
	grid, err := s.grid()
	if err != nil {
		return err
	}
	s.warn(s.protocol.spec)
	if ext == ".json" {
		if err := s.resume(grid); err != nil {
			return err
		}
	}
	ctx, cancel := s.search.limit(cmd.Context())
	defer cancel()
	watch := newProgress(s.app)
	width := 0
	for _, r := range grid.Rows {
		width = max(width, len([]rune(printable.Text(r.Name))))
	}
	var failed error
	err = grid.Run(ctx, s.search.options(watch), s.check, func(r *sweep.Row) {
		watch.clear()
		if !s.json && failed == nil {
			failed = s.print(rowText(r, width))
		}
	})
	watch.clear()
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	text := "\n"
	for _, f := range grid.Growth {
		text += printable.Text(f.String()) + "\n"
	}
	return cmp.Or(s.publish(grid, text), s.save(grid, ext), sweepVerdict(grid))
}

// grid returns the sweep that is asked for.
func (s *sweeping) grid() (*sweep.Sweep, error) {
	values := make(map[string]string)
	for name, value := range s.protocol.given {
		values[name] = fmt.Sprint(value)
	}
	sets, err := sweep.Grid(s.protocol.spec, values)
	if err != nil {
		return nil, wrongRequest(err)
	}
	like := experiment.Experiment{Assume: s.search.opt.Assume}
	err = errors.Join(like.Reduction.UnmarshalText([]byte(s.search.opt.Reduction)), like.Symmetry.UnmarshalText([]byte(s.search.opt.Symmetry)))
	if err != nil {
		return nil, wrongRequest(err)
	}
	grid, err := sweep.New(s.protocol.name, s.protocol.spec, sets, like)
	if err != nil {
		return nil, wrongRequest(err)
	}
	return grid, nil
}

// resume takes over what the file of --out knows, if there is one.
func (s *sweeping) resume(grid *sweep.Sweep) error {
	text, err := textfile.Read(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = grid.Resume(text)
	}
	if err != nil {
		return wrongRequestf("--out %s: %w", s.path, err)
	}
	return nil
}

func (s *sweeping) save(grid *sweep.Sweep, ext string) error {
	if s.path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := sweepFormats[ext](&b, grid); err != nil {
		return err
	}
	return saveFile("--out", s.path, b.Bytes())
}

// sweepVerdict returns nil if all rows came to their end and no property is violated.
func sweepVerdict(grid *sweep.Sweep) error {
	switch rows := grid.Violated(); {
	case len(rows) > 0:
		return violated(fmt.Errorf("a property is violated in %d of %s, the first %s", len(rows), countOf(len(grid.Rows), "row"), rows[0].Name))
	case !grid.Complete():
		return stopped(errors.New("stopped before the end: not all rows are complete"))
	}
	return nil
}

// rowText is a row of the table.
func rowText(r *sweep.Row, width int) string {
	o := r.Outcome
	if o == nil {
		return fmt.Sprintf("%-*s  not run\n", width, printable.Text(r.Name))
	}
	text := fmt.Sprintf("%-*s  %15s states  %15s transitions  %9.2f s  %9s  %s", width, printable.Text(r.Name), comma(o.States), comma(o.Transitions),
		o.Seconds, humanize.IBytes(o.Bytes), rowStatus(o))
	return strings.TrimRight(text, " ") + "\n"
}

// rowStatus says what there is to say beside the numbers.
func rowStatus(o *experiment.Outcome) string {
	if !o.Complete {
		return "incomplete: " + o.Stopped
	}
	var broken []string
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		if !o.Properties[name].Holds {
			broken = append(broken, name)
		}
	}
	switch {
	case len(broken) > 0:
		return "violated: " + strings.Join(broken, ", ")
	case len(o.Properties) > 0:
		return "holds"
	}
	return ""
}

// sweepCells returns a row as fields; what is not known is empty.
func sweepCells(r *sweep.Row) []string {
	if r.Outcome == nil {
		return []string{r.Name, "", "", "", "", "", "", "not run"}
	}
	o := r.Outcome
	return []string{
		r.Name, fmt.Sprint(o.States), fmt.Sprint(o.Transitions), fmt.Sprint(o.Deadlocks), fmt.Sprint(o.StoredStates), fmt.Sprintf("%.3f", o.Seconds), fmt.Sprint(o.Bytes),
		cmp.Or(rowStatus(o), "complete"),
	}
}

var sweepHeader = []string{"instance", "states", "transitions", "terminal_states", "stored_states", "seconds", "bytes", "status"}

func sweepCSV(w io.Writer, s *sweep.Sweep) error {
	out := csv.NewWriter(w)
	rows := [][]string{sweepHeader}
	for _, r := range s.Rows {
		rows = append(rows, sweepCells(r))
	}
	return out.WriteAll(rows)
}

func sweepMarkdown(w io.Writer, s *sweep.Sweep) error {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|---|--:|--:|--:|--:|--:|--:|---|\n", strings.ReplaceAll(strings.Join(sweepHeader, " | "), "_", " "))
	for _, r := range s.Rows {
		cells := sweepCells(r)
		for i := range cells {
			cells[i] = strings.ReplaceAll(printable.Text(cells[i]), "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, f := range s.Growth {
		fmt.Fprintf(&b, "\n%s\n", printable.Text(f.String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sweepSVG draws the series of complete rows.
func sweepSVG(w io.Writer, s *sweep.Sweep) error {
	drawn, err := growth.SVG(w, s.Spec, s.Points())
	if err == nil && !drawn {
		return wrongRequestf("--out: there is no series of two sizes to be drawn")
	}
	return err
}

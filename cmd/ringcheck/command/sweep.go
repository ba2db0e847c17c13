package command

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
	"ringcheck/results/experiment"
	"ringcheck/results/figure"
	"ringcheck/results/sweep"
)

// sweeping is the sub-command sweep.
type sweeping struct {
	job
	check bool
	plan  ringcheck.Simulation
	out   outFile
}

func (a *app) sweepCommand() *cobra.Command {
	s := &sweeping{job: a.job()}
	cmd := a.command("sweep", s.work(s.run, s.validate))
	s.protocol.register(a, cmd)
	s.search.register(cmd)
	s.search.registerReductions(cmd, &s.protocol)
	flags := cmd.Flags()
	flags.BoolVar(&s.check, "check", false, "decide the properties of each instance, too")
	flags.IntVar(&s.plan.Runs, "simulate", 0, "take `N` random runs of each instance instead, and estimate what they cost")
	flags.Uint64Var(&s.plan.Seed, "seed", 1, "with --simulate: the `NUMBER` that determines all random choices")
	s.file(cmd, &s.out, "out", "write the rows to `FILE` too, by its ending .csv, .json or .md, or .svg for a plot", ".csv", ".json", ".md", ".svg")
	s.form.register(cmd)
	return cmd
}

// sweepFormats write a sweep to a file, by its ending.
var sweepFormats = map[string]func(io.Writer, *sweep.Sweep) error{
	".csv": sweepCSV, ".md": sweepMarkdown, ".svg": sweepSVG,
	".json": func(w io.Writer, s *sweep.Sweep) error { return json.NewEncoder(w).Encode(s) },
}

func (s *sweeping) run(cmd *cobra.Command) error {
	grid, err := s.grid()
	if err != nil {
		return err
	}
	s.warn(s.protocol.spec)
	if s.out.ending() == ".json" {
		if err := s.resume(grid); err != nil {
			return err
		}
	}
	watch := newProgress(s.app)
	width := 0
	for _, r := range grid.Rows {
		width = max(width, len([]rune(printable.Text(r.Name))))
	}
	var failed error
	err = grid.Run(cmd.Context(), s.search.options(watch), s.task(), func(r *sweep.Row) {
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
	for _, line := range growthLines(grid) {
		text += line + "\n"
	}
	return cmp.Or(s.publish(grid, text), s.save(grid), sweepVerdict(grid))
}

// validate reports flags that make no sense.
func (s *sweeping) validate(flags *pflag.FlagSet) error {
	simulated := flags.Changed("simulate")
	switch {
	case simulated && s.plan.Runs < 1:
		return wrongRequestf("--simulate %d: want at least 1 run", s.plan.Runs)
	case flags.Changed("seed") && !simulated:
		return wrongRequestf("--seed is for --simulate")
	case simulated:
		return clash(flags, "simulate", "check", "reduce", "symmetry", "assume", "max-states")
	}
	return nil
}

// clash reports the first of some flags that is given beside another one.
func clash(flags *pflag.FlagSet, with string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return wrongRequestf("--%s and --%s contradict each other", with, name)
		}
	}
	return nil
}

// task returns what to do with each instance.
func (s *sweeping) task() sweep.Task {
	t := sweep.Task{Check: s.check}
	if s.plan.Runs > 0 {
		t.Simulate = &s.plan
	}
	return t
}

// growthLines says how the numbers grow.
func growthLines(s *sweep.Sweep) []string {
	var lines []string
	for _, f := range s.Growth {
		lines = append(lines, printable.Text(f.String()))
	}
	for _, t := range s.Trends {
		lines = append(lines, printable.Text(t.String()))
	}
	return lines
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
	text, err := textfile.Read(s.out.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = grid.Resume(text, s.task())
	}
	if err != nil {
		return wrongRequestf("--out %s: %w", s.out.path, err)
	}
	return nil
}

func (s *sweeping) save(grid *sweep.Sweep) error {
	return s.out.save(func(w io.Writer) error { return sweepFormats[s.out.ending()](w, grid) })
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
	if r.Sample != nil {
		return sampleText(r, width)
	}
	if o == nil {
		return fmt.Sprintf("%-*s  not run\n", width, printable.Text(r.Name))
	}
	text := fmt.Sprintf("%-*s  %15s states  %15s transitions  %9.2f s  %9s  %s", width, printable.Text(r.Name), comma(o.States), comma(o.Transitions),
		o.Seconds, humanize.IBytes(o.Bytes), rowStatus(r))
	return strings.TrimRight(text, " ") + "\n"
}

// sampleText is a row that was simulated: estimates with their confidence intervals.
func sampleText(r *sweep.Row, width int) string {
	text := fmt.Sprintf("%-*s  %9s runs", width, printable.Text(r.Name), comma(r.Sample.Runs))
	for _, e := range r.Sample.Estimates {
		if e.Mean != nil {
			text += fmt.Sprintf("  %12.2f %s ± %.2f", *e.Mean, printable.Text(e.Name), float64(e.High-e.Low)/2)
		}
	}
	return strings.TrimRight(fmt.Sprintf("%s  %9.2f s  %s", text, r.Sample.Seconds, rowStatus(r)), " ") + "\n"
}

// rowStatus says what there is to say beside the numbers.
func rowStatus(r *sweep.Row) string {
	if s := r.Sample; s != nil && !s.Complete {
		return "incomplete: " + s.Stopped
	}
	if o := r.Outcome; o != nil && !o.Complete {
		return "incomplete: " + o.Stopped
	}
	switch broken := r.Broken(); {
	case len(broken) > 0:
		return "violated: " + strings.Join(broken, ", ")
	case r.Outcome != nil && len(r.Outcome.Properties) > 0:
		return "holds"
	}
	return ""
}

// sweepCells returns a row as fields with these names; what is not known is empty.
func sweepCells(r *sweep.Row, names []string) []string {
	if r.Sample != nil {
		return sampleCells(r)
	}
	if r.Outcome == nil {
		cells := make([]string, len(names))
		cells[0], cells[len(cells)-1] = r.Name, "not run"
		return cells
	}
	o := r.Outcome
	return []string{
		r.Name, fmt.Sprint(o.States), fmt.Sprint(o.Transitions), fmt.Sprint(o.Deadlocks), fmt.Sprint(o.StoredStates), fmt.Sprintf("%.3f", o.Seconds), fmt.Sprint(o.Bytes),
		cmp.Or(rowStatus(r), "complete"),
	}
}

// sampleCells returns a row that was simulated as fields.
func sampleCells(r *sweep.Row) []string {
	cells := []string{r.Name, fmt.Sprint(r.Sample.Runs)}
	for _, e := range r.Sample.Estimates {
		if e.Mean != nil {
			cells = append(cells, fmt.Sprintf("%.6g", *e.Mean), fmt.Sprintf("%.6g", e.Low), fmt.Sprintf("%.6g", e.High))
		}
	}
	return append(cells, fmt.Sprintf("%.3f", r.Sample.Seconds), cmp.Or(rowStatus(r), "complete"))
}

// header returns the names of the fields of all rows.
func header(s *sweep.Sweep) []string {
	for _, r := range s.Rows {
		if r.Sample == nil {
			continue
		}
		names := []string{"instance", "runs"}
		for _, e := range r.Sample.Estimates {
			if e.Mean != nil {
				names = append(names, e.Name, e.Name+"_low", e.Name+"_high")
			}
		}
		return append(names, "seconds", "status")
	}
	return sweepHeader
}

var sweepHeader = []string{"instance", "states", "transitions", "terminal_states", "stored_states", "seconds", "bytes", "status"}

func sweepCSV(w io.Writer, s *sweep.Sweep) error {
	out := csv.NewWriter(w)
	names := header(s)
	rows := [][]string{names}
	for _, r := range s.Rows {
		rows = append(rows, sweepCells(r, names))
	}
	return out.WriteAll(rows)
}

func sweepMarkdown(w io.Writer, s *sweep.Sweep) error {
	var b strings.Builder
	names := header(s)
	fmt.Fprintf(&b, "| %s |\n|---|%s---|\n", strings.ReplaceAll(strings.Join(names, " | "), "_", " "), strings.Repeat("--:|", len(names)-2))
	for _, r := range s.Rows {
		cells := sweepCells(r, names)
		for i := range cells {
			cells[i] = printable.Cell(cells[i])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, line := range growthLines(s) {
		fmt.Fprintf(&b, "\n%s\n", printable.Cell(line))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sweepSVG draws the series of complete rows.
func sweepSVG(w io.Writer, s *sweep.Sweep) error {
	panels, points := s.Points()
	drawn, err := figure.Growth(w, s.Spec, panels, points)
	if err == nil && !drawn {
		return wrongRequestf("--out: there is no series of two sizes to be drawn")
	}
	return err
}

package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
	"ringcheck/results/experiment"
	"ringcheck/results/figure"
	"ringcheck/results/sweep"
)

// sweeping is the sweep sub-command.
type sweeping struct {
	job
	check bool
	plan  ringcheck.Simulation
	out   outFile
}

func (a *app) sweepCommand() *cobra.Command {
	s := &sweeping{job: a.job()}
	cmd := s.command("sweep", s.work(s.run, s.validate), s.protocol.register, s.search.limits, s.search.reductions,
		s.asJSON)
	flags := cmd.Flags()
	flags.BoolVar(&s.check, "check", false, "check the properties of each instance, too")
	flags.IntVar(&s.plan.Runs, "simulate", 0, "estimate costs from `N` random runs of each instance instead")
	flags.Uint64Var(&s.plan.Seed, "seed", 1, "with --simulate: the `NUMBER` that determines all random choices")
	s.file(cmd, &s.out, "out", "also write the rows to `FILE`, by its ending .csv, .json or .md, or .svg or "+
		".pdf for a plot", append([]string{".csv", ".json", ".md"}, figure.Endings...)...)
	return cmd
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
	width := 0
	for _, r := range grid.Rows {
		width = max(width, len([]rune(printable.Text(r.Name))))
	}
	var failed error
	err = grid.Run(cmd.Context(), s.options(), s.task(), func(r *sweep.Row) {
		if !s.json && failed == nil {
			failed = s.print(rowText(r, width))
		}
	})
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	return s.finish(sweepReport(grid), &s.out)
}

// validate checks the flags.
func (s *sweeping) validate(flags *pflag.FlagSet) error {
	if flags.Changed("simulate") && s.plan.Runs < 1 {
		return wrongRequestf("--simulate %d: must be at least 1 run", s.plan.Runs)
	}
	return cmp.Or(needs(flags, "seed", "simulate"),
		clash(flags, "simulate", "check", "reduce", "symmetry", "assume", "max-states"))
}

// task returns the work for each instance.
func (s *sweeping) task() sweep.Task {
	t := sweep.Task{Check: s.check}
	if s.plan.Runs > 0 {
		t.Simulate = &s.plan
	}
	return t
}

// grid returns the sweep that the flags describe.
func (s *sweeping) grid() (*sweep.Sweep, error) {
	sets, err := sweep.Grid(s.protocol.spec, s.protocol.given)
	like := experiment.Experiment{Assume: s.search.opt.Assume}
	err = cmp.Or(err, like.Reduction.UnmarshalText([]byte(s.search.opt.Reduction)),
		like.Symmetry.UnmarshalText([]byte(s.search.opt.Symmetry)))
	var grid *sweep.Sweep
	if err == nil {
		grid, err = sweep.New(s.protocol.name, s.protocol.spec, sets, like)
	}
	if err != nil {
		return nil, wrongRequest(err)
	}
	return grid, nil
}

// resume takes over the complete rows in the file of --out, if it exists.
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

// sweepReport describes the growth of the numbers. In text, the rows have been printed one by one.
func sweepReport(s *sweep.Sweep) *report {
	r, all, rows := &report{Document: document.Document{Data: s}}, new(document.Document), sweepTable(s)
	r.Other = map[string]func(io.Writer) error{
		".csv": rows.CSV,
		".md":  func(w io.Writer) error { return all.Write(w, ".md") },
	}
	r.plot(func() (*figure.Picture, error) { return sweepPicture(s) })
	all.Table(rows, 0, 2)
	all.Gap()
	r.Line("")
	for _, d := range []*document.Document{&r.Document, all} {
		for _, text := range s.Refused {
			d.Line("refused: %s", text)
		}
		for _, f := range s.Growth {
			d.Line("%s", f)
		}
		for _, t := range s.Trends {
			d.Line("%s", t)
		}
	}
	switch broken := s.ViolatingRows(); {
	case len(broken) > 0:
		r.violation = fmt.Sprintf("a property is violated in %d of %s, the first %s", len(broken),
			countOf(len(s.Rows), "row"), broken[0].Name)
	case !s.Complete():
		r.stopErr = earlyStop(errors.New("stopped before the end: not all rows are complete"))
	}
	return r
}

// rowText returns a row of the table. A simulated row has estimates with their confidence intervals.
func rowText(r *sweep.Row, width int) string {
	line := fmt.Sprintf("%-*s  ", width, printable.Text(r.Name))
	switch o, s := r.Outcome, r.Sample; {
	case s != nil:
		line += fmt.Sprintf("%9s runs", comma(s.Runs))
		for _, e := range s.Estimates {
			if e.Mean != nil {
				line += fmt.Sprintf("  %12.2f %s ± %.2f", *e.Mean, printable.Text(e.Name), float64(e.High-e.Low)/2)
			}
		}
		line += fmt.Sprintf("  %9.2f s", s.Seconds)
	case o != nil:
		line += fmt.Sprintf("%15s states  %15s transitions  %9.2f s  %9s", comma(o.States), comma(o.Transitions),
			o.Seconds, humanize.IBytes(o.Bytes))
	default:
		line += "not run"
	}
	return strings.TrimRight(line+"  "+rowStatus(r), " ") + "\n"
}

// rowStatus returns the remark after the numbers.
func rowStatus(r *sweep.Row) string {
	if s := r.Sample; s != nil && !s.Complete {
		return "incomplete: " + s.Stopped
	}
	broken := r.Broken()
	if o := r.Outcome; o != nil && !o.Complete {
		if len(broken) > 0 {
			return "violated: " + strings.Join(broken, ", ") + "; incomplete: " + o.Stopped
		}
		return "incomplete: " + o.Stopped
	}
	switch {
	case len(broken) > 0:
		return "violated: " + strings.Join(broken, ", ")
	case r.Outcome != nil && len(r.Outcome.Properties) > 0:
		return "holds"
	}
	return ""
}

// sweepTable returns the rows of a sweep; cells of unknown values are empty.
func sweepTable(s *sweep.Sweep) *document.Table {
	t := &document.Table{Head: []string{
		"instance", "states", "transitions", "terminal_states", "stored_states", "seconds", "bytes", "status",
	}}
	for _, r := range s.Rows {
		status := cmp.Or(rowStatus(r), "complete")
		switch o := r.Outcome; {
		case r.Sample != nil:
			t.Head = []string{"instance", "runs"}
			cells := []string{r.Name, fmt.Sprint(r.Sample.Runs)}
			for _, e := range r.Sample.Estimates {
				if e.Mean != nil {
					t.Head = append(t.Head, e.Name, e.Name+"_low", e.Name+"_high")
					cells = append(cells, fmt.Sprintf("%.6g", *e.Mean), fmt.Sprintf("%.6g", e.Low),
						fmt.Sprintf("%.6g", e.High))
				}
			}
			t.Head = append(t.Head, "seconds", "status")
			t.Add(append(cells, fmt.Sprintf("%.3f", r.Sample.Seconds), status)...)
		case o == nil:
			t.Add(r.Name)
		default:
			t.Add(r.Name, fmt.Sprint(o.States), fmt.Sprint(o.Transitions), fmt.Sprint(o.TerminalStates),
				fmt.Sprint(o.StoredStates), fmt.Sprintf("%.3f", o.Seconds), fmt.Sprint(o.Bytes), status)
		}
	}
	t.Align = "l" + strings.Repeat("r", len(t.Head)-2) + "l"
	for i, cells := range t.Rows {
		if len(cells) < len(t.Head) {
			t.Rows[i] = append(cells, make([]string, len(t.Head)-len(cells))...)
			t.Rows[i][len(t.Head)-1] = "not run"
		}
	}
	return t
}

// sweepPicture draws the series of complete rows.
func sweepPicture(s *sweep.Sweep) (*figure.Picture, error) {
	panels, points := s.Points()
	drawn, err := figure.Growth(s.Spec, panels, points)
	if err == nil && drawn == nil {
		err = wrongRequestf("--out: there is no series of two sizes to draw")
	}
	return drawn, err
}

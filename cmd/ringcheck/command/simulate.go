package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/model/language/replay"
	"ringcheck/results/figure"
)

// simulation is the simulate sub-command.
type simulation struct {
	job
	plan    ringcheck.Simulation
	trace   outFile
	csv     outFile
	plot    outFile
	shorten bool
}

func (a *app) simulateCommand() *cobra.Command {
	s := &simulation{job: a.job()}
	cmd := s.command("simulate", s.on(s.run, s.validate), s.protocol.register, s.search.growth, s.search.means,
		s.search.properties, s.asJSON)
	flags := cmd.Flags()
	flags.IntVar(&s.plan.Runs, "runs", 1000, "take `N` runs")
	choice(cmd, (*string)(&s.plan.Scheduler), "scheduler", "KIND", ringcheck.Choices("random"), "of scheduler, %s: "+
		"each enabled choice equally likely, or by time, each message with a random delay")
	flags.Float64Var(&s.plan.FaultRate, "fault-rate", 0, "with --scheduler time, the probability `P` that a message "+
		"is lost or duplicated, or that a process crashes before a step or recovers within a tick, if the protocol "+
		"allows it (default 0.01)")
	flags.Uint64Var(&s.plan.Seed, "seed", 1, "the `NUMBER` that determines all random choices")
	flags.Float64Var(&s.plan.Precision, "precision", 0, "stop before --runs when the half-width of each interval is "+
		"at most `P`: absolute for a probability, relative for an expectation")
	flags.Float64Var(&s.plan.Confidence, "confidence", 0.95, "the probability `P` that an interval contains the value")
	flags.Uint64Var(&s.plan.MaxSteps, "max-steps", 0, "abandon a run after `N` steps (0: never); without this flag, "+
		"stop if the first run takes more than ten million steps plus ten thousand for each process")
	flags.StringVar(&s.plan.Until, "until", "terminal", "a run ends where it reaches `GOAL`: "+goals)
	flags.StringSliceVar(&s.plan.Rewards, "reward", nil, "estimate the rewards `NAMES`: steps, messages, or rewards "+
		"of the spec (default: steps, messages)")
	s.runFile(cmd, &s.trace, "trace", "write the run that violates a property to `FILE`")
	flags.BoolVar(&s.shorten, "shorten", true, "in a run that violates a property, leave out the steps that the "+
		"violation does not need")
	s.csv.format = ".csv"
	s.file(cmd, &s.csv, "csv", "write the costs of each run to `FILE`")
	s.file(cmd, &s.plot, "plot", "draw the distribution of the costs of the runs to `FILE`, by its ending "+
		printable.Or(figure.Endings), figure.Endings...)
	return cmd
}

// validate checks the flags and sets the limit on steps.
func (s *simulation) validate(flags *pflag.FlagSet) error {
	switch {
	case !flags.Changed("max-steps"):
		s.plan.MaxSteps = 0 // the default of the library
	case s.plan.MaxSteps == 0:
		s.plan.MaxSteps = math.MaxUint64
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"precision", s.plan.Precision}, {"confidence", s.plan.Confidence}, {"fault-rate", s.plan.FaultRate}} {
		if flags.Changed(f.name) && f.value == 0 {
			return wrongRequestf("--%s 0: must be greater than 0", f.name)
		}
	}
	return nil
}

func (s *simulation) run(ctx context.Context, sys *ringcheck.System) error {
	s.plan.Properties = s.search.checks.Properties
	r, err := ringcheck.Simulate(ctx, sys, s.plan, s.options())
	if err != nil {
		return err
	}
	return s.conclude(ctx, r)
}

// conclude publishes the estimates. Without a completed run it writes no plot.
func (s *simulation) conclude(ctx context.Context, r *ringcheck.SimulationReport) error {
	summary := simulationReport(r)
	if broken := r.ViolatedEstimates(); len(broken) > 0 {
		first := &broken[0]
		summary.violation = fmt.Sprintf("violated: %s, by run %d of seed %d", first.Name, *first.Against, r.Seed)
		summary.evidence = func() (string, error) { return s.violation(ctx, r, &broken[0]) }
	}
	samples := samples(r)
	summary.Other = map[string]func(io.Writer) error{
		".csv": func(w io.Writer) error { return costs(r).CSV(w) },
	}
	summary.plot(func() (*figure.Picture, error) {
		return figure.Histograms(r.Title()+", "+countOf(r.Runs, "run"), samples)
	})
	if len(samples) > 0 {
		return s.finish(summary, &s.csv, &s.plot)
	}
	if s.plot.path != "" {
		fmt.Fprintf(s.stderr, "--plot: no run was completed, so there is nothing to draw; %s is not written\n",
			printable.Text(s.plot.path))
	}
	return s.finish(summary, &s.csv)
}

// samples returns the samples for --plot.
func samples(r *ringcheck.SimulationReport) []figure.Sample {
	var list []figure.Sample
	for _, e := range r.Estimates {
		if e.Mean != nil {
			sample := figure.Sample{Name: e.Name, Values: e.Values, Low: float64(e.Low), High: float64(e.High)}
			list = append(list, sample)
		}
	}
	return list
}

// violation returns the text of the run that violates a property, or writes the run to the file of --trace.
func (s *simulation) violation(ctx context.Context, r *ringcheck.SimulationReport, broken *ringcheck.Estimate) (
	string, error,
) {
	show := r.Run
	if s.shorten {
		show = r.ShortRun
	}
	run, err := show(ctx, broken.Name)
	switch {
	case errors.Is(err, replay.ErrLong):
		return err.Error() + "\n", nil
	case ctx.Err() != nil:
		return "there was no time left to show the run\n", nil
	case err != nil:
		return "", err
	}
	text := ""
	if taken := int(broken.Steps); run.Length() < taken {
		text = fmt.Sprintf("shortened from %s to %s (--shorten=false shows the whole run)\n",
			countOf(taken, "step"), comma(run.Length()))
	}
	switch {
	case s.trace.path != "":
		return text, s.trace.saveRun(run)
	case run.Length() > longestShown && (run.DrawnSteps() > 2*longestShown || run.DrawnSteps() == run.Length()):
		return text + fmt.Sprintf("the run has %s; --trace FILE writes it\n", countOf(run.Length(), "step")), nil
	}
	var b strings.Builder
	err = run.Write(&b, textFormat)
	return text + b.String(), err
}

// longestShown is the maximum length of a run that is shown by default.
const longestShown = 100

// simulationReport returns the report that simulate prints.
func simulationReport(s *ringcheck.SimulationReport) *report {
	r := &report{Document: document.Document{Data: s}, stopErr: s.Err()}
	r.Line("%s", s.Title())
	end := "a terminal state"
	switch {
	case s.Event:
		end = "the event " + s.Until + " or a terminal state"
	case s.Until != "terminal":
		end = "the goal or a terminal state"
		r.Line("until %s", s.Until)
	}
	if s.Runs > 0 {
		r.Line("%s to %s, seed %d, %g %% confidence intervals", countOf(s.Runs, "run"), end, s.Seed, 100*s.Confidence)
	} else {
		r.Line("no run reached %s, seed %d", end, s.Seed)
	}
	if s.Violating > 0 {
		r.Line("%s stopped where an invariant was violated", countOf(s.Violating, "run"))
	}
	switch {
	case s.Unfinished > 0:
		r.Line("incomplete (%s): %s abandoned", s.Stopped, countOf(s.Unfinished, "run"))
	case !s.Complete:
		r.Line("incomplete (%s)", s.Stopped)
	}
	if !s.Complete && s.Runs == 0 && s.Until == "terminal" {
		r.Line("if the protocol never terminates, --until GOAL ends its runs earlier")
	}
	r.Gap()
	r.estimates(s)
	if len(s.NotEvaluated) > 0 {
		r.Line("  not evaluated: invariant %s; --property NAME evaluates it in every state",
			strings.Join(s.NotEvaluated, ", "))
	}
	r.Row("events", comma(s.Events))
	r.Row("rate", comma(s.EventsPerSecond), "events/s")
	r.Row("workers", comma(s.Workers))
	r.cost(s.Seconds, s.PeakRSSBytes)
	return r
}

// estimates adds a line or two for each estimate, expectations first.
func (r *report) estimates(s *ringcheck.SimulationReport) {
	for _, e := range s.Estimates {
		if e.Mean == nil {
			continue
		}
		interval := fmt.Sprintf("from %s to %s", number(float64(e.Low)), number(float64(e.High)))
		if *e.Min == *e.Max { // Student's t would give an interval of width 0
			interval = "in every run so far"
		}
		r.Line("  expected %s  %s   %s", e.Name, number(*e.Mean), interval)
		r.Line("      observed: minimum %s, 5 %% %s, median %s, 95 %% %s, maximum %s", number(*e.Min),
			number(e.Quantiles["0.05"]), number(e.Quantiles["0.5"]), number(e.Quantiles["0.95"]), number(*e.Max))
	}
	for _, e := range s.Estimates {
		if e.RunsTrue == nil {
			continue
		}
		r.Line("  %s %s  in %s of %s; probability from %.6g to %.6g", e.Kind, e.Name, comma(*e.RunsTrue),
			countOf(e.Of, "run"), e.Low, e.High)
		if e.Against != nil && *e.Against >= s.Runs+s.Violating+s.Unfinished {
			r.Line("      run %d violates it, but is not counted: an earlier run had not ended", *e.Against)
		}
	}
}

// number writes a number with six digits, or with all digits of its integer part if there are more.
func number(x float64) string {
	if math.Abs(x) >= 1e5 && !math.IsInf(x, 0) {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// costs returns the costs of the runs, one per line.
func costs(r *ringcheck.SimulationReport) *document.Table {
	t := &document.Table{Head: []string{"run"}}
	for _, run := range r.EndedRuns {
		t.Add(strconv.Itoa(run))
	}
	for _, e := range r.Estimates {
		if e.Mean == nil {
			continue
		}
		t.Head = append(t.Head, e.Name)
		for i, x := range e.ByRun {
			t.Rows[i] = append(t.Rows[i], strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return t
}

package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/internal/printable"
	"ringcheck/internal/tabular"
	"ringcheck/model/language/replay"
	"ringcheck/results/figure"
	"ringcheck/simulate"
)

// simulation is the sub-command simulate.
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
	cmd := a.command("simulate", s.on(s.run, s.validate))
	s.protocol.register(a, cmd)
	s.search.registerGrowth(cmd)
	s.search.registerMeans(cmd)
	s.search.registerProperties(cmd, &s.protocol)
	flags := cmd.Flags()
	flags.IntVar(&s.plan.Runs, "runs", 1000, "take `N` runs")
	choice(cmd, (*string)(&s.plan.Scheduler), "scheduler", "KIND", inside.Choices("random"), "of scheduler, %s: "+
		"each enabled choice equally likely, or by time, each message with a random delay")
	flags.StringSliceVar(&s.plan.Delay, "delay", nil, "delay messages, events or processes, `NAMES`: they "+
		"happen only if nothing else can; by time, such messages take the greatest delay")
	flags.StringSliceVar(&s.plan.Hurry, "hurry", nil, "prefer messages, events or processes, `NAMES`: they "+
		"happen before everything else; by time, such messages take the least delay")
	flags.Float64Var(&s.plan.FaultRate, "fault-rate", 0, "by time, the probability `P` that a message is lost, or "+
		"duplicated, a process crashes before a step, or recovers within a tick, where the protocol allows it "+
		"(default 0.01)")
	flags.Uint64Var(&s.plan.Seed, "seed", 1, "the `NUMBER` that determines all random choices")
	flags.Float64Var(&s.plan.Precision, "precision", 0, "stop before --runs when the half-width of each interval is "+
		"at most `P`: absolute for a probability, relative for an expectation")
	flags.Float64Var(&s.plan.Confidence, "confidence", 0.95, "the probability `P` that an interval contains the value")
	flags.Uint64Var(&s.plan.MaxSteps, "max-steps", 0, "abandon a run after `N` steps (0: never); without this flag, "+
		"all are if the first takes more than ten million and ten thousand for each process")
	flags.StringVar(&s.plan.Until, "until", "terminal", "a run ends with `WHAT`: terminal, elected (the "+
		"event that declares a leader), or the name of an event")
	flags.StringSliceVar(&s.plan.Rewards, "reward", nil, "what to estimate, `NAMES`: steps, messages, or what the "+
		"spec declares (default: steps, messages)")
	s.file(cmd, &s.trace, "trace", "write the run that violates a property to `FILE`, as its ending says: .svg, "+
		".html, .json, .mmd, else text")
	flags.BoolVar(&s.shorten, "shorten", true, "leave out of that run the steps that do not matter")
	s.file(cmd, &s.csv, "csv", "write the costs of each run to `FILE`")
	s.file(cmd, &s.plot, "plot", "draw the distribution of the costs of the runs to `FILE`, as SVG", ".svg")
	s.form.register(cmd)
	return cmd
}

// validate completes the plan and checks the flags.
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
			return wrongRequestf("--%s 0: want a number greater than 0", f.name)
		}
	}
	return nil
}

func (s *simulation) run(ctx context.Context, sys *ringcheck.System) error {
	watch := newProgress(s.app)
	if !s.quiet {
		last := time.Duration(0)
		s.plan.Progress = func(p simulate.Progress) {
			if p.Elapsed >= last+watch.every {
				last = p.Elapsed
				watch.say(simulationLine(p))
			}
		}
	}
	r, err := ringcheck.Simulate(ctx, sys, s.plan, s.search.options(watch))
	watch.clear()
	if err != nil {
		return err
	}
	return cmp.Or(s.csv.save(costs(r).CSV), s.savePlot(r), s.publish(r, simulationText(r)), s.verdict(ctx, r))
}

// savePlot draws the histograms of --plot, or says that there is nothing to draw.
func (s *simulation) savePlot(r *ringcheck.SimulationReport) error {
	var samples []figure.Sample
	for _, e := range r.Estimates {
		if e.Mean != nil {
			sample := figure.Sample{Name: e.Name, Values: e.Values, Low: float64(e.Low), High: float64(e.High)}
			samples = append(samples, sample)
		}
	}
	if len(samples) == 0 {
		if s.plot.path != "" {
			fmt.Fprintf(s.stderr, "--plot: no run was completed, so there is nothing to draw; %s is not written\n",
				printable.Text(s.plot.path))
		}
		return nil
	}
	return s.plot.save(func(w io.Writer) error {
		return figure.Histograms(w, r.Title()+", "+countOf(r.Runs, "run"), samples)
	})
}

// simulationLine describes the progress of a simulation and estimates the remaining time.
func simulationLine(p simulate.Progress) string {
	left := "no run has ended yet"
	if p.Runs > 0 {
		left = fmt.Sprintf("about %.0f s left", math.Ceil(p.Elapsed.Seconds()/float64(p.Runs)*float64(p.Of-p.Runs)))
	}
	return fmt.Sprintf("%s of %s runs  events %s  rate %s/s  %s", comma(p.Runs), comma(p.Of), comma(p.Steps),
		comma(uint64(float64(p.Steps)/max(1e-9, p.Elapsed.Seconds()))), left)
}

// verdict returns the failure for a violated property, with a run that shows it.
func (s *simulation) verdict(ctx context.Context, r *ringcheck.SimulationReport) error {
	broken := r.Violated()
	if len(broken) == 0 {
		return r.Err()
	}
	f := &failure{status: statusViolated, err: fmt.Errorf("violated: %s, by run %d of seed %d", broken[0].Name,
		*broken[0].Against, r.Seed)}
	f.rendered = describe(f)
	show := r.Run
	if s.shorten {
		show = r.ShortRun
	}
	run, err := show(ctx, broken[0].Name)
	switch {
	case errors.Is(err, replay.ErrLong):
		f.rendered += err.Error() + "\n"
		return f
	case ctx.Err() != nil:
		f.rendered += "there was no time left to show the run\n"
		return f
	case err != nil:
		return err
	}
	if taken := int(broken[0].Steps); run.Length() < taken {
		f.rendered += fmt.Sprintf("shortened from %s to %s (--shorten=false shows the whole run)\n",
			countOf(taken, "step"), comma(run.Length()))
	}
	var b bytes.Buffer
	format := cmp.Or(formats[s.trace.ending()], textFormat)
	if err := run.Write(&b, format); err != nil {
		return err
	}
	switch {
	case s.trace.path != "":
		return cmp.Or(saveFile("--trace", s.trace.path, b.Bytes()), error(f))
	case run.Shown() <= 2*longestShown && run.Shown() < run.Length() || run.Length() <= longestShown:
		f.rendered += b.String()
	default:
		f.rendered += fmt.Sprintf("the run has %s; --trace FILE writes it\n", countOf(run.Length(), "step"))
	}
	return f
}

// longestShown is the length of the longest run that is shown by default.
const longestShown = 100

// simulationText returns a report as text.
func simulationText(r *ringcheck.SimulationReport) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	end := "a terminal state"
	if r.Until != "terminal" {
		end = "the event " + r.Until
	}
	switch {
	case r.Runs > 0:
		fmt.Fprintf(&b, "%s to %s, seed %d, %g %% confidence intervals\n", countOf(r.Runs, "run"), end, r.Seed,
			100*r.Confidence)
	default:
		fmt.Fprintf(&b, "no run reached %s, seed %d\n", end, r.Seed)
	}
	if r.Violating > 0 {
		fmt.Fprintf(&b, "%s stopped where an invariant was violated\n", countOf(r.Violating, "run"))
	}
	switch {
	case r.Unfinished > 0:
		fmt.Fprintf(&b, "incomplete (%s): %s abandoned\n", r.Stopped, countOf(r.Unfinished, "run"))
	case !r.Complete:
		fmt.Fprintf(&b, "incomplete (%s)\n", r.Stopped)
	}
	if !r.Complete && r.Runs == 0 && r.Until == "terminal" {
		fmt.Fprintln(&b, "if the protocol never terminates, --until EVENT ends its runs with an event")
	}
	if len(r.Estimates) > 0 {
		b.WriteByte('\n')
	}
	for _, e := range r.Estimates {
		if e.Mean == nil {
			continue
		}
		fmt.Fprintf(&b, "  expected %s  %s   from %s to %s\n", e.Name, number(*e.Mean), number(float64(e.Low)),
			number(float64(e.High)))
		fmt.Fprintf(&b, "      observed: minimum %s, 5 %% %s, median %s, 95 %% %s, maximum %s\n", number(*e.Min),
			number(e.Quantiles["0.05"]), number(e.Quantiles["0.5"]), number(e.Quantiles["0.95"]), number(*e.Max))
	}
	for _, e := range r.Estimates {
		if e.RunsTrue != nil {
			fmt.Fprintf(&b, "  %s %s  in %s of %s; probability from %.6g to %.6g\n", e.Kind, e.Name,
				comma(*e.RunsTrue), countOf(e.Of, "run"), e.Low, e.High)
			if e.Against != nil && *e.Against >= r.Runs+r.Violating+r.Unfinished {
				fmt.Fprintf(&b, "      run %d violates it, but is not counted: an earlier run was still under way\n",
					*e.Against)
			}
		}
	}
	if len(r.Unwatched) > 0 {
		fmt.Fprintf(&b, "  not watched: invariant %s; --property NAME watches it in every state\n",
			strings.Join(r.Unwatched, ", "))
	}
	b.WriteByte('\n')
	writeRows(&b, append([]row{
		{"events", comma(r.Events), ""},
		{"rate", comma(r.EventsPerSecond), "events/s"},
		{"workers", comma(r.Workers), ""},
	}, spentRows(r.Seconds, r.PeakRSSBytes)...))
	return b.String()
}

// number writes a number with six digits, or with all digits before the point.
func number(x float64) string {
	if math.Abs(x) >= 1e5 && !math.IsInf(x, 0) {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// costs returns the costs of the runs, one per line.
func costs(r *ringcheck.SimulationReport) *tabular.Table {
	t := &tabular.Table{Head: []string{"run"}}
	for _, run := range r.Ended {
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

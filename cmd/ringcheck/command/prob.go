package command

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/results/figure"
	"ringcheck/results/sweep"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// probability is the prob sub-command.
type probability struct {
	job
	until     string
	within    []int
	rewards   []string
	unit      string
	scheduler string
	precision float64
	exact     bool
	export    outFile
	plot      outFile
	witness   string
	strict    bool
}

// goals are the values of --until.
const goals = "elected, terminal, an event, or an expression such as 'leader happens or size(inbox(0, left)) = 2'"

func (a *app) probCommand() *cobra.Command {
	p := &probability{job: a.job()}
	p.protocol.files = exchange.Formats()
	cmd := p.command("prob", p.work(p.run, p.validate), p.protocol.register, p.search.limits, p.search.reduce,
		p.search.symmetry, p.asJSON)
	flags := cmd.Flags()
	flags.StringVar(&p.until, "until", "", "the `GOAL`: "+goals+" (default: elected, but terminal if no event "+
		"declares a leader)")
	flags.Func("within", "compute the probability of reaching the goal within these numbers of `STEPS`, such as "+
		"25,50,100 or 0..200", p.setWithin)
	flags.StringVar(&p.unit, "unit", "", "let the numbers of --within limit the reward `NAME`, such as messages or "+
		"ticks, instead of steps")
	flags.StringSliceVar(&p.rewards, "reward", nil, "compute the expected reward until the goal for `NAMES`: steps, "+
		"messages, or a reward of the spec")
	choice(cmd, &p.scheduler, "scheduler", "WHO", ringcheck.Choices("scheduler"), "decides between choices, %s")
	flags.Float64Var(&p.precision, "precision", 1e-10, "the greatest `WIDTH` of an interval relative to its value")
	flags.BoolVar(&p.exact, "exact", false, "compute exact rational numbers, after lumping the states")
	flags.BoolVar(&p.strict, "strict", false,
		"refuse a file that causes a warning, for example because probabilities do not add up to exactly 1")
	flags.StringVar(&p.witness, "witness", "", "show a run with the greatest or the least reward, `WHICH`: max or "+
		"min; without --reward, of messages")
	offer(cmd, "witness", []string{"max", "min"})
	p.file(cmd, &p.plot, "plot", "draw the probabilities of --within into `FILE`, by its ending "+
		".csv, .svg or .pdf", append([]string{".csv"}, figure.Endings...)...)
	p.file(cmd, &p.export, "export", "write the process up to the goal to `FILE`, by its ending .umb (UMB, for PRISM "+
		"and Storm) or .tra (PRISM, with .lab and .trew)", exchange.Formats()...)
	return cmd
}

func (p *probability) run(cmd *cobra.Command) error {
	sys, err := p.instance()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	ask := ringcheck.Questions{
		Until: p.until, Within: p.within, Unit: p.unit, Rewards: p.rewards, Scheduler: p.scheduler,
		Precision: p.precision, Exact: p.exact, Witness: p.witness, Strict: p.strict,
		Process: func(m *prob.MDP) error {
			p.progress.clear()
			if p.export.path == "" {
				return nil
			}
			return saveProcess(ctx, "--export", p.export.path, m, p.exact)
		},
	}
	// A large process consists of blocks without pointers, which are cheap to collect.
	defer time.AfterFunc(time.Second, func() { garbage.set(thrifty) }).Stop()
	r, err := ringcheck.Quantify(ctx, sys, ask, p.options())
	if err != nil {
		return err
	}
	summary, err := quantifiedReport(r)
	if err != nil {
		return err
	}
	if !r.Complete {
		return p.finish(summary)
	}
	return p.finish(summary, &p.plot)
}

// validate checks the flags.
func (p *probability) validate(flags *pflag.FlagSet) error {
	switch {
	case !(p.precision > 0 && p.precision < 1):
		return wrongRequestf("--precision %v: must be between 0 and 1", p.precision)
	case p.witness != "" && p.witness != prob.Max.String() && p.witness != prob.Min.String():
		return wrongRequestf("--witness %s: expected max or min", p.witness)
	case p.witness != "" && len(p.rewards) > 1:
		return wrongRequestf("--witness shows a run for one reward: give --reward once")
	}
	return cmp.Or(needs(flags, "plot", "within"), needs(flags, "unit", "within"))
}

// setWithin reads the numbers of steps of --within.
func (p *probability) setWithin(text string) error {
	words, err := sweep.Expand(text)
	if err != nil {
		return err
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			return errors.New("expected numbers of steps")
		}
		p.within = append(p.within, n)
	}
	slices.Sort(p.within)
	p.within = slices.Compact(p.within)
	return nil
}

// quantifiedReport returns the report that prob prints, with the curves of --plot.
func quantifiedReport(q *ringcheck.QuantifyReport) (*report, error) {
	r := newReport(q, q.Title(), &q.Ending, "")
	picture := figure.Curves{Title: q.Title() + ", until " + q.Until, Unit: curveUnit(q), Curves: curves(q)}
	r.Other = map[string]func(io.Writer) error{".csv": picture.CSV}
	r.plot(picture.Picture)
	if q.Until != "" {
		r.Line("until %s", goalText(q.Until, q.Event))
	}
	r.Row("states", comma(q.States))
	if q.Branches > 0 {
		r.Row("choices", comma(q.Choices))
		r.Row("branches", comma(q.Branches))
	}
	r.cost(q.Seconds, q.PeakRSSBytes)
	if t := grid(q); len(t.Rows) > 1 {
		r.Gap()
		r.Table(t, 2, 3)
	}
	if text := explainExtremes(q); text != "" {
		r.Gap()
		r.Line("%s", text)
	}
	r.warnings(q.Warnings)
	if q.Witness == nil {
		return r, nil
	}
	var b strings.Builder
	err := q.Witness.Run.Write(&b, textFormat)
	r.Gap()
	r.Line("%s", strings.TrimSuffix(b.String(), "\n"))
	return r, err
}

// explainExtremes explains a probability of 0 or an infinite value; "" if no result is either.
func explainExtremes(r *ringcheck.QuantifyReport) string {
	missed := false
	for _, result := range r.Results {
		if result.Query == "probability" && result.Within == nil && result.Exact == "0" &&
			result.Scheduler != prob.Min.String() {
			return "0: the goal is never reached, under any scheduler"
		}
		missed = missed || math.IsInf(float64(result.Low), 1)
	}
	switch {
	case !missed:
		return ""
	case r.File != "" || r.Witness != nil:
		return "∞: with a probability above 0 a run never reaches the goal"
	}
	return "∞: with a probability above 0 a run never reaches the goal; --witness max shows one"
}

// goalText describes a goal; election is the event that declares a leader, "" if it is unknown.
func goalText(until, election string) string {
	switch until {
	case "elected":
		if election != "" {
			return "elected: after the event " + election
		}
		return "elected: after the event that declares a leader"
	case "terminal":
		return "terminal: in a terminal state"
	}
	return until
}

// grid arranges the results with a line for each quantity and a column for each scheduler.
func grid(r *ringcheck.QuantifyReport) *document.Table {
	t := &document.Table{Align: "lr", Rows: [][]string{{""}}}
	column := map[string]int{}
	for _, result := range r.Results {
		if column[result.Scheduler] == 0 {
			column[result.Scheduler] = len(t.Rows[0])
			t.Rows[0] = append(t.Rows[0], result.Scheduler)
		}
		if last := t.Rows[len(t.Rows)-1]; last[0] != result.Name() || column[result.Scheduler] < len(last) {
			t.Add(result.Name())
		}
		last := &t.Rows[len(t.Rows)-1]
		*last = append(*last, valueText(&result.Value))
	}
	return t
}

// curveUnit returns the reward that the numbers of the curves limit, "" for steps.
func curveUnit(r *ringcheck.QuantifyReport) string {
	for _, result := range r.Results {
		if result.Within != nil {
			return result.Unit
		}
	}
	return ""
}

// curves returns a curve for each scheduler; with all of them, the curve of the uniform one, and the others as a band.
func curves(r *ringcheck.QuantifyReport) []figure.Curve {
	points := map[string][]figure.Point{}
	for _, result := range r.Results {
		if result.Within != nil {
			point := figure.Point{Steps: *result.Within, Low: float64(result.Low), High: float64(result.High)}
			points[result.Scheduler] = append(points[result.Scheduler], point)
		}
	}
	uniform, least, greatest := prob.Uniform.String(), prob.Min.String(), prob.Max.String()
	if len(points) == len(ringcheck.Choices("scheduler"))-1 {
		return []figure.Curve{
			{Name: uniform, Points: points[uniform], Least: points[least], Greatest: points[greatest]},
		}
	}
	var list []figure.Curve
	for name, p := range points {
		list = append(list, figure.Curve{Name: name, Points: p})
	}
	return list
}

package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
	"ringcheck/results/sweep"
)

// probability is the sub-command prob.
type probability struct {
	job
	until     string
	within    []int
	rewards   []string
	scheduler string
	precision float64
	exact     bool
	export    outFile
	plot      outFile
	witness   string
}

func (a *app) probCommand() *cobra.Command {
	p := &probability{job: a.job()}
	cmd := a.command("prob", p.work(p.run, p.validate))
	p.protocol.files = exchange.Formats()
	p.protocol.register(a, cmd)
	p.search.register(cmd)
	p.search.registerReduce(cmd)
	p.search.registerSymmetry(cmd)
	flags := cmd.Flags()
	flags.StringVar(&p.until, "until", "", "the `GOAL`: elected, terminal, or an expression such as 'leader happens "+
		"or terminal' (default: elected, but terminal if no event declares a leader)")
	flags.Func("within", "the probability of reaching the goal within these numbers of `STEPS`, such as 25,50,100 or "+
		"0..200", p.setWithin)
	flags.StringSliceVar(&p.rewards, "reward", nil, "the expected reward until the goal, `NAMES`: steps, messages, or "+
		"what the spec declares")
	choice(cmd, &p.scheduler, "scheduler", "WHO", ringcheck.Choices("scheduler"), "decides between choices, %s")
	flags.Float64Var(&p.precision, "precision", 1e-10, "the greatest `WIDTH` of an interval; relative to its value if "+
		"that is above 1")
	flags.BoolVar(&p.exact, "exact", false, "compute exact rational numbers; the states are lumped first")
	flags.BoolVar(&p.search.opt.Strict, "strict", false,
		"refuse a file of which something would be assumed, such as probabilities that do not add up to exactly 1")
	flags.StringVar(&p.witness, "witness", "", "show a run with the greatest or the least reward, `WHICH`: max or "+
		"min; without --reward, of messages")
	offer(cmd, "witness", []string{"max", "min"})
	p.file(cmd, &p.plot, "plot", "draw the probabilities of --within into `FILE`, by its ending .svg or "+
		".csv", ".svg", ".csv")
	p.file(cmd, &p.export, "export", "write the process up to the goal to `FILE`, by its ending .umb (UMB, for PRISM "+
		"and Storm) or .tra (PRISM, with .lab and .trew)", exchange.Formats()...)
	p.form.register(cmd)
	return cmd
}

func (p *probability) run(cmd *cobra.Command) error {
	sys, err := p.protocol.system()
	if err != nil {
		return err
	}
	p.warn(sys.Spec)
	watch := newProgress(p.app)
	defer watch.clear()
	ctx := cmd.Context()
	ask := ringcheck.Questions{
		Until: p.until, Within: p.within, Rewards: p.rewards, Scheduler: p.scheduler,
		Precision: p.precision, Exact: p.exact, Witness: p.witness,
		Process: func(m *prob.MDP) error {
			watch.clear()
			if p.export.path == "" {
				return nil
			}
			return writeProcess(ctx, "--export", p.export.path, m, p.exact)
		},
	}
	r, err := ringcheck.Quantify(ctx, sys, ask, p.search.options(watch))
	if err != nil {
		return err
	}
	watch.clear()
	return p.report(r)
}

// report prints the report, and draws the curves of --plot.
func (p *probability) report(r *ringcheck.Quantified) error {
	text := quantifiedText(r)
	if r.Witness != nil {
		var b strings.Builder
		if err := r.Witness.Run.Write(&b, textFormat); err != nil {
			return err
		}
		text += "\n" + b.String()
	}
	if err := cmp.Or(p.form.publish(r, text), unfinished(&r.Ending)); err != nil {
		return err
	}
	return p.savePlot(r)
}

// validate reports values that make no sense.
func (p *probability) validate(flags *pflag.FlagSet) error {
	if err := cmp.Or(p.protocol.refuse(flags), oneOf("symmetry", string(p.search.opt.Symmetry), ringcheck.Choices("symmetry")),
		oneOf("scheduler", p.scheduler, ringcheck.Choices("scheduler"))); err != nil {
		return err
	}
	switch {
	case !(p.precision > 0 && p.precision < 1):
		return wrongRequestf("--precision %v: want a number between 0 and 1", p.precision)
	case p.witness != "" && p.witness != prob.Max.String() && p.witness != prob.Min.String():
		return wrongRequestf("--witness %s: want max or min", p.witness)
	case p.witness != "" && len(p.rewards) > 1:
		return wrongRequestf("--witness shows a run for one reward: give --reward once")
	case p.plot.path != "" && len(p.within) == 0:
		return wrongRequestf("--plot needs --within")
	}
	return nil
}

// maxSteps is the largest number of steps that can be asked for.
const maxSteps = 1_000_000

// setWithin reads the numbers of steps of --within.
func (p *probability) setWithin(text string) error {
	words, err := sweep.Expand(text)
	if err != nil {
		return err
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > maxSteps {
			return fmt.Errorf("want numbers of steps from 0 to %d", maxSteps)
		}
		p.within = append(p.within, n)
	}
	slices.Sort(p.within)
	p.within = slices.Compact(p.within)
	return nil
}

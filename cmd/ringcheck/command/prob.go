package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/machine"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
)

// probability is the sub-command prob.
type probability struct {
	job
	until     string
	within    stepList
	curve     stepRange
	rewards   []string
	scheduler string
	precision float64
	exact     bool
	export    outFile
	plot      outFile
	witness   string
	began     time.Time
}

// everyone is the value of --scheduler for all of them.
const everyone = "all"

func schedulers() []string {
	return []string{everyone, prob.Uniform.String(), prob.Min.String(), prob.Max.String()}
}

func (a *app) probCommand() *cobra.Command {
	p := &probability{job: a.job(), began: time.Now()}
	cmd := a.command("prob", p.work(p.run, p.validate))
	p.protocol.files = exchange.Formats()
	p.protocol.register(a, cmd)
	p.search.register(cmd)
	p.search.registerReduce(cmd)
	p.search.registerSymmetry(cmd, turnings)
	flags := cmd.Flags()
	flags.StringVar(&p.until, "until", "", "the `GOAL`: elected, terminal, or an expression such as 'leader happens or terminal' (default: elected, but terminal if no event declares a leader)")
	flags.Func("within", "the probability of reaching the goal within these numbers of `STEPS`, such as 25,50,100", p.within.set)
	flags.Func("curve", "the same for all numbers of steps in a `RANGE`, such as 0..200", p.curve.set)
	flags.StringSliceVar(&p.rewards, "reward", nil, "the expected reward until the goal, `NAMES`: steps, messages, or what the spec declares")
	choice(cmd, &p.scheduler, "scheduler", "WHO", schedulers(), "decides between choices, %s")
	flags.Float64Var(&p.precision, "precision", 1e-10, "the greatest `WIDTH` of an interval; relative to its value if that is above 1")
	flags.BoolVar(&p.exact, "exact", false, "compute exact rational numbers; the states are lumped first")
	flags.StringVar(&p.witness, "witness", "", "show a run with the greatest or the least reward, `WHICH`: max or min; without --reward, of messages")
	must(cmd.RegisterFlagCompletionFunc("witness", cobra.FixedCompletions([]string{"max", "min"}, cobra.ShellCompDirectiveNoFileComp)))
	p.file(cmd, &p.plot, "plot", "draw the probabilities of --within and --curve into `FILE`, by its ending .svg or .csv", ".svg", ".csv")
	p.file(cmd, &p.export, "export", "write the process up to the goal to `FILE`, by its ending .umb (UMB), .tra (PRISM, with .lab and .trew) or .drn (Storm); or the protocol itself in PRISM's language, .prism",
		append(exchange.Formats(), exchange.Language)...)
	p.form.register(cmd)
	noFiles(cmd, "until", "within", "curve", "reward", "precision")
	return cmd
}

func (p *probability) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if p.protocol.spec == nil {
		return p.runFile(ctx)
	}
	sys, goal, err := p.instantiate()
	if err != nil {
		return err
	}
	rewards, err := p.chosenRewards(sys.Protocol())
	if err != nil {
		return err
	}
	if rewards, err = p.reducible(goal, rewards); err != nil {
		return err
	}
	p.warn(p.protocol.spec)
	r := &probable{
		Spec: sys.Name, Params: sys.Params(), Options: sys.Options(), Symmetry: string(p.search.opt.Symmetry),
		until: p.goal(sys.Protocol()), election: ringcheck.Election(sys.Protocol()), Results: []probableResult{},
	}
	if p.reduced() {
		r.Reduced = string(p.search.opt.Reduction)
	}
	m, goals, err := p.process(ctx, r, sys, goal, rewards)
	if m == nil {
		return err
	}
	if err := p.attain(ctx, r, sys); err != nil {
		return err
	}
	return p.answer(ctx, r, m, goals[0])
}

// answer answers what is asked about a process.
func (p *probability) answer(ctx context.Context, r *probable, m *prob.MDP, goal prob.Goal) error {
	problem, err := prob.Prepare(ctx, m, goal)
	if err != nil {
		return p.early(ctx, r, err)
	}
	if p.export.path != "" && !p.modules() {
		if err := writeProcess(ctx, "--export", p.export.path, problem.Process(m, goalLabel(r.until)), p.exact); err != nil {
			return err
		}
	}
	return p.report(ctx, r, problem.Ask(ctx, p.queries(m), prob.Options{Precision: p.precision, Exact: p.exact}))
}

// modules reports whether --export asks for the protocol itself.
func (p *probability) modules() bool { return p.export.ending() == exchange.Language }

// validate reports values that make no sense.
func (p *probability) validate(*pflag.FlagSet) error {
	if err := cmp.Or(oneOf("symmetry", string(p.search.opt.Symmetry), turnings), oneOf("scheduler", p.scheduler, schedulers())); err != nil {
		return err
	}
	const whole = "contradict each other: a module for each process makes the whole system"
	switch {
	case !(p.precision > 0 && p.precision < 1):
		return wrongRequestf("--precision %v: want a number between 0 and 1", p.precision)
	case p.witness != "" && p.witness != prob.Max.String() && p.witness != prob.Min.String():
		return wrongRequestf("--witness %s: want max or min", p.witness)
	case p.witness != "" && len(p.rewards) > 1:
		return wrongRequestf("--witness shows a run for one reward: give --reward once")
	case p.modules() && p.reduced():
		return wrongRequestf("--export %s and --reduce %s %s", p.export.path, p.search.opt.Reduction, whole)
	case p.modules() && p.search.opt.Symmetry.String() != ringcheck.NoSymmetry.String():
		return wrongRequestf("--export %s and --symmetry %s %s", p.export.path, p.search.opt.Symmetry, whole)
	case p.plot.path != "" && !p.bounded():
		return wrongRequestf("--plot needs --curve or --within")
	}
	return nil
}

// goal returns the goal as it was given, or the default.
func (p *probability) goal(instance *ir.Protocol) string {
	switch {
	case p.until != "":
		return p.until
	case ringcheck.Election(instance) != "":
		return ringcheck.UntilElected
	}
	return ringcheck.UntilTerminal
}

// instantiate returns the protocol, and the goal as a formula.
func (p *probability) instantiate() (*ringcheck.System, *ir.Formula, error) {
	sys, err := p.protocol.system()
	if err != nil {
		return nil, nil, err
	}
	sys, goals, err := p.protocol.spec.WithGoals([]string{p.goal(sys.Protocol())}, p.protocol.given)
	if err != nil {
		return nil, nil, wrongRequestf("--until %s: %w", p.until, err)
	}
	return sys, goals[0], nil
}

// chosenRewards returns the rewards that --reward names: by default steps and messages, unless other things are asked for.
func (p *probability) chosenRewards(instance *ir.Protocol) ([]*ir.Reward, error) {
	names := p.rewards
	if len(names) == 0 && !p.bounded() {
		names = []string{"steps", "messages"}
	}
	var chosen []*ir.Reward
	for _, name := range names {
		i := slices.IndexFunc(instance.Rewards, func(r *ir.Reward) bool { return r.Name == name })
		if i < 0 {
			var known []string
			for _, r := range instance.Rewards {
				known = append(known, r.Name)
			}
			return nil, wrongRequestf("--reward %s: want %s", name, strings.Join(known, " or "))
		}
		chosen = append(chosen, instance.Rewards[i])
	}
	return chosen, nil
}

// bounded reports whether probabilities within a number of steps are asked for.
func (p *probability) bounded() bool { return len(p.within) > 0 || p.curve.given }

// process explores the protocol and returns it as a process. If it does not come to that, it reports why.
func (p *probability) process(ctx context.Context, r *probable, sys *ringcheck.System, goal *ir.Formula, rewards []*ir.Reward) (*prob.MDP, []prob.Goal, error) {
	watch := newProgress(p.app)
	defer watch.clear()
	small, err := sys.Prepare(ctx, p.search.options(watch))
	if err != nil {
		return nil, nil, p.early(ctx, r, err)
	}
	if small.Searched != small.System {
		if ringcheck.SymmetricGoal(small.System, goal) != nil {
			return nil, nil, wrongRequestf("--symmetry %s: --until %s tells processes apart by their numbers", small.Symmetry, r.until)
		}
	}
	asked := prob.Protocol{System: small.System, Searched: small.Searched, Actions: small.Actions, Goals: []*ir.Formula{goal}, Rewards: rewards}
	m, goals, result, err := asked.Process(ctx, small.Search)
	watch.clear()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, p.early(ctx, r, err)
	case err != nil:
		return nil, nil, p.processError(err)
	}
	r.States = ringcheck.Count(result.Stored)
	if r.Ending, err = small.Ending(result); err != nil {
		return nil, nil, err
	}
	if m == nil {
		return nil, nil, cmp.Or(p.publish(r), unfinished(&r.Ending))
	}
	r.States, r.Choices, r.Branches = ringcheck.Count(m.States()), ringcheck.Count(m.Choices()), ringcheck.Count(m.Branches())
	p.note(fmt.Sprintf("%s states, %s choices, %s branches after %.3f s", comma(r.States), comma(r.Choices), comma(r.Branches), time.Since(p.began).Seconds()))
	if p.reduced() && len(rewards) > 0 && !small.Told() {
		if len(p.rewards) > 0 {
			return nil, nil, wrongRequestf("--reduce %s: it lets processes act before the first step, or right behind a visible event, and does not say what they earn by it", p.search.opt.Reduction)
		}
		m.Rewards = nil
	}
	if err := p.exportModules(ctx, small, r.until, &asked); err != nil {
		return nil, nil, p.early(ctx, r, err)
	}
	return m, goals, nil
}

// early ends the work where err did: if that was a deadline or an interrupt, what there is is reported.
func (p *probability) early(ctx context.Context, r *probable, err error) error {
	if err := r.Ending.Stop(ctx, err); err != nil {
		return err
	}
	return cmp.Or(p.publish(r), r.Err())
}

// processError gives the error of a process that could not be made its exit status.
func (p *probability) processError(err error) error {
	var bad *prob.GoalError
	var fault *ir.Error
	switch {
	case errors.As(err, &bad):
		return wrongRequestf("--until %s: %s", p.until, bad.Reason)
	case errors.Is(err, prob.ErrTooLarge):
		return stopped(err)
	case errors.As(err, &fault):
		return wrongRequest(err)
	}
	return err
}

// queries returns what is asked, in the order in which it is shown.
func (p *probability) queries(m *prob.MDP) []prob.Query {
	var list []prob.Query
	add := func(q prob.Query) {
		for _, q.Scheduler = range []prob.Scheduler{prob.Uniform, prob.Min, prob.Max} {
			if p.scheduler == everyone && !(p.reduced() && q.Scheduler == prob.Uniform) || p.scheduler == q.Scheduler.String() {
				list = append(list, q)
			}
		}
	}
	if !p.bounded() && len(p.rewards) == 0 {
		add(prob.Query{Within: -1})
	}
	for _, t := range p.steps() {
		add(prob.Query{Within: t})
	}
	for i := range m.Rewards {
		add(prob.Query{Reward: &m.Rewards[i], Within: -1})
	}
	return list
}

// steps returns the numbers of steps that --within and --curve ask for.
func (p *probability) steps() []int {
	list := slices.Clone([]int(p.within))
	for t := p.curve.first; p.curve.given && t <= p.curve.last; t++ {
		list = append(list, t)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// report reports the answers.
func (p *probability) report(ctx context.Context, r *probable, answers []prob.Answer) error {
	r.curve = p.curve.given
	failure := error(nil)
	for _, a := range answers {
		r.add(a)
		var wide *prob.ErrPrecision
		switch {
		case errors.As(a.Err, &wide):
			r.Complete, r.Stopped = false, "precision"
			failure = stopped(fmt.Errorf("stopped before the end: %s: %w", newProbableResult(r.until, a).name(), wide))
		case errors.Is(a.Err, prob.ErrExact), errors.Is(a.Err, prob.ErrSingular):
			return wrongRequestf("--exact: %s: %w", newProbableResult(r.until, a).name(), a.Err)
		case a.Err != nil:
			failure = cmp.Or(r.Ending.Stop(ctx, a.Err), r.Err())
		}
	}
	if err := cmp.Or(p.publish(r), failure); err != nil {
		return err
	}
	return p.savePlot(r)
}

// publish prints the report.
func (p *probability) publish(r *probable) error {
	r.Seconds, r.PeakRSSBytes = time.Since(p.began).Round(time.Millisecond).Seconds(), machine.PeakRSS()
	text := r.text()
	if r.run != nil {
		var b strings.Builder
		if err := r.run.WriteText(&b, false); err != nil {
			return err
		}
		text += "\n" + b.String()
	}
	return p.form.publish(r, text)
}

// reduced reports whether --reduce leaves out steps.
func (p *probability) reduced() bool {
	return p.search.opt.Reduction.String() != ringcheck.NoReduction.String()
}

// reducible refuses what a reduction by confluence does not keep, and returns the rewards that are left to ask for.
//
// It keeps which events happen and which states are terminal, whatever schedulers can make of it: least and greatest probabilities. It leaves out
// orders of steps, so that their number up to an event changes, and choices, so that the uniform scheduler becomes another. In every run that comes to its end
// the same is done as without it, so that least and greatest rewards until terminal stay as they are, where it says what it has composed. The proof is in the
// documentation of package confluence.
func (p *probability) reducible(goal *ir.Formula, rewards []*ir.Reward) ([]*ir.Reward, error) {
	if !p.reduced() {
		return rewards, nil
	}
	kind := p.search.opt.Reduction
	earns := kind == ringcheck.Confelm && goal.Op == ir.TerminalAtom
	switch {
	case !ofEvents(goal):
		return nil, wrongRequestf("--reduce %s: it keeps which events happen and which states are terminal, and %s is about states on the way", kind, p.until)
	case p.bounded():
		return nil, wrongRequestf("--reduce %s: it leaves out steps, and --within and --curve are about their number", kind)
	case p.scheduler == prob.Uniform.String():
		return nil, wrongRequestf("--reduce %s: it leaves out choices, of which the uniform scheduler takes each with equal probability: choose min or max", kind)
	case p.witness != "":
		return nil, wrongRequestf("--reduce %s: --witness shows a run of the whole system", kind)
	case len(p.rewards) > 0 && !earns:
		return nil, wrongRequestf("--reduce %s: it leaves out steps and what they earn; what is earned until terminal it keeps with %s", kind, ringcheck.Confelm)
	case !earns:
		return nil, nil
	}
	return rewards, nil
}

// ofEvents reports whether a goal is a disjunction of events and terminal.
func ofEvents(goal *ir.Formula) bool {
	switch goal.Op {
	case ir.EventAtom, ir.TerminalAtom:
		return true
	case ir.Disjunction:
		return ofEvents(goal.X) && ofEvents(goal.Y)
	}
	return false
}

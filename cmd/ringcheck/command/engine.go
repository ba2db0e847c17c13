package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/symbolic"
	"ringcheck/verify"
)

// engine is which engine finds the reachable states, and how.
type engine struct {
	name     string
	strategy string
}

// engines are the choices, the default first.
var engines = []string{string(ringcheck.Explicit), string(ringcheck.Symbolic), auto}

// auto is the explicit engine, and advice about the other one.
const auto = "auto"

// strategies are those of the symbolic engine, the default first.
var strategies = []symbolic.Strategy{symbolic.Saturation, symbolic.Chaining, symbolic.BreadthFirst}

func (e *engine) register(cmd *cobra.Command) {
	var names []string
	for _, s := range strategies {
		names = append(names, s.String())
	}
	choice(cmd, &e.name, "engine", "KIND", engines, "of engine, %s: visit states one by one; work with sets of them as decision diagrams; visit them, and say whether the other would be better")
	choice(cmd, &e.strategy, "strategy", "KIND", names, "of strategy of the symbolic engine, %s; the last one tells the levels")
}

// validate reports values that make no sense.
func (e *engine) validate(flags *pflag.FlagSet) error {
	if !slices.Contains(engines, e.name) {
		return wrongRequestf("--engine %s: want %s", e.name, strings.Join(engines, " or "))
	}
	switch {
	case e.chosen() < 0:
		return wrongRequestf("--strategy %s: want one of %v", e.strategy, strategies)
	case flags.Changed("strategy") && !e.symbolic():
		return wrongRequestf("--strategy is that of --engine %s", ringcheck.Symbolic)
	}
	return nil
}

// chosen returns the place of the strategy among strategies, -1 if there is none of that name.
func (e *engine) chosen() int {
	return slices.IndexFunc(strategies, func(s symbolic.Strategy) bool { return s.String() == e.strategy })
}

func (e *engine) symbolic() bool { return e.name == string(ringcheck.Symbolic) }

// advise says, with --engine auto, whether the symbolic engine would have been the better choice.
func (e *engine) advise(ctx context.Context, a *app, sys *ringcheck.System, opt ringcheck.Options) error {
	if e.name != auto {
		return nil
	}
	advice, err := ringcheck.Advise(ctx, sys, opt)
	if err == nil && advice != nil && (advice.Symbolic || a.verbose) && !a.quiet {
		fmt.Fprintf(a.stderr, "ringcheck: %v\n", advice)
	}
	return err
}

// options returns how to search, and shows the progress.
func (e *engine) options(w *progress) ringcheck.SymbolicOptions {
	opt := ringcheck.SymbolicOptions{Strategy: strategies[e.chosen()]}
	if !w.app.quiet {
		opt.Progress = w.showSymbolic
	}
	return opt
}

// symbolically explores with decision diagrams.
func (e *exploration) symbolically(ctx context.Context, sys *ringcheck.System) error {
	watch := newProgress(e.app)
	r, err := ringcheck.ExploreSymbolically(ctx, sys, e.engine.options(watch), e.search.options(watch))
	watch.clear()
	if err != nil {
		return err
	}
	if err := e.publish(r, symbolicText(r)); err != nil || r.Complete {
		return err
	}
	return r.Err()
}

// symbolicText returns a report for people.
func symbolicText(r *ringcheck.SymbolicReport) string {
	var b strings.Builder
	writeHead(&b, r.Title(), &r.Ending, lowerBounds)
	writeReduction(&b, &r.Subject, 0)
	writeRows(&b, symbolicRows(r))
	return b.String()
}

// symbolicRows are the rows of what a symbolic search has found and taken.
func symbolicRows(r *ringcheck.SymbolicReport) []row {
	rows := []row{
		{"states", exactly(r.States), ""},
		{"transitions", exactly(r.Transitions), ""},
		{"terminal states", exactly(r.TerminalStates), ""},
	}
	if r.EnvironmentOnlyStates.Sign() > 0 {
		rows = append(rows, row{"environment only", exactly(r.EnvironmentOnlyStates), ""})
	}
	if r.Levels != nil {
		rows = append(rows, row{"levels", comma(*r.Levels), ""})
	}
	return append(append(rows, []row{
		{"nodes", comma(uint64(r.Nodes)), ""},
		{"arcs", comma(uint64(r.Arcs)), ""},
		{"peak nodes", comma(uint64(r.PeakNodes)), ""},
		{"workers", comma(r.Workers), ""},
	}...), spentRows(r.Seconds, r.PeakRSSBytes)...)
}

// symbolically checks with decision diagrams.
func (v *verification) symbolically(ctx context.Context, sys *ringcheck.System) error {
	watch := newProgress(v.app)
	r, err := ringcheck.CheckSymbolically(ctx, sys, v.engine.options(watch), v.search.options(watch))
	watch.clear()
	if err != nil {
		return err
	}
	list := make([]judgement, len(r.Properties))
	for i := range list {
		list[i] = judgement{&r.Properties[i].Verdict, symbolicNumbers(&r.Properties[i], r.EnvironmentOnlyStates.Sign() > 0)}
	}
	if err := v.junit.save(checkSuite(&r.Subject, &r.Ending, list, r.Seconds).Write); err != nil {
		return err
	}
	text := verdictText(&r.Subject, &r.Ending, list, 0, symbolicRows(&r.SymbolicReport))
	return cmp.Or(v.publish(r, text), v.conclude(list, r.Holds, nil, r.Err()))
}

// symbolicNumbers says in words how many states decide.
func symbolicNumbers(p *ringcheck.SymbolicVerdict, environment bool) string {
	if p.States == nil || p.States.Sign() == 0 {
		return ""
	}
	noun := judgedStates(p.Kind, environment)
	if !p.States.IsInt64() || p.States.Int64() != 1 {
		noun += "s"
	}
	what := exactly(*p.States) + " " + noun
	if p.Outcome() == verify.Violated && p.TraceLength != nil {
		what += ", the first after " + countOf(*p.TraceLength, "step")
	}
	return what
}

// exactly writes a number of any size with thousands separators.
func exactly(n ringcheck.Number) string { return humanize.BigComma(n.Int) }

// showSymbolic is show for a symbolic search.
func (p *progress) showSymbolic(now symbolic.Progress) {
	line := fmt.Sprintf("states at least %s  nodes %s  memory %s", humanize.BigComma(now.States), comma(uint64(now.Nodes)), humanize.IBytes(now.Bytes))
	if now.Level > 0 {
		line = fmt.Sprintf("level %d  %s", now.Level, line)
	}
	p.say(line)
}

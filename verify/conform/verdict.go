package conform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
	"ringcheck/view"
)

// recordHypotheses records the hypotheses after the last event that is explained.
func (c *checker) recordHypotheses(t *tracker) error {
	c.report.EventsExplained += t.lines
	c.report.Hypotheses = len(t.hypotheses)
	if len(t.hypotheses) == 0 { // the tracker has not begun
		c.complete = false
		return nil
	}
	if m := c.network.openStart; m != nil && slices.ContainsFunc(statesOf(t.hypotheses), m.open) {
		c.complete = false
	}
	byAll, bySome := t.violatedInvariants()
	c.violatedBySome |= bySome
	c.violatedByAll |= byAll
	c.complete = c.complete && t.complete()
	if !c.Run {
		return nil
	}
	return c.recordRun(t.hypotheses[0].run())
}

// recordInvariants records the verdicts on the invariants.
func (c *checker) recordInvariants() {
	c.report.AllHypotheses = c.complete
	for i, p := range c.invariants.properties {
		holds := c.violatedBySome>>i&1 == 0
		certain := c.violatedByAll>>i&1 != 0
		if holds {
			certain = c.complete && !c.invariants.skippedStates
		}
		verdict := Property{Name: p.Name, Holds: &holds, Certain: certain}
		if e := c.invariants.errors[i]; e != nil {
			verdict.EvalError, verdict.invalid = e.ModelError(), e
			if holds {
				verdict.Holds, verdict.Certain = nil, false
			}
		}
		c.report.Properties = append(c.report.Properties, verdict)
	}
}

// runDFS runs a search and records its result: the run that explains the trace, or the conflict. The trace follows the
// checkpoints of a tracker, if that is not nil.
func (c *checker) runDFS(ctx context.Context, d *dfs, followed *tracker) error {
	d.canonical, d.followed = !d.trace.observesStates(), followed
	initial, err := c.initialFrom(followed)
	if err != nil {
		return err
	}
	d.progress = func(visited int) {
		c.reportProgress(func() int { return d.trace.lines(d.stack[len(d.stack)-1].configuration.cut) }, visited)
	}
	start, path, err := d.search(ctx, initial)
	d.visited = nil // other searches follow
	if err != nil {
		if errors.Is(err, errUnexplained) {
			c.reportConflict(ctx, d, initial)
		}
		c.report.EventsExplained += d.linesExplained()
		path, start = d.best.path, d.best.start
	} else {
		c.report.EventsExplained += d.linesExplained()
		c.report.Hypotheses = 1
	}
	if start == nil {
		return err
	}
	c.evaluateRun(ctx, start, path)
	if err == nil {
		c.findCertainViolations(ctx, d, initial)
	}
	if !c.Run {
		return err
	}
	return errors.Join(err, c.recordRun(start, path))
}

// evaluateRun evaluates the invariants along one run of several.
func (c *checker) evaluateRun(ctx context.Context, start []model.Value, path []move) {
	c.violatedBySome |= c.invariants.violatedBy(start, c.network)
	for i := range path {
		if ctx.Err() != nil { // in a large network states take long
			c.invariants.skippedStates = true
			break
		}
		c.violatedBySome |= c.invariants.violatedBy(path[i].after, c.network)
	}
	c.complete = false
}

// findCertainViolations determines the invariants that all runs that explain a trace violate: no run avoids the states
// that violate them. The searches are short, so it may miss some.
func (c *checker) findCertainViolations(ctx context.Context, found *dfs, initial [][]model.Value) {
	c.network.fullExpansion = true // persistent sets preserve events, but not states
	defer func() { c.network.fullExpansion = false }()
	for i := range c.invariants.properties {
		if c.violatedBySome>>i&1 == 0 || c.violatedByAll>>i&1 != 0 {
			continue
		}
		d := c.newDFS(found.trace)
		d.limit, d.abstractionLimit, d.abstraction = workForAll/c.sys.Protocol().N, 0, found.abstraction
		d.avoid = func(state []model.Value) bool { return c.invariants.violatedBy(state, c.network)>>i&1 != 0 }
		if _, _, err := d.search(ctx, initial); errors.Is(err, errUnexplained) {
			c.violatedByAll |= 1 << i
		}
	}
}

// expected returns the events of a process, or of anyProcess, that are possible in some of the states in place of a
// wrong event, without duplicates.
func (c *checker) expected(states [][]model.Value, process int, wrong *pattern) Alternatives {
	if wrong.isState {
		return c.expectedStates(states, wrong)
	}
	all := Alternatives{}
	listed := make(map[model.Label]bool)
	observable := func(label model.Label) (int, bool) { return -1, !c.network.isInternal(label) }
	for _, state := range states {
		moves, _ := c.network.moves(nil, state, process, observable) // an error leaves out moves
		for i := 0; i < len(moves); i++ {
			m := moves[i]
			if m.group == initialization {
				moves, _ = c.network.moves(moves, m.after, m.process, observable)
			}
			if m.group >= 0 && !listed[m.step.Label] && !wrong.matches(c.sys, m.step.Label) {
				listed[m.step.Label] = true
				all = append(all, c.network.eventOf(m.step.Label))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

// expectedStates returns the local states of a process in some states, without duplicates: the control point and those
// variables that a wrong event about it names, if they are live.
func (c *checker) expectedStates(states [][]model.Value, wrong *pattern) Alternatives {
	all := Alternatives{}
	listed := make(map[string]bool)
	for _, state := range states {
		e := c.network.localEvent(state[c.sys.SlotOfProcess(wrong.process)], wrong.process)
		maps.DeleteFunc(e.Vars, func(name string, _ any) bool {
			return !slices.ContainsFunc(wrong.vars, func(values map[*ir.Var]int64) bool {
				for v := range values {
					return v.Name == name
				}
				return false
			})
		})
		if text := e.String(); e.At != "" && !listed[text] {
			listed[text] = true
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

// recordRun records the run that consists of moves from a state, after the semantics has replayed it.
func (c *checker) recordRun(start []model.Value, path []move) error {
	moves, _, err := c.network.systemRun(start, path)
	if err != nil {
		return err
	}
	unlogged := []bool{false}
	for _, m := range path {
		if m.group >= 0 {
			unlogged = append(unlogged, m.event < 0)
		}
	}
	finding := fmt.Sprintf("a run that explains %s", printable.Count(c.report.EventsExplained, "event"))
	if err := verify.Repeat(c.sys, moves); err != nil {
		return fmt.Errorf("a run of %s cannot be replayed: %w", c.report.Spec, err)
	}
	c.report.Run = &view.Run{Name: c.report.Spec, Title: c.report.Title(), Finding: finding, Moves: moves,
		Unlogged: unlogged, System: c.sys}
	return nil
}

package command

import (
	"ringcheck"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
)

// reduced reports whether --reduce leaves out steps.
func (p *probability) reduced() bool {
	return p.search.opt.Reduction.String() != ringcheck.NoReduction.String()
}

// reducible refuses what a reduction by confluence does not keep, and returns the rewards that are left to ask for.
//
// It keeps which events happen and which states are terminal, whatever schedulers can make of it: least and greatest probabilities. It leaves out
// orders of steps, so that their number up to an event changes, and choices, so that the uniform scheduler becomes another. In every run that comes to its end
// the same is done as without it, so that least and greatest rewards until terminal stay as they are, where it says what it has composed.
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

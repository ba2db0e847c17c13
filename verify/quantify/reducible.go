package quantify

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
)

// reducible refuses what a reduction by confluence does not preserve. Rewards that were not asked for by name are
// dropped instead.
//
// The reduction preserves which events happen and which states are terminal, and with them least and greatest
// probabilities. It leaves out interleavings, which changes the number of steps before an event, and choices, which
// changes the uniform scheduler. Every run to a terminal state takes the same actions as without the reduction, so
// least and greatest rewards until terminal are preserved if the reduction records which steps it composed. Package
// confluence has the proof.
func (q *query) reducible() error {
	kind := string(q.search.Reduction)
	if q.Witness != "" {
		return model.Refuse("reduce", kind, "--witness shows a run of the whole system")
	}
	for i, goal := range q.sys.Protocol.Goals {
		if !ofEvents(goal) {
			return model.Refuse("reduce", kind,
				"it preserves events and terminal states, and %s is about other states",
				q.until[i])
		}
	}
	for _, a := range q.queries {
		goal := q.sys.Protocol.Goals[slices.Index(q.until, a.Until)]
		earns := q.search.Reduction == reduce.Confelm && goal.Op == ir.TerminalAtom
		switch {
		case a.Within != nil:
			return model.Refuse("reduce", kind, "it leaves out steps, and --within depends on their number")
		case a.Scheduler == prob.Uniform.String():
			return model.Refuse("reduce", kind,
				"it leaves out choices, of which the uniform scheduler takes each with equal probability: "+
					"choose min or max")
		case a.Reward != "" && !earns && q.hasChoice():
			return model.Refuse("reduce", kind,
				"it leaves out steps and their rewards; rewards until terminal are preserved with %s", reduce.Confelm)
		case a.Reward != "" && !earns:
			q.dropRewards()
			return nil
		}
	}
	return nil
}

// hasChoice reports whether rewards were asked for by name.
func (q *query) hasChoice() bool { return len(q.Rewards)+len(q.Quantities) > 0 }

// dropRewards drops the rewards from the questions.
func (q *query) dropRewards() {
	q.rewards, q.queries = nil, slices.DeleteFunc(q.queries, func(a Quantity) bool { return a.Reward != "" })
}

// ofEvents reports whether a goal is a disjunction of events and terminal.
func ofEvents(goal *ir.Formula) bool {
	switch goal.Op {
	case ir.EventAtom, ir.TerminalAtom:
		return true
	case ir.Disjunction:
		return ofEvents(goal.X) && ofEvents(goal.Y)
	case ir.StateAtom, ir.Negation, ir.Conjunction, ir.Implication, ir.Next, ir.Always, ir.Eventually, ir.Until,
		ir.Unless, ir.Releases:
	}
	return false
}

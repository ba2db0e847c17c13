package verify

import (
	"context"
	"sync"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// Why reduction by confluence preserves the verdicts.
//
// With Seen, a step of the set T of package confluence is inert: it is no event and changes the value of no body and of
// no atom of an LTL property. States that T joins are branching bisimilar and agree in these values. So the reduced
// system has a state with some values if the full system has one, and it is reachable from corresponding states: this
// determines invariants, reachable and recoverable properties. Terminal properties are preserved in any case, since T
// has no step from a terminal state.
//
// The proof in package confluence ("What schedulers can achieve") simulates every run of the full system, and with
// chances every scheduler, by one of the reduced system, and vice versa. The runs differ only in inert steps, finitely
// many before each other step. The letter of an inert step has no event and is otherwise the letter of the next step.
// So the verdict is the same if the formula is insensitive to such letters: ltl.Formula.Inert. No run is lost or
// truncated: cycles of steps of T remain as steps of a representative to itself.
//
// Fairness is not preserved. In the reduced system a process takes its steps of T at once: a state before such a step
// may be missing, and a process that can always act in the full system may be unable to act in some of the remaining
// states.

// Seen returns a function for confluence.Options that reports which steps are visible to a property that is not
// terminal; nil if all are terminal. The error is ctx's or wraps ErrTemporal.
func Seen(
	ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64,
) (_ func(before, after model.Value, moved bool) bool, err error) {
	defer effort.Catch(&err)
	var bodies []ir.Expr
	allTerminal := true
	for _, p := range properties {
		switch p.Kind.Scope {
		case property.Ends:
			continue
		case property.Runs:
			t, err := newTemporal(p, sys.Protocol())
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, t.predicates()...)
		case property.States:
			bodies = append(bodies, p.Body)
		}
		allTerminal = false
	}
	if allTerminal {
		return nil, nil
	}
	o := newObserver(ctx, Verifier{System: sys, Memory: memory}, bodies, nil, nil)
	channels := o.readsChannels()
	var classes []func(v model.Value) uint32 // by process: the class of its local state
	for p := range sys.Protocol().N {
		classes = append(classes, o.Leaf(sys.SlotOfProcess(p)))
	}
	var known sync.Map
	return func(before, after model.Value, moved bool) bool {
		if moved && channels {
			return true
		}
		if before == after {
			return false
		}
		step := [2]model.Value{before, after}
		if seen, ok := known.Load(step); ok {
			return seen.(bool)
		}
		seen := false
		for _, class := range classes { // the local state may belong to any process
			seen = seen || class(before) != class(after)
		}
		known.Store(step, seen)
		return seen
	}, nil
}

// readsChannels reports whether a term depends on the contents of a channel.
func (o *observer) readsChannels() bool {
	process := make([]bool, len(o.sys.Slots()))
	for p := range o.sys.Protocol().N {
		process[o.sys.SlotOfProcess(p)] = true
	}
	for _, t := range o.terms {
		for _, u := range t.uses {
			if _, slot := u.expr.(slotValue); slot && !process[u.span.first] {
				return true
			}
		}
	}
	return false
}

package verify

import (
	"context"
	"sync"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// Why a reduction by confluence keeps the verdicts.
//
// With Seen, a step of the set T of package confluence neither is an event nor changes the value of a body or of an
// atom of an LTL property: it is inert. Its claim is then that of states with these values: those that T joins are
// branching bisimilar and have the same ones. So the reduced system has a state with some values if the full system has
// one, and such a state can be reached from corresponding ones: that is what invariants, reachable and recoverable
// properties are about. Terminal properties are kept in any case, since T leaves a terminal state alone.
//
// As for runs, the proof there ("What schedulers can achieve") imitates every run of the full system by one of the
// reduced system, and the other way round, with chances every scheduler. All that the runs differ in is inert steps,
// finitely many before each other step. The letter of such a step has no event, and is otherwise that of the next one,
// since the values stay what they are. So the verdict is the same if the formula is one that does not see letters of
// that sort: ltl.Formula.Inert. No run is lost or cut off, for steps of T that go round for ever are kept as steps of a
// representative to itself.
//
// Fairness is not kept. In the reduced system a process takes its steps of T at once: one that would have been starved
// just before it acts again need not appear, and one that can act all the time in the full system need not be able to
// act in the states that are left.

// Seen returns a function for confluence.Options that says which steps change what a property is about, except for
// terminal ones; nil if there are no others. The error is that of ctx or wraps ErrTemporal.
func Seen(
	ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64,
) (_ func(before, after model.Value, moved bool) bool, err error) {
	defer effort.Catch(&err)
	var bodies []ir.Expr
	kept := true
	for _, p := range properties {
		switch p.Kind {
		case ir.Terminal:
			continue
		case ir.LTL:
			t, err := newTemporal(p, sys.Protocol())
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, t.predicates()...)
		default:
			bodies = append(bodies, p.Body)
		}
		kept = false
	}
	if kept {
		return nil, nil
	}
	o := newObserver(ctx, Subject{System: sys, Memory: memory}, bodies, nil, nil)
	channels := o.looksAtChannels()
	var told []func(v model.Value) uint32 // by process: the class of its local state
	for p := range sys.Protocol().N {
		told = append(told, o.Leaf(sys.SlotOfProcess(p)))
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
		for _, class := range told { // a local state may be that of any process
			seen = seen || class(before) != class(after)
		}
		known.Store(step, seen)
		return seen
	}, nil
}

// looksAtChannels reports whether a term depends on what is in a channel.
func (o *observer) looksAtChannels() bool {
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

// permitsReduced returns an error if p is an LTL property that a reduction does not decide.
func (s Subject) permitsReduced(p *ir.Property) error {
	if p.Kind != ir.LTL {
		return nil
	}
	t, err := newTemporal(p, s.System.Protocol())
	if err != nil {
		return err
	}
	if len(p.Temporal.Fair) > 0 {
		return t.refuse("it is about fair runs, and a reduction lets some processes act before others, " +
			"so that it is not known who is kept waiting")
	}
	if !t.formula.Inert(t.happenings()) {
		return t.refuse("its value may depend on how many steps there are in which nothing changes, as that of next does, " +
			"and a reduction leaves such steps out")
	}
	return nil
}

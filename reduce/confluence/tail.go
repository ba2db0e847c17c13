package confluence

import (
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A tail is the sequence of confluent τ's that follows a transition into a local state.
type tail struct {
	next     model.Value
	outcomes []compile.Outcome
	actions  uint32 // number of the sequence of actions; 0 is the empty one
}

// maxTail is the maximum length of a tail; longer sequences are not composed at all.
const maxTail = 1 << 10

// tails computes and caches the tails of local states.
type tails struct {
	sys       *compile.System
	analysis  *analysis
	cache     intern.Array[atomic.Pointer[tail]]
	sequences intern.Pairs // pairs of a sequence's number and the action that follows
}

func newTails(sys *compile.System, opt Options) *tails {
	opt.NoConflict = false
	return &tails{sys: sys, analysis: newAnalysis(sys, compiledBehaviour{sys}, opt)}
}

// of returns the tail that begins in l. A tail ends where a cycle begins, and is empty on a cycle: a process that can
// act for ever does so one step at a time.
func (t *tails) of(l model.Value) *tail {
	known := t.cache.At(l)
	if r := known.Load(); r != nil {
		return r
	}
	r := t.compute(l)
	known.Store(r)
	return r
}

func (t *tails) compute(l model.Value) *tail {
	place := map[model.Value]int{l: 0}
	r := &tail{next: l}
	for len(r.outcomes) <= maxTail {
		m, ok := t.outcome(r.next)
		if !ok {
			return t.setActions(r)
		}
		if i, seen := place[m.Next]; seen {
			r.outcomes = r.outcomes[:i]
			r.next = m.Next
			return t.setActions(r)
		}
		r.outcomes = append(r.outcomes, m)
		r.next = m.Next
		place[r.next] = len(r.outcomes)
	}
	return &tail{next: l}
}

// outcome returns the confluent τ that a process in l takes on its own.
func (t *tails) outcome(l model.Value) (compile.Outcome, bool) {
	outcomes, err := t.sys.OwnOutcomes(l)
	if err != nil || len(outcomes) == 0 || !t.analysis.confluent(transition{l, own}) {
		return compile.Outcome{}, false
	}
	m := outcomes[0]
	return m, foresees(t.sys.Local(l).Point, &m, t.sys.Local(m.Next).Point)
}

// setActions sets the number of r's sequence of actions.
func (t *tails) setActions(r *tail) *tail {
	for _, m := range r.outcomes {
		r.actions = t.sequences.Number(intern.Pair(r.actions, m.Action)) + 1
	}
	return r
}

// list returns the actions of a sequence.
func (t *tails) list(sequence uint32) []uint32 {
	if sequence == 0 {
		return nil
	}
	before, action := intern.Split(t.sequences.At(sequence - 1))
	return append(t.list(before), action)
}

// composedBehaviour is a behaviour whose transitions include their tails.
type composedBehaviour struct {
	compiledBehaviour
	tails *tails
}

func (c composedBehaviour) offer(l model.Value, s trigger) offer {
	o := c.compiledBehaviour.offer(l, s)
	for _, choice := range o.choices {
		for i := range choice {
			c.compose(&choice[i])
			if _, err := c.OwnOutcomes(choice[i].next); err != nil {
				o.fails = true
			}
		}
	}
	return o
}

func (c composedBehaviour) compose(o *outcome) {
	r := c.tails.of(o.next)
	for i := range r.outcomes {
		if r.outcomes[i].Target != compile.NoTarget {
			o.sends = append(o.sends, r.outcomes[i])
		}
	}
	o.next = r.next
}

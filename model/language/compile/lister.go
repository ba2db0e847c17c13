package compile

import (
	"math"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A lister lists the outcomes of a process where nothing is drawn, as numbers right away: without the lists of package
// step, which are the definition, and take ten times as long. It belongs to one goroutine at a time.
type lister struct {
	system   *System
	walker   *step.Walker
	visit    func(o *step.Outcome)
	outcomes []Outcome
	known    map[transition]bool // the transitions in outcomes, if they are many
	failed   bool                // whether an outcome has no number, for a reason that the definition tells
}

func newLister(s *System) *lister {
	t := &lister{system: s, walker: s.machine.NewWalker(s.protocol.NewEnv(nil), nil)}
	t.visit = t.add
	return t
}

// mayDraw reports whether a process may draw something before its next own action at a point.
func mayDraw(p *ir.Point) bool {
	for t := range ir.Beginnings(p.Term) {
		if d, ok := t.(*ir.Draw); ok && !d.Choose {
			return true
		}
	}
	return false
}

// list returns the distinct outcomes, each a choice of its own. They are valid until the next call. It is not ok if
// only the definition can tell them, or why there are none.
func (t *lister) list(l ir.Local, at step.Site, arrival *step.Arrival) (list []Outcome, ok bool) {
	t.outcomes, t.known, t.failed = t.outcomes[:0], nil, false
	ok, err := t.walker.Each(l, at, arrival, t.visit)
	return t.outcomes, ok && err == nil && !t.failed
}

// add adds an outcome unless it is known.
func (t *lister) add(o *step.Outcome) {
	s := t.system
	m := Outcome{
		Next: s.locals.number(o.Next), Choice: uint32(len(t.outcomes)), Target: NoTarget,
		Visible: o.Action.Kind == model.EventAction, Weight: model.Certain,
	}
	m.Writes = s.numberOfWrites(o.Writes)
	if o.Action.Message.Message != nil {
		m.Message = s.NumberOf(o.Action.Message)
	}
	if o.Action.Sends() {
		m.Target, m.Place = o.Action.Port, o.Place
		if m.Target < 0 || m.Target >= int64(s.layout.ports) {
			t.failed = true
			return
		}
	}
	m.Action = s.actions.number(&o.Action, m.Message)
	t.failed = t.failed || m.Action > math.MaxUint32/uint32(s.protocol.N)-1
	if !t.knows(&m) {
		t.outcomes = append(t.outcomes, m)
	}
}

// fewOutcomes are compared one by one.
const fewOutcomes = 32

// knows reports whether an outcome is the same transition as an earlier one.
func (t *lister) knows(m *Outcome) bool {
	if len(t.outcomes) < fewOutcomes {
		return slices.ContainsFunc(t.outcomes, func(o Outcome) bool { return o.transition() == m.transition() })
	}
	if t.known == nil {
		t.known = make(map[transition]bool)
		for i := range t.outcomes {
			t.known[t.outcomes[i].transition()] = true
		}
	}
	key := m.transition()
	known := t.known[key]
	t.known[key] = true
	return known
}

// A transition tells the transitions of a local state from each other.
type transition struct{ action, next, writes uint32 }

func (m *Outcome) transition() transition { return transition{m.Action, m.Next, m.Writes} }

// listAll returns the outcomes as one list of choices, if a lister can tell them.
func (s *System) listAll(l ir.Local, at step.Site, arrival *step.Arrival) (list []Outcome, ok bool) {
	if arrival == nil && s.draws[l.Point.ID] {
		return nil, false
	}
	t := s.listers.Get().(*lister)
	defer s.listers.Put(t)
	list, ok = t.list(l, at, arrival)
	return slices.Clone(list), ok
}

// listOwn returns the outcomes of the own actions in a local state, nil if a lister cannot tell them.
func (s *System) listOwn(l ir.Local) *ownOutcomes {
	if s.draws[l.Point.ID] {
		return nil
	}
	t := s.listers.Get().(*lister)
	defer s.listers.Put(t)
	list, ok := t.list(l, step.Site{}, nil)
	if !ok {
		return nil
	}
	own := &ownOutcomes{sends: s.noSends}
	sends := slices.ContainsFunc(list, func(m Outcome) bool { return m.Target != NoTarget })
	if !sends {
		own.events = slices.Clone(list)
		return own
	}
	own.sends = make([][]Outcome, s.layout.ports)
	for _, m := range list {
		of := &own.events
		if m.Target != NoTarget {
			of = &own.sends[m.Target]
		}
		m.Choice = uint32(len(*of))
		*of = append(*of, m)
	}
	return own
}

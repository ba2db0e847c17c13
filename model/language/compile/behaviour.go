package compile

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// ownOutcomes are the outcomes of a process's own actions in a local state, by group.
type ownOutcomes struct {
	sends  [][]Outcome // by target
	events []Outcome   // and skips
	mixed  []Outcome
}

// own returns the outcomes of the own actions in local state v. The error is a fault that names no process yet.
func (s *System) own(v model.Value) (*ownOutcomes, error) {
	l := s.locals.at(v)
	if own := l.own.Load(); own != nil {
		return own, nil
	}
	alternatives, err := s.machine.Own(l.Local, step.Site{})
	if err != nil {
		return nil, err
	}
	own := &ownOutcomes{sends: make([][]Outcome, s.layout.ports)}
	mixed, err := s.overlap(own, alternatives)
	if err != nil {
		return nil, err
	}
	for _, d := range alternatives {
		list, _ := s.list(own, d) // without an error, see overlap
		if mixed {
			list = &own.mixed
		}
		if *list, err = s.outcomes(*list, d, l.Point); err != nil {
			return nil, err
		}
	}
	l.own.Store(own)
	return own, nil
}

// overlap reports whether alternatives of different lists share a transition. If so, all of them must belong to one
// group, that of draws.
func (s *System) overlap(own *ownOutcomes, alternatives []step.Distribution) (bool, error) {
	mixed, repeated := false, false
	for _, d := range alternatives {
		list, err := s.list(own, d)
		if err != nil {
			return false, err
		}
		mixed = mixed || list == &own.mixed
		repeated = repeated || slices.ContainsFunc(d, func(o step.Outcome) bool { return o.Repeated })
	}
	return mixed && repeated, nil
}

// list returns the list to which all outcomes of d belong.
func (s *System) list(own *ownOutcomes, d step.Distribution) (*[]Outcome, error) {
	first, err := s.target(&d[0])
	for i := range d {
		target, err := s.target(&d[i])
		if err != nil {
			return nil, err
		}
		if target != first {
			return &own.mixed, nil
		}
	}
	if err != nil || first == NoTarget {
		return &own.events, err
	}
	return &own.sends[first], nil
}

// target returns the target that o sends to, or NoTarget. It fails if no process has a channel there.
func (s *System) target(o *step.Outcome) (int64, error) {
	if o.Action.Kind != model.SendAction {
		return NoTarget, nil
	}
	if port := o.Action.Port; port >= 0 && port < int64(s.layout.ports) {
		return port, nil
	}
	return 0, s.machine.NoChannel(o.Action.Port, o.Place)
}

// ReceiveOutcomes returns the outcomes of receiving a message from a source in local state v. The caller must not
// change them. The error is a *model.Fault that names no process.
func (s *System) ReceiveOutcomes(v model.Value, source int64, message uint32) ([]Outcome, error) {
	key := intern.Pair(v, message)
	known := &s.receives[source]
	if n, ok := known.Load(key); ok {
		return *s.answers.at(n), nil
	}
	l := s.locals.at(v)
	alternatives, err := s.machine.Receive(l.Local, step.Site{}, source, *s.messages.at(message))
	if err != nil {
		return nil, err
	}
	list, err := s.all(alternatives, l.Point)
	if err != nil {
		return nil, err
	}
	n := known.LoadOrStore(key, s.answers.add(list))
	return *s.answers.at(n), nil
}

// drawsMix reports whether p may have a draw with outcomes in different groups. A false positive only costs groups
// without transitions.
func drawsMix(p *ir.Protocol) bool {
	return slices.ContainsFunc(p.Points, func(point *ir.Point) bool {
		for t := range ir.Terms(point.Term) {
			if d, ok := t.(*ir.Draw); ok && !d.Choose && mixes(d) {
				return true
			}
		}
		return false
	})
}

// mixes reports whether the actions right after d may involve different channels, or a channel and none.
func mixes(d *ir.Draw) bool {
	m := mixer{called: make(map[*ir.Equation]bool), targets: make(map[int64]bool)}
	m.visit(d.Then)
	return m.unknown || len(m.targets) > 1
}

// A mixer collects the targets of first actions.
type mixer struct {
	called  map[*ir.Equation]bool
	targets map[int64]bool
	unknown bool // a target depends on variables
}

func (m *mixer) visit(t ir.Term) {
	for t := range ir.Terms(t) {
		switch t := t.(type) {
		case *ir.Call:
			if !m.called[t.Equation] {
				m.called[t.Equation] = true
				m.visit(t.Equation.Start.Term)
			}
		case *ir.Prefix:
			m.action(t.Action)
		}
	}
}

func (m *mixer) action(a ir.Action) {
	switch a := a.(type) {
	case *ir.Send:
		target, ok := a.Target.(*ir.Const)
		if !ok {
			m.unknown = true
			return
		}
		m.targets[target.Value] = true
	case *ir.Emit, *ir.Skip, *ir.Assign, *ir.Crash:
		m.targets[NoTarget] = true
	}
}

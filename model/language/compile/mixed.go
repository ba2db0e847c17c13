package compile

import (
	"slices"

	"ringcheck/model/language/ir"
)

// drawsMix reports whether p has a draw whose outcomes can belong to different groups. It may err on the
// side of yes, which costs groups without transitions.
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

// mixes reports whether different channels, or a channel and none, can be concerned by the actions that come
// right after d.
func mixes(d *ir.Draw) bool {
	m := mixer{called: make(map[*ir.Equation]bool), targets: make(map[int64]bool)}
	m.visit(d.Then)
	return m.unknown || len(m.targets) > 1
}

// nowhere is the target of events and skips.
const nowhere = -1

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
		m.targets[nowhere] = true
	}
}

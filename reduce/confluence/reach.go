package confluence

import (
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A reach overapproximates, from the text of a protocol, the sends that can follow an action without a decision in
// between.
type reach struct {
	ports int
	after map[*ir.Point]map[int64]bool
}

func newReach(ports int) *reach { return &reach{ports, make(map[*ir.Point]map[int64]bool)} }

// follow returns the targets of all sends that can follow in sequence at p.
func (r *reach) follow(p *ir.Point) map[int64]bool {
	if set, ok := r.after[p]; ok {
		return set
	}
	set := make(map[int64]bool)
	seen := map[*ir.Point]bool{p: true}
	for todo := []*ir.Point{p}; len(todo) > 0; todo = todo[1:] {
		for prefix := range prefixes(todo[0].Term, true) {
			if !composable(prefix.Action) {
				continue
			}
			for port := range int64(r.ports) {
				if sendsTo(prefix.Action, port) {
					set[port] = true
				}
			}
			if !seen[prefix.Next] {
				seen[prefix.Next] = true
				todo = append(todo, prefix.Next)
			}
		}
	}
	r.after[p] = set
	return set
}

// sendsTo reports whether an action can be a send to the target.
func sendsTo(a ir.Action, target int64) bool {
	send, ok := a.(*ir.Send)
	if !ok {
		return false
	}
	c, constant := send.Target.(*ir.Const)
	return !constant || c.Value == target
}

// composable reports whether an action can be a confluent τ that is always enabled where it can occur.
func composable(a ir.Action) bool {
	switch a.(type) {
	case *ir.Send, *ir.Skip:
		return true
	case *ir.Receive, *ir.Emit, *ir.Assign, *ir.Crash:
	}
	return false
}

// foresees reports whether follow accounts for the move of a process from p to next.
func foresees(p *ir.Point, m *compile.Outcome, next *ir.Point) bool {
	for prefix := range prefixes(p.Term, true) {
		fits := m.Target == compile.NoTarget || sendsTo(prefix.Action, m.Target)
		if fits && composable(prefix.Action) && landing(prefix.Next) == next {
			return true
		}
	}
	return false
}

// landing returns the control point of a process after a step to p.
func landing(p *ir.Point) *ir.Point {
	for {
		switch t := p.Term.(type) {
		case *ir.Call:
			p = t.Equation.Start
		case *ir.Store:
			p = t.Then
		default:
			return p
		}
	}
}

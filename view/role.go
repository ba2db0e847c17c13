package view

import "ringcheck/model/language/ir"

// Role says how a process stands to the visible events of its protocol, such as being elected, as far as its
// control point tells. Pictures show it by colours and lines.
type Role string

// The roles.
const (
	Contender Role = "contender" // can still come to an event; everyone, if there are no events
	Withdrawn Role = "withdrawn" // cannot come to one any more
	Arrived   Role = "arrived"   // is about to do an event, or where only those come who have done one
)

// flow is the control flow between the points of a protocol.
type flow struct {
	early map[*ir.Point]bool // can be reached without an event
	late  map[*ir.Point]bool // can be reached after one
	roles map[*ir.Point]Role
}

// newFlow returns the control flow of p for processes that begin at some points.
func newFlow(p *ir.Protocol, initial []*ir.Point) *flow {
	f := &flow{make(map[*ir.Point]bool), make(map[*ir.Point]bool), make(map[*ir.Point]Role)}
	for _, point := range initial {
		reach(point, f.early, isEmit)
	}
	for _, point := range p.Points {
		for next, action := range ahead(point) {
			if isEmit(action) {
				reach(next, f.late, nil)
			}
		}
	}
	for _, point := range p.Points {
		f.roles[point] = f.derive(point)
	}
	return f
}

// role returns the role of a process at a point.
func (f *flow) role(point *ir.Point) Role {
	if r, ok := f.roles[point]; ok {
		return r
	}
	return f.derive(point)
}

// derive finds the role of a process at a point.
func (f *flow) derive(point *ir.Point) Role {
	for _, action := range ahead(point) {
		if isEmit(action) {
			return Arrived
		}
	}
	if len(f.late) == 0 {
		return Contender
	}
	if f.late[point] && !f.early[point] {
		return Arrived
	}
	reached := make(map[*ir.Point]bool)
	if reach(point, reached, isEmit) {
		return Contender
	}
	return Withdrawn
}

// reach adds to seen the points that can be reached from a point without an action for which stop is true,
// and reports whether there was one.
func reach(point *ir.Point, seen map[*ir.Point]bool, stop func(ir.Action) bool) bool {
	if seen[point] {
		return false
	}
	seen[point] = true
	stopped := false
	for next, action := range ahead(point) {
		if stop != nil && stop(action) || reach(next, seen, stop) {
			stopped = true
		}
	}
	return stopped
}

// ahead yields where a process at a point can go, with the action; nil for a call.
func ahead(point *ir.Point) func(yield func(*ir.Point, ir.Action) bool) {
	return func(yield func(*ir.Point, ir.Action) bool) {
		for term := range ir.Terms(point.Term) {
			switch t := term.(type) {
			case *ir.Call:
				if !yield(t.Equation.Start, nil) {
					return
				}
			case *ir.Prefix:
				if !yield(t.Next, t.Action) {
					return
				}
			}
		}
	}
}

func isEmit(a ir.Action) bool {
	_, ok := a.(*ir.Emit)
	return ok
}

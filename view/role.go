package view

import (
	"cmp"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Role is a part that a process plays: one that the spec declares, or, if it declares none, how the process stands to
// the visible events of the protocol, such as being elected, as far as its control point tells. Pictures show it by
// colours and lines.
type Role struct {
	Name   string
	Colour string // one of syntax.Colours, or "plain"
}

// The roles where a spec declares none.
var (
	Contender = Role{"contender", "blue"} // can still come to an event; everyone, if there are no events
	Withdrawn = Role{"withdrawn", "grey"} // cannot come to one any more
	Arrived   = Role{"arrived", "amber"}  // is about to do an event, or where only those come who have done one
	noRole    = Role{"", "plain"}         // where the spec declares roles, and none of them holds
)

// A Part is a role with a word for it.
type Part struct {
	Role
	Word string
}

// parts returns the roles that there are in a protocol.
func parts(p *ir.Protocol) []Part {
	if len(p.Roles) == 0 {
		var events []string
		for _, e := range p.Events {
			events = append(events, e.Name)
		}
		return []Part{{Contender, "in the running"}, {Withdrawn, "out of the running"}, {Arrived, strings.Join(events, ", ")}}
	}
	var all []Part
	for _, r := range p.Roles {
		all = append(all, Part{declared(r), r.Word})
	}
	return all
}

func declared(r *ir.Role) Role { return Role{r.Name, cmp.Or(r.Colour, "blue")} }

// role returns the role of process p in a state, where it stands at a control point.
func (b *builder) role(state []model.Value, p int, point *ir.Point) Role {
	if len(b.protocol.Roles) == 0 {
		return b.flow.role(point)
	}
	shown := b.sys.NewView()
	shown.Show(state)
	env := b.protocol.NewEnv(settledView{shown, b, state})
	for _, r := range b.protocol.Roles {
		env.Vars[r.Var.ID] = int64(p)
		if v, err := r.Body.Eval(env); err == nil && v != 0 {
			return declared(r)
		}
	}
	return noRole
}

// A settledView shows processes behind what they decide without an action, as pictures do.
type settledView struct {
	*compile.View
	b     *builder
	state []model.Value
}

func (v settledView) local(p int) ir.Local {
	return v.b.protocol.Settled(v.b.sys.Local(v.state[v.b.sys.SlotOfProcess(p)]))
}

// At implements ir.View.
func (v settledView) At(p int) *ir.Point { return v.local(p).Point }

// Var implements ir.View.
func (v settledView) Var(p int, x *ir.Var) (int64, bool) { return v.local(p).Var(x) }

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

package view

import (
	"cmp"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Role is a part that a process plays: one that the spec declares, or that of a process that has crashed. Pictures
// show it by colours and lines.
type Role struct {
	Name   string // empty if it plays none
	Colour string // one of syntax.Colours, or "plain"
}

var (
	// Crashed is the role of a process that has crashed, unless the spec declares one of that name.
	Crashed = Role{"crashed", "red"}
	noRole  = Role{"", "plain"}
)

// A Part is a role with a word for it.
type Part struct {
	Role
	Word string
}

// parts returns the roles that there are in a protocol.
func parts(p *ir.Protocol) []Part {
	var all []Part
	for _, r := range p.Roles {
		all = append(all, Part{declared(r), r.Word})
	}
	if p.Faults.Crashed != nil && !slices.ContainsFunc(all, func(r Part) bool { return r.Name == Crashed.Name }) {
		all = append(all, Part{Crashed, "crashed"})
	}
	return all
}

func declared(r *ir.Role) Role { return Role{r.Name, cmp.Or(r.Colour, "blue")} }

// role returns the role of process p, with a local state.
func (b *builder) role(seen settledView, p int, local ir.Local) Role {
	if local.Point.Equation == b.protocol.Faults.Crashed && slices.Contains(b.trace.Parts, Part{Crashed, "crashed"}) {
		return Crashed
	}
	if len(b.protocol.Roles) == 0 {
		return noRole
	}
	env := b.protocol.NewEnv(seen)
	env.Sets = seen.sets
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
	ir.View
	protocol *ir.Protocol
	local    func(p int) ir.Local
	sets     *ir.Sets // what wide sets refer to, nil if there are none
}

// seen returns the view of a state.
func (b *builder) seen(state []model.Value) settledView {
	shown := b.sys.NewView()
	shown.Show(state)
	return settledView{shown, b.protocol, func(p int) ir.Local { return b.sys.Local(state[b.sys.SlotOfProcess(p)]) }, nil}
}

// At implements ir.View.
func (v settledView) At(p int) *ir.Point { return v.protocol.Settled(v.local(p), v.sets).Point }

// Var implements ir.View.
func (v settledView) Var(p int, x *ir.Var) (int64, bool) {
	return v.protocol.Settled(v.local(p), v.sets).Var(x)
}

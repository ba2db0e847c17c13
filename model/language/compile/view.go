package compile

import (
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A View shows state vectors to properties. It implements ir.View without allocating, so that one View can
// look at any number of states, one after the other.
type View struct {
	system *System
	state  []model.Value
}

var _ ir.View = (*View)(nil)

// NewView returns a view that shows nothing yet.
func (s *System) NewView() *View { return &View{system: s} }

// Show makes v show a state, which must not change as long as it does.
func (v *View) Show(state []model.Value) { v.state = state }

func (v *View) local(p int) *local {
	return v.system.locals.at(v.state[v.system.layout.processes[p]])
}

// At implements ir.View.
func (v *View) At(p int) *ir.Point { return v.local(p).seen.Point }

// Var implements ir.View.
func (v *View) Var(p int, x *ir.Var) (int64, bool) {
	return v.local(p).seen.Var(x)
}

// Channel implements ir.View.
func (v *View) Channel(link int) []ir.Content {
	return v.system.Contents(v.state[v.system.layout.channels[link]])
}

package hunt

import (
	"cmp"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// An edge is a transition of a state: a group, and its number in the group.
type edge struct{ group, index uint32 }

// A walker holds a state and its transitions.
type walker struct {
	sys    *compile.System
	slots  []model.Slot
	groups []model.Group
	users  [][]int // by slot: the groups that contain it

	state   []model.Value
	cursors []*model.Cursor // by group
	enabled []edge
	own     int   // the number of transitions that are not the environment's
	failure error // the model error in this state, or nil

	stale []bool
	todo  []int
}

func newWalker(sys *compile.System) *walker {
	slots, groups := sys.Slots(), sys.Groups()
	w := &walker{
		sys: sys, slots: slots, groups: groups, users: make([][]int, len(slots)),
		stale: make([]bool, len(groups)),
	}
	for g, group := range groups {
		w.cursors = append(w.cursors, model.NewCursor(sys))
		for _, s := range group.Slots {
			w.users[s] = append(w.users[s], g)
		}
	}
	return w
}

// goTo moves the walker to a state. It recomputes only the groups of slots that differ.
func (w *walker) goTo(state []model.Value) {
	if w.state == nil {
		w.state = make([]model.Value, len(state))
		for g := range w.groups {
			w.todo, w.stale[g] = append(w.todo, g), true
		}
	}
	for s, v := range state {
		w.set(s, v)
	}
	w.refresh()
}

// take takes a transition of the current state.
func (w *walker) take(e edge) {
	slots := w.groups[e.group].Slots
	for i, v := range w.cursors[e.group].Values(int(e.index)) {
		w.set(slots[i], v)
	}
	w.refresh()
}

func (w *walker) set(slot int, v model.Value) {
	if w.state[slot] == v {
		return
	}
	w.state[slot] = v
	for _, g := range w.users[slot] {
		if !w.stale[g] {
			w.stale[g], w.todo = true, append(w.todo, g)
		}
	}
}

// refresh recomputes the stale transitions. A group that would exceed a bound of the search has none.
func (w *walker) refresh() {
	w.failure = nil
	for _, g := range w.todo {
		w.stale[g] = false
		if err := w.cursors[g].Next(g, w.state); err != nil && !model.AsError(err).Growth {
			w.failure = cmp.Or(w.failure, err)
		}
	}
	w.todo = w.todo[:0]
	w.enabled, w.own = w.enabled[:0], 0
	for g, cursor := range w.cursors {
		n := cursor.Len()
		if !w.groups[g].Environment {
			w.own += n
		}
		for i := range n {
			w.enabled = append(w.enabled, edge{uint32(g), uint32(i)})
		}
	}
}

// actor returns the number of the process that takes a transition, from 1, or 0 for the environment.
func (w *walker) actor(e edge) int {
	if w.groups[e.group].Environment {
		return 0
	}
	_, process := w.sys.Action(w.step(e).Label)
	return process + 1
}

func (w *walker) step(e edge) model.Step { return w.cursors[e.group].Step(int(e.index)) }

// quiescent reports whether a run can end in the state. It cannot if a transition would exceed a bound.
func (w *walker) quiescent() bool {
	if w.own > 0 {
		return false
	}
	is, _, err := model.Quiescent(w.sys, w.state)
	return is && err == nil
}

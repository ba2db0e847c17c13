package explore

import (
	"context"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Shortcuts are steps between some of the states of a space: each leads where a run of the space leads.
type Shortcuts struct {
	// System has the slots of the searched system. Its steps from the states of the space that it has lead to others.
	System model.System
	// Has reports whether System has states with this value of a slot. It has those for which this is true of all.
	Has func(slot int, v model.Value) bool
	// Tag returns the tags of the steps, as Options.Tag does.
	Tag func(group int, step model.Step) uint32
}

// Along calls use with a graph like Graph, but with shortcuts for transitions. States have the same numbers, places and
// classes, and States and Places are those of Graph; only states that the system of the shortcuts has are visited.
// Along does nothing if the search has spilled, or if the budget has no room for a second tree like that of the search.
func (s *Space) Along(ctx context.Context, by Shortcuts, use func(g Graph) error) error {
	if _, ok := s.search.storage.(*resident); !ok {
		return nil
	}
	g, err := s.Graph(ctx)
	if err != nil || g.Room() < uint64(s.search.store.Bytes()) {
		return err
	}
	r := g.(*residentGraph)
	store := s.search.store.Twin(ctx, by.System, by.Tag)
	store.Map()
	defer store.Close()
	r.short = &shortcuts{Shortcuts: by, store: store}
	for _, e := range r.readers {
		e.short, e.tree = r.short, store.Worker()
	}
	return use(r)
}

// shortcuts are the Shortcuts of a residentGraph.
type shortcuts struct {
	Shortcuts
	store *tree.Store
	has   [2]intern.Array[atomic.Uint32] // by number of a half: whether Has is true of its slots
}

// Values of shortcuts.has; 0 is unknown.
const (
	excluded = 1
	included = 2
)

func (s *shortcuts) bytes() int64 {
	if s == nil {
		return 0
	}
	return s.store.Bytes() + s.has[0].Bytes() + s.has[1].Bytes()
}

// has reports whether the system of a graph has a state.
func (e *residentReader) has(id tree.StateID) bool {
	if e.short == nil {
		return true
	}
	l, r := intern.Split(id)
	return e.hasHalf(0, l) && e.hasHalf(1, r)
}

func (e *residentReader) hasHalf(side int, number uint32) bool {
	known := e.short.has[side].At(number)
	if known.Load() == 0 {
		known.Store(e.examine(side, number))
	}
	return known.Load() == included
}

// examine returns the entry of shortcuts.has for a half.
func (e *residentReader) examine(side int, number uint32) uint32 {
	state, split := e.worker.seen.state, e.short.store.Split()
	first, end := 0, split
	if side == 0 {
		e.tree.SetLeft(number, state)
	} else {
		first, end = split, len(state)
		e.tree.SetRight(number, state)
	}
	for slot := first; slot < end; slot++ {
		if !e.short.Has(slot, state[slot]) {
			return excluded
		}
	}
	return included
}

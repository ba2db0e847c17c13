package explore

import (
	"context"

	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// Shortcuts are steps between some of the states of a space: each leads where a run of the space leads.
type Shortcuts struct {
	// System has the slots of the searched system. Some states of the space are states of System; its steps from these
	// lead to other states of the space.
	System model.System
	// Has reports whether states of System can have this value of a slot. A state of the space for which this is true
	// of all slots is a state of System.
	Has func(slot int, v model.Value) bool
	// Tag returns the tags of the steps, as Options.Tag does.
	Tag func(group int, step model.Step) uint32
}

// WithShortcuts calls use with a graph like Graph, but with shortcuts for transitions. States have the same numbers,
// places and classes as in Graph, and States and Places return the same counts. Visits leave out the states that the
// system of the shortcuts does not have. WithShortcuts does nothing if the search has spilled, or if the budget has no
// room for a second tree of the same size.
func (s *Space) WithShortcuts(ctx context.Context, by Shortcuts, use func(g Graph) error) error {
	if _, ok := s.search.storage.(*memoryStorage); !ok {
		return nil
	}
	g, err := s.Graph(ctx)
	if err != nil || g.FreeBytes() < uint64(s.search.store.Bytes()) {
		return err
	}
	r := g.(*memoryGraph)
	r.sys, r.overlay = by.System, s.search.store.Overlay(ctx, by.System, by.Has, by.Tag)
	r.overlay.Map()
	defer r.overlay.Close()
	for _, e := range r.readers {
		e.tree = r.overlay.Worker()
	}
	return use(r)
}

// has reports whether the system of a graph has a state.
func (e *memoryReader) has(id tree.StateID) bool { return e.tree == e.worker.tree || e.tree.Has(id) }

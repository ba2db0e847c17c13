package explore

import (
	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// An Observer divides states into classes; see package tree. Asking for the class of a state costs a few
// memory reads, however long it took to find out the first time.
type Observer = tree.Observer

// An Observation is what a search saw of one class of states.
type Observation struct {
	All      Sighting // the states of the class
	Terminal Sighting // those without transitions
}

// A Sighting counts states and shows one of the first. Its Level and State are void if Count is 0.
type Sighting struct {
	Count uint64
	Level int           // the first BFS level with such a state
	State []model.Value // of those on that level the least in readable form
	found bool
}

// add counts n states, all represented by the state with root r.
func (g *Sighting) add(w *worker, r tree.Root, n uint64, level int) {
	g.Count += n
	switch {
	case !g.found:
		g.Level, g.found = level, true
		g.State = make([]model.Value, len(w.state))
		w.tree.Vector(r, g.State)
	case g.Level == level:
		w.tree.Vector(r, w.state)
		if Compare(w.sys, w.state, g.State) < 0 {
			copy(g.State, w.state)
		}
	}
}

// merge adds what another worker has seen.
func (g *Sighting) merge(sys model.System, h *Sighting) {
	count := g.Count + h.Count
	if h.found && (!g.found || h.Level < g.Level || h.Level == g.Level && Compare(sys, h.State, g.State) < 0) {
		*g = *h
	}
	g.Count = count
}

// note tells the observer of a state, which stands for n, when it is new or when it turns out to be terminal.
func (w *worker) note(r tree.Root, n uint64, terminal bool) {
	class := w.classes.Of(r)
	for uint32(len(w.seen)) <= class {
		w.seen = append(w.seen, Observation{})
	}
	g, level := &w.seen[class].All, len(w.sizes)
	if terminal {
		g, level = &w.seen[class].Terminal, level-1
	}
	if !g.found && w.opt.Until != nil && w.opt.Until(class, terminal) {
		w.caught.Store(true)
	}
	g.add(w, r, n, level)
}

// observations returns what all workers have seen, by class.
func (s *search) observations() []Observation {
	var all []Observation
	for _, w := range s.workers {
		for class := range w.seen {
			if class == len(all) {
				all = append(all, Observation{})
			}
			all[class].All.merge(s.sys, &w.seen[class].All)
			all[class].Terminal.merge(s.sys, &w.seen[class].Terminal)
		}
	}
	return all
}

package explore

import (
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/model"
)

// An Observer divides states into classes, part by part: the class of a part depends on the classes of its
// halves and on nothing else. It is a bottom-up tree automaton. Asking for the class of a state costs a few
// memory reads, however long it took to find out the first time. The functions that it returns are called by
// many goroutines at once, mostly once for each argument, and always return the same for the same.
type Observer interface {
	// Leaf returns the function from the values of a slot to classes.
	Leaf(slot int) func(v model.Value) uint32
	// Join returns the function from the classes of the slots first to mid-1 and mid to end-1 to those of the
	// slots first to end-1. A slot beyond the last has class 0. Classes are below 2^32-1.
	Join(first, mid, end int) func(left, right uint32) uint32
}

// An Observation is what a search saw of one class of states.
type Observation struct {
	All       Sighting // the states of the class
	Quiescent Sighting // those without transitions but the environment's, terminal ones included
}

// A Sighting counts states and shows one of the first. Its Level and State are void if Count is 0.
type Sighting struct {
	Count uint64
	Level int           // the first BFS level with such a state
	State []model.Value // of those on that level the least in readable form
	found bool
}

// sightings is what one goroutine has seen of the states.
type sightings struct {
	of    *subject
	tree  *tree.Worker
	state []model.Value // that is looked at
	// caught is set when Options.Until is true of a state.
	caught *atomic.Bool
	seen   []Observation // by class
}

func newSightings(of *subject, w *tree.Worker, caught *atomic.Bool) *sightings {
	return &sightings{of: of, tree: w, state: make([]model.Value, len(of.sys.Slots())), caught: caught}
}

// orbit returns how many states of the system asked for a stored state stands for.
func (s *sightings) orbit(id tree.StateID) uint64 {
	if s.of.quotient == nil {
		return 1
	}
	if !s.tree.Turns(id) {
		return uint64(len(s.state))
	}
	s.tree.Vector(id, s.state)
	return s.of.quotient.OrbitSize(s.state)
}

// note tells the observer of a state of a level, which stands for n, when it is new or when it turns out to be
// quiescent.
func (s *sightings) note(id tree.StateID, n uint64, level int, quiescent bool) {
	if s.of.classes == nil {
		return
	}
	class := s.of.classes.Of(id)
	for uint32(len(s.seen)) <= class {
		s.seen = append(s.seen, Observation{})
	}
	g := &s.seen[class].All
	if quiescent {
		g = &s.seen[class].Quiescent
	}
	if !g.found && s.of.opt.Until != nil && s.of.opt.Until(class, level, quiescent) {
		s.caught.Store(true)
	}
	s.add(g, id, n, level)
}

// add counts n states of a level, all represented by the one stored with this ID.
func (s *sightings) add(g *Sighting, id tree.StateID, n uint64, level int) {
	g.Count += n
	switch {
	case !g.found:
		g.Level, g.found = level, true
		g.State = make([]model.Value, len(s.state))
		s.tree.Vector(id, g.State)
	case g.Level == level:
		s.tree.Vector(id, s.state)
		if model.Compare(s.of.sys, s.state, g.State) < 0 {
			copy(g.State, s.state)
		}
	}
}

// merge adds what another worker has seen.
func (g *Sighting) merge(sys model.System, h *Sighting) {
	count := g.Count + h.Count
	if h.found && (!g.found || h.Level < g.Level || h.Level == g.Level && model.Compare(sys, h.State, g.State) < 0) {
		*g = *h
	}
	g.Count = count
}

// observations returns what all of some workers have seen, by class.
func observations(all ...*sightings) []Observation {
	var sum []Observation
	for _, s := range all {
		for class := range s.seen {
			if class == len(sum) {
				sum = append(sum, Observation{})
			}
			sum[class].All.merge(s.of.sys, &s.seen[class].All)
			sum[class].Quiescent.merge(s.of.sys, &s.seen[class].Quiescent)
		}
	}
	return sum
}

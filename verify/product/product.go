package product

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model/ltl"
)

// A product is the product of a system and an automaton, with the state of a search. A node is a place and a state q of
// the automaton.
type product struct {
	*Search
	ctx    context.Context
	kinds  []Kind
	places uint64
	starts []uint64 // initial places

	accepting    []bool   // by state of the automaton: in an accepting component
	weak, strong uint64   // of Actions, as marks
	events       []uint64 // by kind
	draws        []int    // by kind
	actionMarks  []uint64 // by kind: its actions, if their atom is true, as marks
	anywhere     uint64   // the actions without an atom, as marks
	located      bool     // some actions have an atom
	images       *images  // nil unless actions are followed through permutations
	allMarks     uint64   // all marks
	// alive has, by state of the automaton, the nodes that a run may visit infinitely often; nil if q is not accepting.
	alive     []graph.Set[uint64]
	remaining graph.Set[uint64] // by number: all states with a node that is alive
	// backTargets has, by state of the automaton, the nodes to which an edge leads back. Every cycle of alive nodes is
	// through one of these.
	backTargets []graph.Set[uint64]
	nodeMarks   []*bitTable // by state of the automaton: the marks that can still be taken from each alive node
	usedBytes   uint64
}

// enabled returns the actions that can be taken in a state, as marks.
func (m *product) enabled(v *explore.Vertex) uint64 {
	all := uint64(0)
	for _, k := range v.Tags {
		all |= m.actionMarks[k]
	}
	return all & m.possible(v.Class)
}

// possible returns the actions whose atom is true in the states of a class, as marks.
func (m *product) possible(class uint32) uint64 {
	marks := m.anywhere
	if !m.located {
		return marks
	}
	letter := m.Letters[class]
	for i, a := range m.Actions {
		if a.At >= 0 {
			marks |= letter >> a.At & 1 << (m.Automaton.Sets + i)
		}
	}
	return marks
}

// An edge is an edge from a node: a transition of its state, and an edge of the automaton.
type edge struct {
	*ltl.Edge
	t int // the index of the transition
}

// edges calls do with the edges of node (v, q) from transition first up to end, until it returns false. It reports
// whether do has always returned true.
func (m *product) edges(v *explore.Vertex, q, first, end int, do func(e edge) bool) bool {
	edges := m.Automaton.Edges[q]
	letter := m.Letters[v.Class]
	for t := first; t < end; t++ {
		now := letter | m.events[v.Tags[t]]
		for i := range edges {
			if edges[i].Guard.Has(now) && !do(edge{&edges[i], t}) {
				return false
			}
		}
	}
	return true
}

// isInner reports whether an edge leads to an alive node.
func (m *product) isInner(v *explore.Vertex, e edge) bool {
	s := m.alive[e.To]
	return s != nil && s.Has(v.To[e.t])
}

// innerEdges calls do with the edges of a node that lead to alive nodes, until it returns false. With chances, it omits
// the edges of a draw if some outcome does not lead to an alive node.
func (m *product) innerEdges(v *explore.Vertex, q int, do func(e edge) bool) {
	if !m.Chances {
		m.edges(v, q, 0, len(v.To), func(e edge) bool { return !m.isInner(v, e) || do(e) })
		return
	}
	for first := 0; first < len(v.To); {
		end := m.distribution(v, first)
		kept := true
		// A single transition is no draw.
		for t := first; t < end && kept && end > first+1; t++ {
			kept = !m.edges(v, q, t, t+1, func(e edge) bool { return !m.isInner(v, e) })
		}
		if kept && !m.edges(v, q, first, end, func(e edge) bool { return !m.isInner(v, e) || do(e) }) {
			return
		}
		first = end
	}
}

// missingMarks returns the marks that a cycle with some marks lacks, if some actions are enabled on it.
func (m *product) missingMarks(marks, enabled uint64) uint64 {
	return (m.allMarks&^m.strong | m.strong&enabled) &^ marks
}

// marksOf returns the marks of an edge of a node in which some actions are enabled.
func (m *product) marksOf(v *explore.Vertex, e edge, enabled uint64) uint64 {
	return uint64(e.Accept) | m.actionMarks[v.Tags[e.t]]&m.possible(v.Class) | m.weak&^enabled
}

// ErrTooLarge means that a product has more nodes, or more actions to be fair to, than can be numbered.
var ErrTooLarge = errors.New("too large for a search for cycles")

// A MemoryError is an explore.ErrMemory, with the number of bytes that are needed, and that are available.
type MemoryError struct{ Bytes, Available uint64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: %d bytes are needed, %d are available", explore.ErrMemory, e.Bytes, e.Available)
}

func (e *MemoryError) Unwrap() error { return explore.ErrMemory }

// checkMemory returns a MemoryError unless some more bytes are available.
func (m *product) checkMemory(bytes uint64) error {
	if room := m.System.FreeBytes(); m.usedBytes+bytes > room {
		return &MemoryError{m.usedBytes + bytes, room}
	}
	return nil
}

// distribution returns the end of the transitions of v, from first on, that are outcomes of one draw.
func (m *product) distribution(v *explore.Vertex, first int) (end int) {
	draw := m.draws[v.Tags[first]]
	for end = first + 1; draw > 0 && end < len(v.Tags) && m.draws[v.Tags[end]] == draw; end++ {
	}
	return end
}

// eachPlace yields all places, until the context ends.
func (m *product) eachPlace(yield func(place uint64) bool) {
	const some = 1 << 20
	for first := uint64(0); first < m.places && m.ctx.Err() == nil; first += some {
		for p := first; p < min(first+some, m.places); p++ {
			if !yield(p) {
				return
			}
		}
	}
}

// allPlaces returns the set of all places with a state. It is incomplete if the context has ended.
func (m *product) allPlaces() graph.Set[uint64] {
	s := graph.NewSet(m.places)
	for p := range m.eachPlace {
		if m.System.Has(p) {
			s[p/64] |= 1 << (p % 64)
		}
	}
	return s
}

// multiply prepares a product. Marks are bits: the acceptance sets of the automaton, and the actions above them.
func (s *Search) multiply(ctx context.Context) (*product, error) {
	m := &product{
		Search: s, ctx: ctx, kinds: s.System.Kinds(), places: s.System.Places(),
		starts: slices.Clone(s.System.Initial()),
	}
	m.accepting = s.Automaton.Accepting()
	sets, width := s.Automaton.Sets, uint64(len(m.accepting))
	if m.places >= math.MaxUint32/2 || m.places*width >= math.MaxUint32/2 || len(s.Actions) > MaxActions {
		return nil, ErrTooLarge
	}
	var err error
	if m.images, err = s.newImages(); err != nil {
		return nil, err
	}
	for _, k := range m.kinds {
		does := uint64(0)
		for i, action := range s.Actions {
			if action.Is(k) {
				does |= 1 << (sets + i)
			}
		}
		m.actionMarks = append(m.actionMarks, does)
		m.events, m.draws = append(m.events, s.Events(k)), append(m.draws, k.Draw)
	}
	m.allMarks = uint64(s.Automaton.All())
	for i, action := range s.Actions {
		mark := uint64(1) << (sets + i)
		m.allMarks |= mark
		if action.At < 0 {
			m.anywhere |= mark
		} else {
			m.located = true
		}
		if action.Strong {
			m.strong |= mark
		} else {
			m.weak |= mark
		}
	}
	m.alive, m.backTargets = make([]graph.Set[uint64], width), make([]graph.Set[uint64], width)
	m.nodeMarks = make([]*bitTable, width)
	return m, nil
}

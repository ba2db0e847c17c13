package product

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model/ltl"
)

// MaxActions is the maximum number of actions.
const MaxActions = 64 - ltl.MaxSets

// An Action is a set of transitions to which runs can be fair: those of the kinds for which Is is true, from states in
// which the atom At is true; a negative At means any state.
type Action struct {
	Strong bool // it is enough that it can be done infinitely often, with breaks
	Is     func(k Kind) bool
	At     int
}

// A Search looks for a run of System that Automaton accepts and that is fair to the Actions, at most MaxActions. A
// letter of a run is the atoms that are true in a state and of the transition from it. With Chances it looks for an
// end component; Automaton must be limit-deterministic. With Surely as well it looks for one that a scheduler can reach
// with probability one from some initial state; Automaton must be suitable.
type Search struct {
	System    System
	Letters   []uint64 // by class: the atoms that are true in its states, a bit each
	Events    func(k Kind) uint64
	Automaton *ltl.Automaton
	Actions   []Action
	Chances   bool
	Surely    bool
}

// A Lasso is a run: the states and transitions of Stem lead to the first state of Cycle, those of Cycle back to it.
type Lasso struct {
	Stem, Cycle []Step
}

// A Step is a transition.
type Step struct {
	From, To uint64 // places
	Kind     Kind
}

// Find returns a lasso, nil if there is none. The error is ErrTooLarge, explore.ErrMemory or that of the context.
func (s *Search) Find(ctx context.Context) (*Lasso, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, err
	}
	switch d, err := m.dive(); {
	case err != nil:
		return nil, err
	case d != nil:
		l, err := d.lasso()
		if err != nil {
			return nil, err
		}
		return m.shorter(l)
	}
	if some, err := m.eliminate(); !some {
		return nil, err
	}
	l, err := m.lasso()
	if err != nil {
		return nil, err
	}
	return m.shorter(l)
}

// Exists reports whether there is a lasso.
func (s *Search) Exists(ctx context.Context) (bool, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return false, err
	}
	if d, err := m.dive(); d != nil || err != nil {
		return d != nil, err
	}
	return m.eliminate()
}

// eliminate leaves alive the nodes that a lasso may visit infinitely often, and reports whether there are any: whether
// there is a lasso. If the automaton can wait in its initial state, most nodes are reachable, and reachability is
// computed last; else first. What is decomposed is held in memory and searched many times: only reachable nodes.
func (m *multiplication) eliminate() (bool, error) {
	if err := m.initAlive(); err != nil {
		return false, err
	}
	if m.decomposes() && m.crowded() {
		if err := m.System.Hold(m.ctx); err != nil {
			return false, err
		}
	}
	reached := m.cyclesReachable()
	if !reached && (!m.waits() || m.decomposes()) {
		if err := m.reach(); err != nil {
			return false, err
		}
		reached = true
	}
	if err := m.converge(); err != nil || m.empty() {
		return false, err
	}
	if !reached {
		// What can be reached from them is reached as well: they have their edges inside, and their marks.
		if err := m.reach(); err != nil || m.empty() {
			return false, err
		}
	}
	if m.Surely {
		if err := m.keepAlmostSure(); err != nil || len(m.starts) == 0 {
			return false, err
		}
	}
	return true, nil
}

// A multiplication is a product that is being searched. A node is a place and a state q of the automaton.
type multiplication struct {
	*Search
	ctx    context.Context
	kinds  []Kind
	places uint64
	starts []uint64 // initial places

	accepting    []bool   // by state of the automaton: in an accepting component
	weak, strong uint64   // of Actions, as marks
	events       []uint64 // by kind
	draws        []int    // by kind
	does         []uint64 // by kind: the actions that it is, if their atom is true, as marks
	can          []uint64 // by class: the actions whose atom is true, as marks
	every        uint64   // all marks
	// alive are, by state of the automaton, the nodes that a run may visit infinitely often; nil if q is not accepting.
	alive []graph.Set[uint64]
	left  graph.Set[uint64] // by number: all states with a node that is alive
	// By state of the automaton: the nodes to which an edge leads back; every cycle that may be wanted is through one.
	entries []graph.Set[uint64]
	marks   []*packed // by state of the automaton: the marks that can still be taken from each node that is alive
	held    uint64    // bytes
}

// multiply prepares a product. Marks are bits: the acceptance sets of the automaton, and the actions above them.
func (s *Search) multiply(ctx context.Context) (*multiplication, error) {
	m := &multiplication{
		Search: s, ctx: ctx, kinds: s.System.Kinds(), places: s.System.Places(),
		starts: slices.Clone(s.System.Initial()),
	}
	m.accepting = s.Automaton.Accepting()
	sets, width := s.Automaton.Sets, uint64(len(m.accepting))
	if m.places >= math.MaxUint32/2 || m.places*width >= math.MaxUint32/2 || len(s.Actions) > MaxActions {
		return nil, ErrTooLarge
	}
	for _, k := range m.kinds {
		does := uint64(0)
		for i, action := range s.Actions {
			if action.Is(k) {
				does |= 1 << (sets + i)
			}
		}
		m.does = append(m.does, does)
		m.events, m.draws = append(m.events, s.Events(k)), append(m.draws, k.Draw)
	}
	m.every = uint64(s.Automaton.All())
	for i, action := range s.Actions {
		mark := uint64(1) << (sets + i)
		m.every |= mark
		if action.Strong {
			m.strong |= mark
		} else {
			m.weak |= mark
		}
	}
	m.can = make([]uint64, len(s.Letters))
	for i, letter := range s.Letters {
		for j, action := range s.Actions {
			if action.At < 0 || letter>>action.At&1 == 1 {
				m.can[i] |= 1 << (sets + j)
			}
		}
	}
	m.alive, m.entries = make([]graph.Set[uint64], width), make([]graph.Set[uint64], width)
	m.marks = make([]*packed, width)
	return m, nil
}

// enabled returns the actions that can be taken in a state, as marks.
func (m *multiplication) enabled(v *explore.Vertex) uint64 {
	all := uint64(0)
	for _, k := range v.Tags {
		all |= m.does[k]
	}
	return all & m.can[v.Class]
}

// An edge leads from a node to another: a transition of the state, and an edge of the automaton.
type edge struct {
	*ltl.Edge
	t int // of the transitions of the state
}

// each calls do with the edges of node (v, q) from transition first up to end, until it returns false; it reports
// whether it never did.
func (m *multiplication) each(v *explore.Vertex, q, first, end int, do func(e edge) bool) bool {
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

// stays reports whether an edge leads to a node that is alive.
func (m *multiplication) stays(v *explore.Vertex, e edge) bool {
	s := m.alive[e.To]
	return s != nil && s.Has(v.To[e.t])
}

// inside calls do with the edges of a node that lead to nodes that are alive, until it returns false. With chances it
// leaves out those of draws of which some outcome cannot stay there.
func (m *multiplication) inside(v *explore.Vertex, q int, do func(e edge) bool) {
	if !m.Chances {
		m.each(v, q, 0, len(v.To), func(e edge) bool { return !m.stays(v, e) || do(e) })
		return
	}
	for first := 0; first < len(v.To); {
		end := m.distribution(v, first)
		kept := true
		// An edge of a single transition stays or does not.
		for t := first; t < end && kept && end > first+1; t++ {
			kept = !m.each(v, q, t, t+1, func(e edge) bool { return !m.stays(v, e) })
		}
		if kept && !m.each(v, q, first, end, func(e edge) bool { return !m.stays(v, e) || do(e) }) {
			return
		}
		first = end
	}
}

// missing returns the marks that a cycle needs, and that are not among some, if some actions can be taken on it.
func (m *multiplication) missing(marks, enabled uint64) uint64 {
	return (m.every&^m.strong | m.strong&enabled) &^ marks
}

// marksOf returns the marks of an edge of a node in which some actions are enabled.
func (m *multiplication) marksOf(v *explore.Vertex, e edge, enabled uint64) uint64 {
	return uint64(e.Accept) | m.does[v.Tags[e.t]]&m.can[v.Class] | m.weak&^enabled
}

// ErrTooLarge means that a product has more nodes, or more actions to be fair to, than can be numbered.
var ErrTooLarge = errors.New("too large for a search for cycles")

// A MemoryError is an explore.ErrMemory: it says how many bytes there would have to be room for, and how many there is
// room for.
type MemoryError struct{ Bytes, Room uint64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: %d bytes are needed, %d are available", explore.ErrMemory, e.Bytes, e.Room)
}

func (e *MemoryError) Unwrap() error { return explore.ErrMemory }

// fits returns a MemoryError unless there is room for some bytes more.
func (m *multiplication) fits(bytes uint64) error {
	if room := m.System.FreeBytes(); m.held+bytes > room {
		return &MemoryError{m.held + bytes, room}
	}
	return nil
}

// A System is a transition system that is looked at state by state: an explore.Graph, of which the tags are numbers of
// kinds, and every state has a transition.
type System interface {
	Places() uint64
	// States returns how many states there are; they are numbered in the order of sweeps.
	States() uint64
	// Has reports whether there is a state with a place below Places.
	Has(place uint64) bool
	Initial() []uint64
	// Kinds returns what is known of transitions, by tag.
	Kinds() []Kind
	// FreeBytes returns the number of bytes that may still be allocated.
	FreeBytes() uint64
	// Sweep calls visit, from several goroutines, with the states that are selected: from those that are reached last
	// to the first, or the other way.
	Sweep(ctx context.Context, backward bool, selected explore.Selection, visit func(v *explore.Vertex)) error
	// Hold prepares for many sweeps.
	Hold(ctx context.Context) error
	// Expand calls visit with the states at some places, in order, without their numbers.
	Expand(places []uint64, visit func(v *explore.Vertex)) error
}

// A Kind has the properties of a transition that fairness and formulas depend on, without its target.
type Kind struct {
	Process int    // who takes it; negative if nobody
	Action  string // what it is
	// Draw is above 0 if it is an outcome of a draw: those of a state that follow one another with the same Draw are
	// one distribution.
	Draw int
}

// Over is the Action of the loops that are added to the states in which a run can end.
const Over = "over"

// distribution returns the end of the transitions of v, from first on, that are outcomes of one draw.
func (m *multiplication) distribution(v *explore.Vertex, first int) (end int) {
	draw := m.draws[v.Tags[first]]
	for end = first + 1; draw > 0 && end < len(v.Tags) && m.draws[v.Tags[end]] == draw; end++ {
	}
	return end
}

// everywhere yields all places, until the context ends.
func (m *multiplication) everywhere(yield func(place uint64) bool) {
	const some = 1 << 20
	for first := uint64(0); first < m.places && m.ctx.Err() == nil; first += some {
		for p := first; p < min(first+some, m.places); p++ {
			if !yield(p) {
				return
			}
		}
	}
}

// all returns the set of all places of the system; not of all if the context has ended.
func (m *multiplication) all() graph.Set[uint64] {
	s := graph.NewSet(m.places)
	for p := range m.everywhere {
		if m.System.Has(p) {
			s[p/64] |= 1 << (p % 64)
		}
	}
	return s
}

// packed are small numbers by place, of so many bits each, a power of two.
type packed struct {
	bits uint64
	list []uint64
}

func newPacked(places uint64, width int) *packed {
	b := uint64(1)
	for b < uint64(width) {
		b *= 2
	}
	return &packed{b, make([]uint64, places*b/64+1)}
}

// wordBytes returns what words take.
func wordBytes(places uint64, width int) uint64 {
	return places * uint64(max(1, 1<<bits.Len(uint(max(0, width-1)))/8))
}

func (w *packed) at(p uint64) uint64 {
	bit := p * w.bits
	return atomic.LoadUint64(&w.list[bit/64]) >> (bit % 64) & (^uint64(0) >> (64 - w.bits))
}

// touch is an explore.Selection.Touch.
func (w *packed) touch(places []uint64) (read uint64) {
	for _, p := range places {
		read ^= atomic.LoadUint64(&w.list[p*w.bits/64])
	}
	return read
}

func (w *packed) or(p, v uint64) {
	bit := p * w.bits
	atomic.OrUint64(&w.list[bit/64], v<<(bit%64))
}

func (w *packed) clear() { clear(w.list) }

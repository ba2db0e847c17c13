package product

import (
	"errors"
	"math"
	"slices"
)

// ErrTooLarge means that a graph or its product has more states, or kinds of them, than can be numbered.
var ErrTooLarge = errors.New("too large for a search for cycles")

// A Graph is a transition system in memory. Its states are numbered from 0 on; every state has a transition.
type Graph struct {
	Initial []uint32
	ends    []uint64 // by state: where its transitions end
	to      []uint32
	kinds   []uint16 // by transition: the index in Kinds
	classes []uint32 // by state

	Kinds []Kind
}

// A Kind is what matters of a transition but for its target.
type Kind struct {
	Process int    // who takes it; -1 if nobody
	Action  string // what it is
	Ends    bool   // it is the last one of a distribution; it is one of its own if the one before ends, too
}

// Over is the Action of what is added to terminal states: nothing happens any more.
const Over = "over"

// States returns the number of states.
func (g *Graph) States() int { return len(g.ends) }

// Draws reports whether there is a distribution with several outcomes.
func (g *Graph) Draws() bool {
	return slices.ContainsFunc(g.kinds, func(k uint16) bool { return !g.Kinds[k].Ends })
}

// Bytes returns the memory that the graph holds.
func (g *Graph) Bytes() uint64 {
	return 8*uint64(cap(g.ends)) + 4*uint64(cap(g.to)) + 2*uint64(cap(g.kinds)) + 4*uint64(cap(g.classes))
}

// transitions returns where those of a state are.
func (g *Graph) transitions(s uint32) (first, end uint64) {
	if s > 0 {
		first = g.ends[s-1]
	}
	return first, g.ends[s]
}

// A Builder makes a graph of states that come in the order of their numbers, each followed by its transitions.
type Builder struct {
	graph Graph
	kinds map[Kind]uint16
	last  uint64 // of the transitions of states that are complete
	err   error
}

// NewBuilder returns a builder of a graph without states.
func NewBuilder() *Builder {
	return &Builder{kinds: make(map[Kind]uint16)}
}

// Bytes returns the memory that is in use.
func (b *Builder) Bytes() uint64 { return b.graph.Bytes() }

// State notes the class of the next state that has none.
func (b *Builder) State(class uint32) {
	b.graph.classes = append(b.graph.classes, class)
	if len(b.graph.classes) >= math.MaxUint32 {
		b.err = ErrTooLarge
	}
}

// Kind returns the number of a kind.
func (b *Builder) Kind(kind Kind) uint16 {
	n, ok := b.kinds[kind]
	if !ok {
		if len(b.kinds) > math.MaxUint16 {
			b.err = ErrTooLarge
			return 0
		}
		n = uint16(len(b.kinds))
		b.kinds[kind] = n
		b.graph.Kinds = append(b.graph.Kinds, kind)
	}
	return n
}

// Transition adds a transition, of the kind with that number, of the next state that is not complete.
func (b *Builder) Transition(kind uint16, to uint32) {
	b.graph.to = append(b.graph.to, to)
	b.graph.kinds = append(b.graph.kinds, kind)
}

// Complete says that a state has all its transitions. A terminal state gets one to itself, since a run goes on for ever.
func (b *Builder) Complete() {
	g := &b.graph
	if uint64(len(g.to)) == b.last {
		b.Transition(b.Kind(Kind{-1, Over, true}), uint32(len(g.ends)))
	}
	b.last = uint64(len(g.to))
	g.ends = append(g.ends, b.last)
}

// Graph returns the graph, with its initial states. The error is ErrTooLarge.
func (b *Builder) Graph(initial []uint32) (*Graph, error) {
	b.graph.Initial = initial
	return &b.graph, b.err
}

package product

import (
	"errors"
	"math"
)

// ErrTooLarge means that a graph or its product has more states, or kinds of them, than can be numbered.
var ErrTooLarge = errors.New("too large for a search for cycles")

// A Graph is a transition system in memory. Its states are numbered from 0 on; every state has a transition.
type Graph struct {
	Initial []uint32
	ends    list[uint64] // by state: where its transitions end
	to      list[uint32]
	kinds   list[uint16] // by transition: the index in Kinds
	classes list[uint32] // by state

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
func (g *Graph) States() int { return int(g.ends.n) }

// Draws reports whether there is a distribution with several outcomes.
func (g *Graph) Draws() bool {
	for t := range g.kinds.n {
		if !g.kind(t).Ends {
			return true
		}
	}
	return false
}

// Bytes returns the memory that the graph holds.
func (g *Graph) Bytes() uint64 {
	return chunkSize * uint64(8*len(g.ends.chunks)+4*len(g.to.chunks)+2*len(g.kinds.chunks)+4*len(g.classes.chunks))
}

// transitions returns where those of a state are.
func (g *Graph) transitions(s uint32) (first, end uint64) {
	if s > 0 {
		first = g.ends.at(uint64(s) - 1)
	}
	return first, g.ends.at(uint64(s))
}

// kind returns that of a transition.
func (g *Graph) kind(t uint64) *Kind { return &g.Kinds[g.kinds.at(t)] }

// A list is a slice in chunks, so that it grows without being copied.
type list[T any] struct {
	chunks [][]T
	n      uint64
}

const chunkSize = 1 << 16

func (l *list[T]) at(i uint64) T { return l.chunks[i/chunkSize][i%chunkSize] }

func (l *list[T]) add(v T) {
	if l.n%chunkSize == 0 {
		l.chunks = append(l.chunks, make([]T, chunkSize))
	}
	l.chunks[l.n/chunkSize][l.n%chunkSize] = v
	l.n++
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
	b.graph.classes.add(class)
	if b.graph.classes.n >= math.MaxUint32 {
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
	b.graph.to.add(to)
	b.graph.kinds.add(kind)
}

// Complete says that a state has all its transitions. A terminal state gets one to itself, since a run goes on for ever.
func (b *Builder) Complete() {
	g := &b.graph
	if g.to.n == b.last {
		b.Transition(b.Kind(Kind{-1, Over, true}), uint32(g.ends.n))
	}
	b.last = g.to.n
	g.ends.add(b.last)
}

// Graph returns the graph, with its initial states. The error is ErrTooLarge.
func (b *Builder) Graph(initial []uint32) (*Graph, error) {
	b.graph.Initial = initial
	return &b.graph, b.err
}

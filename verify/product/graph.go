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
	ends    []uint64 // by state: where its transitions end
	to      []uint32
	kinds   []uint16 // by transition
	letters []uint16 // by state

	Kinds   []Kind
	Letters []uint64 // the atoms that are true in a state, a bit each
}

// A Kind is what matters of a transition but for its target.
type Kind struct {
	Events  uint64 // atoms that are true of the transition
	Process int    // who takes it; -1 if nobody
	Takes   uint64 // which actions of Search.Actions it can be, a bit each
	Ends    bool   // it is the last one of a distribution; it is one of its own if the one before ends, too
	Over    bool   // nothing happens any more: see Builder.Complete
}

// States returns the number of states.
func (g *Graph) States() int { return len(g.ends) }

// Bytes returns the memory that the graph holds.
func (g *Graph) Bytes() uint64 {
	return 8*uint64(cap(g.ends)) + 4*uint64(cap(g.to)) + 2*uint64(cap(g.kinds)+cap(g.letters))
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
	graph   Graph
	kinds   map[Kind]uint16
	letters map[uint64]uint16
	last    uint64 // of the transitions of states that are complete
	err     error
}

// NewBuilder returns a builder of a graph without states.
func NewBuilder() *Builder {
	return &Builder{kinds: make(map[Kind]uint16), letters: make(map[uint64]uint16)}
}

// Bytes returns the memory that is in use.
func (b *Builder) Bytes() uint64 { return b.graph.Bytes() }

// State notes the atoms that are true in the next state that has none.
func (b *Builder) State(letter uint64) {
	n, ok := b.letters[letter]
	if !ok {
		n = number(b, len(b.letters))
		b.letters[letter] = n
		b.graph.Letters = append(b.graph.Letters, letter)
	}
	b.graph.letters = append(b.graph.letters, n)
	if len(b.graph.letters) >= math.MaxUint32 {
		b.err = ErrTooLarge
	}
}

func number(b *Builder, n int) uint16 {
	if n > math.MaxUint16 {
		b.err = ErrTooLarge
	}
	return uint16(n)
}

// Transition adds a transition of the next state that is not complete.
func (b *Builder) Transition(kind Kind, to uint32) {
	n, ok := b.kinds[kind]
	if !ok {
		n = number(b, len(b.kinds))
		b.kinds[kind] = n
		b.graph.Kinds = append(b.graph.Kinds, kind)
	}
	b.graph.to = append(b.graph.to, to)
	b.graph.kinds = append(b.graph.kinds, n)
}

// Complete says that a state has all its transitions. In a terminal state nothing happens for ever: it gets one to itself, of which
// some atoms are true.
func (b *Builder) Complete(over uint64) {
	g := &b.graph
	if uint64(len(g.to)) == b.last {
		b.Transition(Kind{Events: over, Process: -1, Ends: true, Over: true}, uint32(len(g.ends)))
	}
	b.last = uint64(len(g.to))
	g.ends = append(g.ends, b.last)
}

// Graph returns the graph, with its initial states. The error is ErrTooLarge.
func (b *Builder) Graph(initial []uint32) (*Graph, error) {
	b.graph.Initial = initial
	return &b.graph, b.err
}

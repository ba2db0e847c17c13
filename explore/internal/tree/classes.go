package tree

import (
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// An Observer is an explore.Observer.
type Observer interface {
	Leaf(slot int) func(v model.Value) uint32
	Join(first, mid, end int) func(left, right uint32) uint32
}

// Classes computes and stores the classes of the states in a store. It is safe for concurrent use.
type Classes struct{ root *part }

// Classes returns the classes into which o divides the states of s.
func (s *Store) Classes(o Observer) *Classes { return &Classes{newPart(s.root, o)} }

// Of returns the class of a state.
func (c *Classes) Of(id StateID) uint32 {
	left, right := intern.Split(id)
	return c.root.join(c.root.left.class(left), c.root.right.class(right))
}

// Bytes returns the memory of c, which may be nil, without the memory of the observer.
func (c *Classes) Bytes() int64 {
	if c == nil {
		return 0
	}
	return c.root.bytes()
}

// A part stores the classes of a node.
type part struct {
	node        *node
	left, right *part
	leafClass   func(v model.Value) uint32
	joinClass   func(left, right uint32) uint32
	classes     intern.Array[atomic.Uint32] // by number of the node: its class, plus one
	joins       intern.Grid                 // by classes of the halves
	size        atomic.Int32                // of joins
}

// maxJoins is the maximum number of pairs of classes that a part caches; for others it calls the observer each time.
const maxJoins = 1 << 22

func newPart(n *node, o Observer) *part {
	p := &part{node: n}
	switch {
	case !n.leaf():
		p.left, p.right = newPart(n.left, o), newPart(n.right, o)
		p.joinClass = o.Join(n.first, n.left.end, n.end)
	case n.empty():
		p.leafClass = func(model.Value) uint32 { return 0 }
	default:
		p.leafClass = o.Leaf(n.first)
	}
	return p
}

// class returns the class of the part of a state with the given number.
func (p *part) class(number uint32) uint32 {
	known := p.classes.At(number)
	if c := known.Load(); c != 0 {
		return c - 1
	}
	var c uint32
	if p.node.leaf() {
		c = p.leafClass(number)
	} else {
		left, right := p.node.children(number)
		c = p.join(p.left.class(left), p.right.class(right))
	}
	known.Store(c + 1)
	return c
}

func (p *part) join(left, right uint32) uint32 {
	if c, ok := p.joins.Load(left, right); ok {
		return c
	}
	c := p.joinClass(left, right)
	if p.size.Load() >= maxJoins {
		return c
	}
	p.size.Add(1)
	return p.joins.LoadOrStore(left, right, c)
}

func (p *part) bytes() int64 {
	if p == nil {
		return 0
	}
	return p.classes.Bytes() + p.joins.Bytes() + p.left.bytes() + p.right.bytes()
}

// RestTable caches the resting states of states: see Worker.RestingState. It is safe for concurrent use.
type RestTable struct {
	*Classes
	rule        int
	left, right halfTable
}

// A halfTable has, by number of a half, the number of its resting half, plus one.
type halfTable = intern.Array[atomic.Uint32]

// RestTable returns the table of the resting states within the classes. The rule, a number from 0 on, determines which
// move a part takes if there are several.
func (c *Classes) RestTable(rule int) *RestTable { return &RestTable{Classes: c, rule: rule} }

// RestingState returns a state of the same class that can be reached from id, which has been expanded before: each half
// in turn takes one of its moves that do not change its class, until it has no such move, or is in a cycle. The moves
// within a half do not depend on the other half, so this is computed once for each half, and very many states have few
// resting states. A state of a quotient by rotation, and a representative, is its own resting state.
func (w *Worker) RestingState(id StateID, m *RestTable) StateID {
	if w.ring != nil || w.representer != nil {
		return id // a move of a half may need a rotation, or may not lead to a representative
	}
	left, right := intern.Split(id)
	left = w.restingHalf(m.root.left, left, m.rule, &m.left)
	right = w.restingHalf(m.root.right, right, m.rule, &m.right)
	return intern.Pair(left, right)
}

func (w *Worker) restingHalf(p *part, number uint32, rule int, table *halfTable) uint32 {
	if to := table.At(number).Load(); to != 0 {
		return to - 1
	}
	class := p.class(number)
	w.path = w.path[:0]
	for {
		// Until the result is known, the half is its own resting half. This ends cycles, and is correct for other
		// workers that read it.
		table.At(number).Store(number + 1)
		w.path = append(w.path, number)
		var memo successorMemo
		if w.memoOf(p.node, number, p.node.record(number), &memo) != nil {
			break
		}
		to, ok := p.choose(number, rule, class, memo.moves)
		if !ok {
			break
		}
		number = to
		if to := table.At(number).Load(); to != 0 {
			number = to - 1
			break
		}
	}
	for _, part := range w.path {
		table.At(part).Store(number + 1)
	}
	return number
}

// choose chooses one of the moves of a number that do not change its class, pseudo-randomly, so that parts with the
// same moves do not always take the same one.
func (p *part) choose(number uint32, rule int, class uint32, moves []uint32) (to uint32, ok bool) {
	first := int(uint64(number)*0x9e3779b97f4a7c15>>40) + rule
	for i := range moves {
		if to := moves[(first+i)%len(moves)]; p.class(to) == class {
			return to, true
		}
	}
	return 0, false
}

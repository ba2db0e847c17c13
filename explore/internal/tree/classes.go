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
type Classes struct{ root *nodeClasses }

// Classes returns the classes into which o divides the states of s.
func (s *Store) Classes(o Observer) *Classes { return &Classes{newNodeClasses(s.root, o)} }

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

// nodeClasses stores the classes of the parts of states that belong to a node.
type nodeClasses struct {
	node        *node
	left, right *nodeClasses
	leafClass   func(v model.Value) uint32
	joinClass   func(left, right uint32) uint32
	classes     intern.Array[atomic.Uint32] // by number of the node: its class, plus one
	joins       intern.Grid                 // by classes of the halves
	size        atomic.Int32                // of joins
}

// maxJoins is the maximum number of pairs of classes that a node caches; for others it calls the observer each time.
const maxJoins = 1 << 22

func newNodeClasses(of *node, o Observer) *nodeClasses {
	n := &nodeClasses{node: of}
	switch {
	case !of.leaf():
		n.left, n.right = newNodeClasses(of.left, o), newNodeClasses(of.right, o)
		n.joinClass = o.Join(of.first, of.left.end, of.end)
	case of.empty():
		n.leafClass = func(model.Value) uint32 { return 0 }
	default:
		n.leafClass = o.Leaf(of.first)
	}
	return n
}

// class returns the class of the part of a state with the given number.
func (n *nodeClasses) class(number uint32) uint32 {
	known := n.classes.At(number)
	if c := known.Load(); c != 0 {
		return c - 1
	}
	var c uint32
	if n.node.leaf() {
		c = n.leafClass(number)
	} else {
		left, right := n.node.children(number)
		c = n.join(n.left.class(left), n.right.class(right))
	}
	known.Store(c + 1)
	return c
}

func (n *nodeClasses) join(left, right uint32) uint32 {
	if c, ok := n.joins.Load(left, right); ok {
		return c
	}
	c := n.joinClass(left, right)
	if n.size.Load() >= maxJoins {
		return c
	}
	n.size.Add(1)
	return n.joins.LoadOrStore(left, right, c)
}

func (n *nodeClasses) bytes() int64 {
	if n == nil {
		return 0
	}
	return n.classes.Bytes() + n.joins.Bytes() + n.left.bytes() + n.right.bytes()
}

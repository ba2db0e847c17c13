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

// Classes knows the classes of the states in a store. It is safe for concurrent use.
type Classes struct{ root *part }

// Classes returns the classes into which o divides the states of s.
func (s *Store) Classes(o Observer) *Classes { return &Classes{newPart(s, s.root, o)} }

// Of returns the class of a state.
func (c *Classes) Of(id StateID) uint32 {
	left, right := intern.Split(id)
	return c.root.join(c.root.left.class(left), c.root.right.class(right))
}

// Bytes returns the memory that c, which may be nil, holds, but for the observer's.
func (c *Classes) Bytes() int64 {
	if c == nil {
		return 0
	}
	return c.root.bytes()
}

// A part is a node as an observer sees it.
type part struct {
	node        *node
	left, right *part
	leafClass   func(v model.Value) uint32
	joinClass   func(left, right uint32) uint32
	known       intern.Array[atomic.Uint32] // by number of the node: its class, plus one
	joined      intern.Grid                 // by classes of the halves
	size        atomic.Int32                // of joined
}

// maxJoined is how many pairs of classes a part remembers; it asks the observer again for others.
const maxJoined = 1 << 22

func newPart(s *Store, n *node, o Observer) *part {
	p := &part{node: n}
	switch {
	case !n.leaf():
		p.left, p.right = newPart(s, n.left, o), newPart(s, n.right, o)
		p.joinClass = o.Join(n.first, n.left.end, n.end)
	case n.first < s.width:
		p.leafClass = o.Leaf(n.first)
	default:
		p.leafClass = func(model.Value) uint32 { return 0 }
	}
	return p
}

// class returns the class of what a number of the node stands for.
func (p *part) class(number uint32) uint32 {
	known := p.known.At(number)
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
	if c, ok := p.joined.Load(left, right); ok {
		return c
	}
	c := p.joinClass(left, right)
	if p.size.Load() >= maxJoined {
		return c
	}
	p.size.Add(1)
	return p.joined.LoadOrStore(left, right, c)
}

func (p *part) bytes() int64 {
	if p == nil {
		return 0
	}
	return p.known.Bytes() + p.joined.Bytes() + p.left.bytes() + p.right.bytes()
}

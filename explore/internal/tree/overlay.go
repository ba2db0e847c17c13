package tree

import (
	"context"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Overlay returns a store for another system with the same slots, which uses the numbers of s: every state has the same
// ID in both stores. Neither system is a quotient or reduced. The other system has the states for which has is true of
// every slot; no others are expanded. Overlay panics when ctx ends.
func (s *Store) Overlay(
	ctx context.Context, sys model.System, has func(slot int, v model.Value) bool, tagger Tagger,
) *Store {
	splits := make(map[[2]int]int)
	for _, n := range s.nodes {
		if !n.leaf() {
			splits[[2]int{n.first, n.end}] = n.left.end
		}
	}
	t := &Store{width: s.width}
	t.plant(ctx, sys, s.height(), splits)
	t.usePlain(tagger)
	for i, n := range s.nodes {
		t.nodes[i].numberedBy = n
	}
	for _, half := range []*node{t.root.left, t.root.right} {
		half.members = &members{has: has}
		if !half.leaf() {
			half.recordLimit = 0
		}
	}
	return t
}

// members are the numbers of a half of an overlay whose values its system has. They are a fraction of all numbers, and
// their data seldom fit in a record: an inner node has no records, but the data of members in node.longRecords.
type members struct {
	has     func(slot int, v model.Value) bool
	entries intern.Array[atomic.Uint32] // by number: 0 before it is examined, member, excluded, or the Ref of its data
}

// Entries of members.entries that are not the Ref of an encoding.
const (
	member   = uint32(nothing)
	excluded = all
)

// Has reports whether the system of an overlay has a state.
func (w *Worker) Has(id StateID) bool {
	l, r := intern.Split(id)
	return w.isMember(w.root.left, l) && w.isMember(w.root.right, r)
}

func (w *Worker) isMember(half *node, number uint32) bool {
	known := half.members.entries.At(number)
	if known.Load() == 0 {
		known.CompareAndSwap(0, w.examine(half, number))
	}
	return known.Load() != excluded
}

// examine returns the first entry of a number in members.entries.
func (w *Worker) examine(half *node, number uint32) uint32 {
	half.decode(number, w.next)
	for slot := half.first; slot < half.end; slot++ {
		if !half.members.has(slot, w.next[slot]) {
			return excluded
		}
	}
	return member
}

// memberMemo is memoOf for a member of a half that is an inner node.
func (w *Worker) memberMemo(half *node, m *memo) error {
	known := half.members.entries.At(m.number)
	ref := known.Load()
	if ref <= member {
		encoding, err := w.computeEncoding(half, m.number)
		if err != nil {
			return err
		}
		ref = w.addLong(half, encoding)
		known.Store(ref) // another worker may have added the same
	}
	m.pair = half.pair(m.number)
	m.loadLong(half, ref)
	return nil
}

// touch is node.touch for a member.
func (m *members) touch(half *node, number uint32) uint32 {
	touched := uint32(half.pair(number))
	if ref := m.entries.At(number).Load(); ref > member {
		touched ^= half.longRecords.At(ref)[0]
	}
	return touched
}

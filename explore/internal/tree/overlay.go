package tree

import (
	"context"
	"sync/atomic"

	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Overlay returns a store for another system with the same slots, which uses the numbers of s: every state has the same
// ID in both stores. Neither system is a quotient or reduced. The other system has the states for which has is true of
// every slot; no others are expanded. Overlay panics when ctx ends.
func (s *Store) Overlay(
	ctx context.Context, sys model.System, has func(slot int, v model.Value) bool, tagger Tagger,
) *Store {
	t := &Store{sys: sys, groups: sys.Groups(), width: s.width, tagBits: narrow}
	t.tagger = t.marking(tagger)
	b := builder{groups: t.groups, effort: effort.Effort{Context: ctx}, splits: make(map[[2]int]int)}
	for _, n := range s.nodes {
		if !n.leaf() {
			b.splits[[2]int{n.first, n.end}] = n.left.end
		}
	}
	t.root = b.root(t.width, s.height())
	t.complete()
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
// their data seldom fit in a record: an inner node has no records, but the data of members in node.long.
type members struct {
	has     func(slot int, v model.Value) bool
	entries intern.Array[atomic.Uint32] // by number: 0 before it is examined, member, excluded, or the Ref of its data
}

// Entries of members.entries that are not the Ref of a run.
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
func (w *Worker) memberMemo(half *node, f *successorMemo) error {
	known := half.members.entries.At(f.number)
	ref := known.Load()
	if ref <= member {
		run, err := w.computeRun(half, f.number)
		if err != nil {
			return err
		}
		ref = w.addLong(half, run)
		known.Store(ref) // another worker may have added the same
	}
	f.pair = half.pair(f.number)
	f.loadLong(half, ref)
	return nil
}

// touch is node.touch for a member.
func (m *members) touch(half *node, number uint32) uint32 {
	touched := uint32(half.pair(number))
	if ref := m.entries.At(number).Load(); ref > member {
		touched ^= half.long.At(ref)[0]
	}
	return touched
}

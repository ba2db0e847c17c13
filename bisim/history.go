package bisim

import (
	"context"
	"fmt"

	"ringcheck/lts"
)

// A history tells how the states of a system were divided by signature refinement, round by round, until two
// given states were told apart: a tree of classes. A class is the node of a round's partition; it has
// children if it was divided in a later round.
type history struct {
	class  []uint32 // by state: its class in the last round
	parent []uint32 // by class; the first, of all states, is its own parent
	round  []uint32 // by class: the round that made it
}

// newHistory refines the classes of l until x and y are told apart.
func newHistory(ctx context.Context, l *lts.LTS, e Equivalence, x, y uint32) (*history, error) {
	g, node := reduce(l, e, false)
	z := newSigner(g, 1)
	h := &history{class: make([]uint32, l.States()), parent: []uint32{0}, round: []uint32{0}}
	for round := uint32(1); h.class[x] == h.class[y]; round++ {
		before := len(h.parent)
		if err := z.round(ctx); err != nil {
			return nil, fmt.Errorf("looking for a difference: %w", err)
		}
		h.record(round, func(s uint32) uint32 {
			if node != nil {
				s = node[s]
			}
			return z.block[s]
		})
		if len(h.parent) == before {
			return nil, fmt.Errorf("looking for a difference: there is none")
		}
	}
	return h, nil
}

// record makes a class of each part into which a class has been divided, given each state's block. A block
// lies within a class.
func (h *history) record(round uint32, block func(s uint32) uint32) {
	first := map[uint32]uint32{} // by class: the block of its first state
	divided := map[uint32]bool{}
	for s, c := range h.class {
		b := block(uint32(s))
		if f, ok := first[c]; !ok {
			first[c] = b
		} else if f != b {
			divided[c] = true
		}
	}
	part := map[uint32]uint32{} // by block
	for s, c := range h.class {
		if !divided[c] {
			continue
		}
		b := block(uint32(s))
		if _, ok := part[b]; !ok {
			part[b] = uint32(len(h.parent))
			h.parent = append(h.parent, c)
			h.round = append(h.round, round)
		}
		h.class[s] = part[b]
	}
}

// at returns the class that contains class c after a round.
func (h *history) at(c, round uint32) uint32 {
	for h.round[c] > round {
		c = h.parent[c]
	}
	return c
}

// fork returns the classes that contain two different classes, none of which contains the other, when they
// were first told apart.
func (h *history) fork(c, d uint32) (uint32, uint32) {
	for h.parent[c] != h.parent[d] {
		if h.round[c] >= h.round[d] {
			c = h.parent[c]
		} else {
			d = h.parent[d]
		}
	}
	return c, d
}

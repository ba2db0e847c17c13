package bisim

import (
	"errors"

	"ringcheck/internal/effort"
)

// A history tells how the states of a graph were told apart, one round after the other. Each class that was divided
// has its parts as children in a tree.
type history struct {
	effort *effort.Effort
	tree   []class
	leaf   []uint32 // by block: the class in tree that it is
	name   []uint32 // by state: its block
}

// A class is a set of states that a round has not told apart. The first is of all states.
type class struct {
	parent uint32
	round  uint32 // that made it, later than its parent
}

// newHistory returns the history of a refinement, with one class so far.
func newHistory(r *refiner) *history {
	return &history{effort: r.effort, tree: []class{{}}, leaf: []uint32{0}, name: r.blockOf}
}

// tellApart refines a graph until x and y, which are not equivalent, are in different blocks: in as few rounds as can
// be.
func tellApart(f *effort.Effort, g *graph, x, y uint32) (*history, error) {
	r := newRefiner(f, g, g.reverse(f), make([]uint32, g.states()), 1)
	r.history = newHistory(r)
	apart := func() bool { return r.blockOf[x] != r.blockOf[y] }
	if r.run(apart); !apart() {
		return nil, errors.New("there is no difference")
	}
	return r.history, nil
}

// divide notes that a block was divided into parts with some numbers, of which the new ones come in order.
func (h *history) divide(block, round uint32, numbers []uint32) {
	h.effort.Hold(8 * uint64(len(numbers)))
	parent := h.leaf[block]
	for _, number := range numbers {
		part := uint32(len(h.tree))
		h.tree = append(h.tree, class{parent, round})
		if number == block {
			h.leaf[block] = part
		} else {
			h.leaf = append(h.leaf, part)
		}
	}
}

// classAt returns the class of a state after a round.
func (h *history) classAt(s, round uint32) uint32 {
	c := h.leaf[h.name[s]]
	for h.tree[c].round > round {
		c = h.tree[c].parent
	}
	return c
}

// fork returns the class that contains c when it was first told apart from d. They are different, and none contains the
// other.
func (h *history) fork(c, d uint32) uint32 {
	for h.tree[c].parent != h.tree[d].parent {
		if h.tree[c].round >= h.tree[d].round {
			c = h.tree[c].parent
		} else {
			d = h.tree[d].parent
		}
	}
	return c
}

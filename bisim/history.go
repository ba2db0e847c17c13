package bisim

import "ringcheck/internal/effort"

// A history tells how the states of a graph were told apart, one step after the other. Each class that was divided
// has its parts as children in a tree.
type history struct {
	*graph
	effort *effort.Effort
	tree   []class
	leaf   []uint32 // by name: the class in tree that has it
	name   []uint32 // by state: the name of its class
	elem   []uint32 // the states, class by class
}

// A class is a set of states that one step has not told apart. The first is of all states.
type class struct {
	parent, jump uint32 // jump is an ancestor further up
	depth        uint32
	round        uint32 // the step that made it
	start, end   uint32 // its range in elem
}

// newHistory returns one with one class.
func newHistory(f *effort.Effort, g *graph) *history {
	return &history{graph: g, effort: f, tree: []class{{end: uint32(g.states())}}, leaf: []uint32{0}}
}

// bySplits refines a graph by the refiner (refiner.go). Every split is a step: the states of one part can do something
// that those of the other cannot, as far as was known before, for they had been split by that. It takes time
// O(m log n), whatever the graph is like; but formulas can be deeper than they need be.
func bySplits(f *effort.Effort, g *graph) *history {
	r := newRefiner(f, g)
	h := newHistory(f, g)
	r.history = h
	r.run()
	h.name, h.elem = r.blockOf, r.elem
	return h
}

// split notes that a new block, from start to middle in elem, was detached from block b, which keeps the rest up to end.
func (h *history) split(b, start, middle, end uint32) {
	parent, round := h.leaf[b], uint32(len(h.tree))
	h.leaf = append(h.leaf, h.child(parent, round, start, middle))
	h.leaf[b] = h.child(parent, round, middle, end)
}

// child adds a class to the tree. Its jump pointer makes ancestors reachable in logarithmic time (E. W. Myers, "An
// applicative random-access stack", Inf. Process. Lett. 17, 1983).
func (h *history) child(parent, round, start, end uint32) uint32 {
	h.effort.Hold(24)
	p := h.tree[parent]
	jump := parent
	if j := h.tree[p.jump]; p.depth-j.depth == j.depth-h.tree[j.jump].depth {
		jump = j.jump
	}
	h.tree = append(h.tree, class{parent: parent, jump: jump, depth: p.depth + 1, round: round, start: start, end: end})
	return uint32(len(h.tree) - 1)
}

// members returns the states of a class.
func (h *history) members(c uint32) []uint32 { return h.elem[h.tree[c].start:h.tree[c].end] }

// classAt returns the class of a state after a round.
func (h *history) classAt(s, round uint32) uint32 {
	c := h.leaf[h.name[s]]
	for h.tree[c].round > round {
		if j := h.tree[c].jump; h.tree[j].round > round {
			c = j
		} else {
			c = h.tree[c].parent
		}
	}
	return c
}

// fork returns the class that contains c when it was first told apart from d. They are different, and none contains the other.
func (h *history) fork(c, d uint32) uint32 {
	c, d = h.lift(c, h.tree[d].depth), h.lift(d, h.tree[c].depth)
	for h.tree[c].parent != h.tree[d].parent {
		if h.tree[c].jump != h.tree[d].jump {
			c, d = h.tree[c].jump, h.tree[d].jump
		} else {
			c, d = h.tree[c].parent, h.tree[d].parent
		}
	}
	return c
}

// lift returns the ancestor of a class that is no deeper than depth.
func (h *history) lift(c, depth uint32) uint32 {
	for h.tree[c].depth > depth {
		if j := h.tree[c].jump; h.tree[j].depth >= depth {
			c = j
		} else {
			c = h.tree[c].parent
		}
	}
	return c
}

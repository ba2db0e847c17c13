package bisim

import (
	"container/heap"
	"errors"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A history tells how the states of a graph were told apart: in rounds, as by signature refinement (signatures.go),
// so in the least number of steps. Each class that a round divided has its parts as children in a tree.
//
// A round looks only at states whose signature may have changed, since a state that they lead to was renamed in the
// round before. The largest part of a class that is divided keeps the class's name, so that a state is renamed
// log n times at most (J. Jacobs and T. Wißmann, "Fast coalgebraic bisimilarity minimization", POPL 2023). A system
// that needs as many rounds as it has states, such as a chain, takes hardly longer than one that needs few.
type history struct {
	*graph
	effort *effort.Effort
	tree   []class
	leaf   []uint32 // by name: the class in tree that has it
	name   []uint32 // by state: the name of its class
	elem   []uint32 // the states, class by class
	at     []uint32 // by state: its index in elem

	sig     []uint32  // by state: its signature, a row of table; none if it has not been computed
	table   *rowTable // signatures: labels and names of classes
	in      [][]uint32
	dirty   *states  // states to look at in the next round
	touched []uint32 // names of classes with states whose signature has changed
	changed []uint32 // by name: how many
}

// A class is a set of states that one round has not told apart. The first is of all states.
type class struct {
	parent, jump uint32 // jump is an ancestor further up
	depth        uint32
	round        uint32 // that made it
	start, end   uint32 // its range in elem
}

// maxRounds bounds the depth of formulas.
const maxRounds = 1 << 15

var errTooDeep = errors.New("the difference lies too deep to be put in a formula")

// newHistory refines a graph until x and y, which are not equivalent, are told apart.
func newHistory(f *effort.Effort, g *graph, x, y uint32) (*history, error) {
	h := newHistoryOf(f, g)
	for round := uint32(1); h.name[x] == h.name[y]; round++ {
		switch {
		case h.dirty.Len() == 0:
			return nil, errors.New("there is no difference")
		case round > maxRounds:
			return nil, errTooDeep
		}
		h.refine(round)
	}
	return h, nil
}

// newHistoryOf returns a history with one class.
func newHistoryOf(f *effort.Effort, g *graph) *history {
	n := uint32(g.states())
	f.Hold(uint64(n)*(5*4+24) + 4*uint64(len(g.edges)))
	h := &history{
		graph: g, effort: f,
		tree: []class{{end: n}}, leaf: []uint32{0}, changed: []uint32{0},
		name: make([]uint32, n), elem: make([]uint32, n), at: make([]uint32, n), sig: make([]uint32, n),
		table: newRowTable(f), in: make([][]uint32, n), dirty: newStates(n),
	}
	for s := range n {
		f.Tick()
		h.elem[s], h.at[s], h.sig[s] = s, s, none
		h.dirty.add(s)
		for _, e := range g.row(s) {
			h.in[e.To] = append(h.in[e.To], s)
		}
	}
	return h
}

// refine makes one round. States are taken up in ascending order, so that those that an inert τ leads to come first.
func (h *history) refine(round uint32) {
	var row []lts.Edge
	for h.dirty.Len() > 0 {
		h.effort.Tick()
		s := heap.Pop(h.dirty).(uint32)
		row = h.sign(s, row[:0])
		if sig := h.table.add(row); sig != h.sig[s] {
			h.sig[s] = sig
			h.touch(s)
		}
	}
	var renamed []uint32
	for _, c := range h.touched {
		renamed = h.divide(c, round, renamed)
		h.changed[c] = 0
	}
	h.touched = h.touched[:0]
	for _, s := range renamed {
		h.dirty.add(s) // its τ's may no longer be inert
		for _, from := range h.in[s] {
			h.effort.Tick()
			h.dirty.add(from)
		}
	}
}

// sign computes the signature of a state.
func (h *history) sign(s uint32, row []lts.Edge) []lts.Edge {
	for _, e := range h.row(s) {
		if h.inert && e.Label == lts.Tau && h.name[e.To] == h.name[s] {
			row = append(row, h.table.row(h.sig[e.To])...)
		} else {
			row = append(row, lts.Edge{Label: e.Label, To: h.name[e.To]})
		}
	}
	return normalize(row)
}

// touch moves a state to the front of its class, and wakes those whose signatures include its own.
func (h *history) touch(s uint32) {
	c := h.name[s]
	if h.changed[c] == 0 {
		h.touched = append(h.touched, c)
	}
	front := h.tree[h.leaf[c]].start + h.changed[c]
	t := h.elem[front]
	h.elem[front], h.elem[h.at[s]] = s, t
	h.at[s], h.at[t] = front, h.at[s]
	h.changed[c]++
	if !h.inert {
		return
	}
	for _, from := range h.in[s] {
		if from > s && h.name[from] == c && slices.Contains(h.row(from), lts.Edge{Label: lts.Tau, To: s}) {
			h.dirty.add(from)
		}
	}
}

// divide divides a class by the signatures of its states; those that have not changed are equal. It appends the
// states that get a new name.
func (h *history) divide(c, round uint32, renamed []uint32) []uint32 {
	old := h.tree[h.leaf[c]]
	changed := h.elem[old.start : old.start+h.changed[c]]
	slices.SortFunc(changed, func(s, t uint32) int { return int(h.sig[s]) - int(h.sig[t]) })
	var ends []uint32 // of the parts
	for i, s := range changed {
		h.effort.Tick()
		h.at[s] = old.start + uint32(i)
		if i+1 == len(changed) || h.sig[changed[i+1]] != h.sig[s] {
			ends = append(ends, old.start+uint32(i)+1)
		}
	}
	if h.changed[c] < old.end-old.start {
		ends = append(ends, old.end)
	}
	if len(ends) == 1 {
		return renamed
	}
	parent := h.leaf[c]
	start, largest, size := old.start, 0, uint32(0)
	for i, end := range ends {
		if end-start > size {
			largest, size = i, end-start
		}
		start = end
	}
	start = old.start
	for i, end := range ends {
		part := h.child(parent, round, start, end)
		if i == largest {
			h.leaf[c] = part
		} else {
			renamed = h.rename(part, renamed)
		}
		start = end
	}
	return renamed
}

// rename gives the states of a class a new name.
func (h *history) rename(part uint32, renamed []uint32) []uint32 {
	name := uint32(len(h.leaf))
	h.leaf = append(h.leaf, part)
	h.changed = append(h.changed, 0)
	for _, s := range h.members(part) {
		h.name[s] = name
		renamed = append(renamed, s)
	}
	return renamed
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

// fork returns the classes that contain two different classes, none of which contains the other, when they were
// first told apart.
func (h *history) fork(c, d uint32) (uint32, uint32) {
	c, d = h.lift(c, h.tree[d].depth), h.lift(d, h.tree[c].depth)
	for h.tree[c].parent != h.tree[d].parent {
		if h.tree[c].jump != h.tree[d].jump {
			c, d = h.tree[c].jump, h.tree[d].jump
		} else {
			c, d = h.tree[c].parent, h.tree[d].parent
		}
	}
	return c, d
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

// states is a set of states, a heap that gives the least first.
type states struct {
	has  []bool
	heap []uint32
}

func newStates(n uint32) *states { return &states{has: make([]bool, n)} }

func (q *states) add(s uint32) {
	if !q.has[s] {
		q.has[s] = true
		heap.Push(q, s)
	}
}

func (q *states) Len() int           { return len(q.heap) }
func (q *states) Less(i, j int) bool { return q.heap[i] < q.heap[j] }
func (q *states) Swap(i, j int)      { q.heap[i], q.heap[j] = q.heap[j], q.heap[i] }
func (q *states) Push(s any)         { q.heap = append(q.heap, s.(uint32)) }
func (q *states) Pop() any {
	s := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	q.has[s] = false
	return s
}

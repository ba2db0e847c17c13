package bisim

import (
	"container/heap"
	"errors"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// rounds refines a graph in rounds, as signature refinement does (signatures.go), so that states are told apart in the
// least number of steps, and keeps the history.
//
// A round looks only at states whose signature may have changed, since a state that they lead to was renamed in the
// round before. The largest part of a class that is divided keeps the class's name, so that a state is renamed
// log n times at most (J. Jacobs and T. Wißmann, "Fast coalgebraic bisimilarity minimization", POPL 2023). A system
// that needs as many rounds as it has states, such as a chain, takes hardly longer than one that needs few; but a state
// with many transitions, or with a long way of τ's, can be looked at in each of them.
type rounds struct {
	*history
	at []uint32 // by state: its index in elem

	sig     []uint32  // by state: its signature, a row of table; none if it has not been computed
	table   *rowTable // signatures: labels and names of classes
	in      [][]uint32
	dirty   *states  // states to look at in the next round
	touched []uint32 // names of classes with states whose signature has changed
	changed []uint32 // by name: how many
	left    int      // transitions that may still be looked at
}

// errRounds means that rounds would take long.
var errRounds = errors.New("too many rounds")

// workOfRounds is how many transitions are looked at for each state and transition of the graph, and at least.
const workOfRounds, leastWorkOfRounds = 32, 1 << 20

// byRounds refines a graph until x and y, which are not equivalent, are told apart, unless that takes long.
func byRounds(f *effort.Effort, g *graph, x, y uint32) (*history, error) {
	h := newRounds(f, g)
	for round := uint32(1); h.dirty.Len() > 0; round++ {
		if !h.refine(round) {
			return nil, errRounds
		}
		if h.name[x] != h.name[y] {
			return h.history, nil
		}
	}
	return nil, errors.New("there is no difference")
}

// newRounds returns a history with one class.
func newRounds(f *effort.Effort, g *graph) *rounds {
	n := uint32(g.states())
	f.Hold(uint64(n)*(5*4+24) + 4*uint64(len(g.edges)))
	h := &rounds{
		history: newHistory(f, g), changed: []uint32{0},
		at: make([]uint32, n), sig: make([]uint32, n),
		left:  max(leastWorkOfRounds, workOfRounds*(g.states()+len(g.edges))),
		table: newRowTable(f), in: make([][]uint32, n), dirty: newStates(n),
	}
	h.name, h.elem = make([]uint32, n), make([]uint32, n)
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

// refine makes one round, or gives up and reports false. States are taken up in ascending order, so that those that an inert
// τ leads to come first.
func (h *rounds) refine(round uint32) bool {
	var row []lts.Edge
	known := func(s uint32) []lts.Edge { return h.table.row(h.sig[s]) }
	for h.dirty.Len() > 0 {
		h.effort.Tick()
		if h.left < 0 {
			return false
		}
		s := heap.Pop(h.dirty).(uint32)
		row = h.sign(s, h.name, known, row[:0])
		h.left -= 1 + len(row)
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
	return true
}

// touch moves a state to the front of its class, and wakes those whose signatures include its own.
func (h *rounds) touch(s uint32) {
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
func (h *rounds) divide(c, round uint32, renamed []uint32) []uint32 {
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
func (h *rounds) rename(part uint32, renamed []uint32) []uint32 {
	name := uint32(len(h.leaf))
	h.leaf = append(h.leaf, part)
	h.changed = append(h.changed, 0)
	for _, s := range h.members(part) {
		h.name[s] = name
		renamed = append(renamed, s)
	}
	return renamed
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

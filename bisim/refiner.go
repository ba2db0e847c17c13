package bisim

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	adjacency "ringcheck/internal/graph"
)

// A refiner computes the coarsest partition in which the states of a block have equal signatures (S. Blom and S. Orzan,
// "Distributed branching bisimulation reduction of state spaces", ENTCS 89(1), 2003). A signature describes the
// transitions of a state in terms of the partition; each equivalence has its own. The refiner works in rounds: a round
// splits each block by the signatures of its states with respect to the partition before the round.
//
// A round recomputes only the signatures that may have changed: the signatures of states with a successor whose block
// changed in the round before. The largest part of a split block keeps the block's number, so a state changes its block
// at most log n times, and a transition is examined as often (J. Hopcroft 1971; J. Jacobs and T. Wißmann, "Fast
// coalgebraic bisimilarity minimization", POPL 2023). A system that needs as many rounds as it has states, such as a
// chain, takes hardly longer than a system that needs few. The bound does not hold for states with many transitions or
// before long paths of inert τ's, which may be examined in each round.
type refiner struct {
	signer
	effort *effort.Effort
	in     adjacency.Rows[uint32]

	blockOf []uint32
	blocks  []span
	elem    []uint32 // the states, block by block
	at      []uint32 // by state: its index in elem
	history *history // records the splits; may be nil

	signature []uint32  // by state: a row of table, none if not computed yet
	table     *rowTable // signatures
	garbage   int       // the size of table in transitions at which it is cleaned

	dirty         worklist
	changedBlocks []uint32 // blocks with signatures that changed in this round
	movedStates   []uint32 // states whose block changed in this round
}

// A signer computes the signatures of states.
type signer interface {
	// sign appends the signature of s to row, sorted.
	sign(r *refiner, s uint32, row []lts.Edge) []lts.Edge
	// includes reports whether the signature of s includes the signature of a successor in the same block, whose number
	// must be less than s.
	includes(s, successor uint32) bool
}

// refine returns the block of each state of a graph, and the number of blocks, of the coarsest stable partition.
func refine(f *effort.Effort, g *graph) ([]uint32, int) {
	r := newRefiner(f, g, adjacency.Reverse(f, &g.Rows), make([]uint32, g.Len()), 1)
	r.run(func() bool { return false })
	return r.blockOf, len(r.blocks)
}

// A span is a block, a range of elem. The signatures of its first changed states have changed in this round.
type span struct{ start, end, changed uint32 }

// refinerBytes returns the memory of a refiner for n states in bytes, without signatures.
func refinerBytes(n int) uint64 { return uint64(n)*(4*4) + uint64(n)/7 }

// blockBytes is the memory of a block in bytes.
const blockBytes = 12

// newRefiner returns a refiner whose initial partition into the given number of blocks is blockOf, which it overwrites.
func newRefiner(f *effort.Effort, by signer, in adjacency.Rows[uint32], blockOf []uint32, blocks int) *refiner {
	n := uint32(len(blockOf))
	f.Hold(refinerBytes(len(blockOf)) + blockBytes*uint64(blocks))
	r := &refiner{
		signer: by, effort: f, in: in,
		blockOf: blockOf, blocks: make([]span, blocks), elem: make([]uint32, n), at: make([]uint32, n),
		signature: make([]uint32, n), table: newRowTable(f), garbage: 1 << 16, dirty: newWorklist(int(n)),
	}
	for _, b := range blockOf {
		r.blocks[b].end++
	}
	start := uint32(0)
	for b := range r.blocks {
		size := r.blocks[b].end
		r.blocks[b] = span{start: start, end: start}
		start += size
	}
	for s, b := range blockOf {
		f.Tick()
		at := r.blocks[b].end
		r.elem[at], r.at[s], r.signature[s] = uint32(s), at, none
		r.blocks[b].end++
	}
	for s := range n {
		r.wake(s)
	}
	return r
}

// run refines the partition until it is stable, or until done reports true after a round.
func (r *refiner) run(done func() bool) {
	for round := uint32(1); r.dirty.size > 0 && !done(); round++ {
		r.round(round)
	}
}

// round refines the partition once. It processes states in ascending order, so that a signature is computed after those
// that it includes.
func (r *refiner) round(round uint32) {
	var row []lts.Edge
	for r.dirty.size > 0 {
		r.effort.Tick()
		s := r.dirty.popLeast()
		row = r.sign(r, s, row[:0])
		if sig := r.table.add(row); sig != r.signature[s] {
			r.signature[s] = sig
			r.change(s)
		}
	}
	r.movedStates = r.movedStates[:0]
	for _, b := range r.changedBlocks {
		r.divide(b, round)
		r.blocks[b].changed = 0
	}
	r.changedBlocks = r.changedBlocks[:0]
	for _, s := range r.movedStates {
		r.wake(s) // its inert τ's may now leave its block
		for _, from := range r.in.Of(s) {
			r.effort.Tick()
			r.wake(from)
		}
	}
	r.clean()
}

// wake makes the next round recompute the signature of a state, unless it is alone in its block.
func (r *refiner) wake(s uint32) {
	if b := &r.blocks[r.blockOf[s]]; b.end-b.start > 1 {
		r.dirty.add(s)
	}
}

// change moves a state to the front of its block and schedules the states whose signatures include its own for this
// round.
func (r *refiner) change(s uint32) {
	k := r.blockOf[s]
	b := &r.blocks[k]
	if b.changed == 0 {
		r.changedBlocks = append(r.changedBlocks, k)
	}
	front := b.start + b.changed
	t := r.elem[front]
	r.elem[front], r.elem[r.at[s]] = s, t
	r.at[s], r.at[t] = front, r.at[s]
	b.changed++
	for _, from := range r.in.Of(s) {
		if from > s && r.blockOf[from] == k && r.includes(from, s) {
			r.dirty.add(from)
		}
	}
}

// divide splits a block by the signatures of its states. Unchanged signatures are equal: they were equal when computed,
// and they keep their meaning until they change.
func (r *refiner) divide(k, round uint32) {
	b := r.blocks[k]
	changed := r.elem[b.start : b.start+b.changed]
	slices.SortFunc(changed, func(s, t uint32) int {
		return cmp.Or(cmp.Compare(r.signature[s], r.signature[t]), cmp.Compare(s, t))
	})
	var parts []span
	start := b.start
	for i, s := range changed {
		r.effort.Tick()
		at := b.start + uint32(i)
		r.at[s] = at
		if i+1 == len(changed) || r.signature[changed[i+1]] != r.signature[s] {
			parts = append(parts, span{start: start, end: at + 1})
			start = at + 1
		}
	}
	if start < b.end {
		parts = append(parts, span{start: start, end: b.end})
	}
	if len(parts) == 1 {
		return
	}
	largest := slices.MaxFunc(parts, func(p, q span) int { return cmp.Compare(p.end-p.start, q.end-q.start) })
	var numbers []uint32
	r.effort.Hold(blockBytes * uint64(len(parts)-1))
	for _, p := range parts {
		if p.start == largest.start {
			r.blocks[k] = p
			numbers = append(numbers, k)
			continue
		}
		number := uint32(len(r.blocks))
		numbers = append(numbers, number)
		r.blocks = append(r.blocks, p)
		for _, s := range r.elem[p.start:p.end] {
			r.blockOf[s] = number
			r.movedStates = append(r.movedStates, s)
		}
	}
	if r.history != nil {
		r.history.divide(k, round, numbers)
	}
}

// clean drops unused signatures once the table is mostly garbage.
func (r *refiner) clean() {
	if len(r.table.All) < r.garbage {
		return
	}
	table := newRowTable(r.effort)
	number := make(map[uint32]uint32)
	for s, sig := range r.signature {
		r.effort.Tick()
		if b := r.blocks[r.blockOf[s]]; sig == none || b.end-b.start == 1 {
			r.signature[s] = none
			continue
		}
		kept, ok := number[sig]
		if !ok {
			kept = table.add(r.table.Of(sig))
			number[sig] = kept
		}
		r.signature[s] = kept
	}
	r.table.dropIndex()
	r.effort.Release(r.table.Bytes())
	r.table, r.garbage = table, max(1<<16, 2*len(table.All)+len(r.signature))
}

// A worklist is a set of states from which the least is taken first.
type worklist struct {
	states, words adjacency.Set[uint32] // words holds the indices of the nonzero words of states
	size          int
	from          int // all words before this one are zero
}

func newWorklist(states int) worklist {
	s := adjacency.NewSet(uint32(states))
	return worklist{states: s, words: adjacency.NewSet(uint32(len(s)))}
}

// add adds a state, which must be larger than the last one taken unless the list was then empty.
func (w *worklist) add(s uint32) {
	if bit := uint64(1) << (s % 64); w.states[s/64]&bit == 0 {
		w.states[s/64] |= bit
		w.words[s/4096] |= 1 << (s / 64 % 64)
		w.size++
	}
}

// popLeast removes and returns the least state.
func (w *worklist) popLeast() uint32 {
	for w.words[w.from] == 0 {
		w.from++
	}
	i := 64*w.from + bits.TrailingZeros64(w.words[w.from])
	s := uint32(64*i + bits.TrailingZeros64(w.states[i]))
	if w.states[i] &= w.states[i] - 1; w.states[i] == 0 {
		w.words[w.from] &= w.words[w.from] - 1
	}
	if w.size--; w.size == 0 {
		w.from = 0
	}
	return s
}

// A history records how rounds separated the states of a graph, as a tree: the children of a class are the parts into
// which it was split.
type history struct {
	effort *effort.Effort
	tree   []class
	leaf   []uint32 // by block: its class in tree
	name   []uint32 // by state: its block
}

// A class is a set of states that were not separated up to some round. Class 0 holds all states.
type class struct {
	parent uint32
	round  uint32 // the round that made it, later than its parent's
}

func newHistory(r *refiner) *history {
	return &history{effort: r.effort, tree: []class{{}}, leaf: []uint32{0}, name: r.blockOf}
}

// tellApart refines a graph until x and y, which must not be equivalent, are in different blocks.
func tellApart(f *effort.Effort, g *graph, x, y uint32) (*history, error) {
	r := newRefiner(f, g, adjacency.Reverse(f, &g.Rows), make([]uint32, g.Len()), 1)
	r.history = newHistory(r)
	apart := func() bool { return r.blockOf[x] != r.blockOf[y] }
	if r.run(apart); !apart() {
		return nil, errors.New("there is no difference")
	}
	return r.history, nil
}

// divide records the split of a block into parts with the given numbers. The new numbers are in order.
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

// fork returns the class that contains c after the round that first separated it from d. Neither may contain the other.
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

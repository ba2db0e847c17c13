package bisim

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	adjacency "ringcheck/graph"
	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A refiner computes the coarsest partition in which the states of a block have equal signatures (S. Blom and S. Orzan,
// "Distributed branching bisimulation reduction of state spaces", ENTCS 89(1), 2003). A signature is what a state can
// do, as seen through the partition; which one it is makes the difference between the equivalences. It works in rounds:
// two states are in one block after a round if they were before and have equal signatures by the partition before.
//
// A round computes only the signatures that may have changed, those of states with a successor that got another block
// in the round before. The largest part of a block that is divided keeps the block's number, so that a state gets
// another log n times at most, and a transition is looked at as often (J. Hopcroft 1971; J. Jacobs and T. Wißmann,
// "Fast coalgebraic bisimilarity minimization", POPL 2023). A system that needs as many rounds as it has states, such
// as a chain, takes hardly longer than one that needs few. The bound does not hold for states with many transitions or
// before long ways of inert τ's: these can be looked at in each round.
type refiner struct {
	signer
	effort *effort.Effort
	in     adjacency.Rows[uint32]

	blockOf []uint32
	blocks  []span
	elem    []uint32 // the states, block by block
	at      []uint32 // by state: its index in elem
	history *history // notes how blocks are divided; may be nil

	signature []uint32  // by state: a row of table, none if not computed yet
	table     *rowTable // signatures
	garbage   int       // how many transitions table may have before it is cleaned

	dirty   worklist
	touched []uint32 // blocks of states whose signatures have changed in this round
	renamed []uint32 // states that have got another block in this round
}

// A signer says what the states of a system can do.
type signer interface {
	// sign appends the signature of s to row, sorted.
	sign(r *refiner, s uint32, row []lts.Edge) []lts.Edge
	// includes reports whether the signature of s includes that of a successor in the same block, which must be less
	// than s.
	includes(s, successor uint32) bool
}

// refine returns the block of each state of a graph, and the number of blocks, of the coarsest stable partition.
func refine(f *effort.Effort, g *graph) ([]uint32, int) {
	r := newRefiner(f, g, g.reverse(f), make([]uint32, g.states()), 1)
	r.run(func() bool { return false })
	return r.blockOf, len(r.blocks)
}

// A span is a block: a range of elem. The signatures of the first states have changed in this round.
type span struct{ start, end, changed uint32 }

// refinerBytes returns what a refiner holds for n states, beside signatures.
func refinerBytes(n int) uint64 { return uint64(n)*(4*4) + uint64(n)/7 }

// blockBytes is what a block takes.
const blockBytes = 12

// newRefiner returns a refiner that begins with the partition blockOf, which it overwrites, into so many blocks.
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

// round refines the partition once. States are taken up in ascending order, so that a signature is computed after those
// that it includes.
func (r *refiner) round(round uint32) {
	var row []lts.Edge
	for r.dirty.size > 0 {
		r.effort.Tick()
		s := r.dirty.least()
		row = r.sign(r, s, row[:0])
		if sig := r.table.add(row); sig != r.signature[s] {
			r.signature[s] = sig
			r.change(s)
		}
	}
	r.renamed = r.renamed[:0]
	for _, b := range r.touched {
		r.divide(b, round)
		r.blocks[b].changed = 0
	}
	r.touched = r.touched[:0]
	for _, s := range r.renamed {
		r.wake(s) // what it could do within its block may lead out of it
		for _, from := range r.in.Of(s) {
			r.effort.Tick()
			r.wake(from)
		}
	}
	r.clean()
}

// wake makes the next round compute the signature of a state, unless that is alone in its block.
func (r *refiner) wake(s uint32) {
	if b := &r.blocks[r.blockOf[s]]; b.end-b.start > 1 {
		r.dirty.add(s)
	}
}

// change moves a state to the front of its block and adds the states whose signatures include its own to this round.
func (r *refiner) change(s uint32) {
	k := r.blockOf[s]
	b := &r.blocks[k]
	if b.changed == 0 {
		r.touched = append(r.touched, k)
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

// divide splits a block by the signatures of its states. The unchanged signatures are equal: they were when they were
// computed, and they keep their meaning until they change.
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
			r.renamed = append(r.renamed, s)
		}
	}
	if r.history != nil {
		r.history.divide(k, round, numbers)
	}
}

// clean drops signatures that no state has any more once they make up most of the table.
func (r *refiner) clean() {
	if len(r.table.edges) < r.garbage {
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
			kept = table.add(r.table.row(sig))
			number[sig] = kept
		}
		r.signature[s] = kept
	}
	r.table.dropIndex()
	r.effort.Release(r.table.bytes())
	r.table, r.garbage = table, max(1<<16, 2*len(table.edges)+len(r.signature))
}

// A worklist is a set of states, of which the least is taken next.
type worklist struct {
	states, words adjacency.Set[uint32] // words has the places in states of those that are not 0
	size          int
	from          int // no word of words before this one has anything
}

func newWorklist(states int) worklist {
	s := adjacency.NewSet(uint32(states))
	return worklist{states: s, words: adjacency.NewSet(uint32(len(s)))}
}

// add adds a state, which is larger than the last one taken unless that was the last one left.
func (w *worklist) add(s uint32) {
	if bit := uint64(1) << (s % 64); w.states[s/64]&bit == 0 {
		w.states[s/64] |= bit
		w.words[s/4096] |= 1 << (s / 64 % 64)
		w.size++
	}
}

// least removes and returns the least state.
func (w *worklist) least() uint32 {
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

// A history tells how the states of a graph were told apart round by round: in a tree, each class that was divided has
// its parts as children.
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

package bisim

import (
	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A refiner computes the coarsest stable partition of a graph with n states and m transitions in time
// O(m log n) and memory O(m). The algorithm is that of
//
//	J. F. Groote and D. N. Jansen, "A simple O(m log n) algorithm for branching bisimilarity" (2025),
//
// with the notions of
//
//	D. N. Jansen, J. F. Groote, J. J. A. Keiren, A. Wijs, "An O(m log n) algorithm for branching
//	bisimilarity on labelled transition systems" (TACAS 2020), and
//	J. F. Groote, D. N. Jansen, J. J. A. Keiren, A. Wijs, "An O(m log n) algorithm for computing stuttering
//	equivalence and branching bisimulation" (ACM Trans. Comput. Log. 18(2), 2017).
//
// States are partitioned into blocks, and blocks into constellations. A τ within a block is inert; a state
// without inert transitions is a bottom state of its block. The transitions are partitioned into slices: a
// slice has the transitions from one block, with one label, to one constellation. (The papers say BLC set,
// or bunch-slice.) The invariants are
//
//   - no two branching bisimilar states are in different blocks;
//   - every block is stable under every slice from it: each of its bottom states has a transition in it. A
//     slice of τ's to the block's own constellation is exempt.
//
// As long as a constellation has several blocks, one of at most half of its states becomes a constellation
// of its own (separate, in separate.go), its slices are divided, and the blocks from which they come are split
// until they are stable again (split.go). When every constellation is one block, blocks are the classes.
//
// A split takes time in proportion to the transitions of the smaller part, and the states that become bottom
// states, which happens once to each, are split off and stabilised by themselves.
// Every state is log n times in a smaller part; that is the bound.
//
// With graph.inert false no τ is inert, all states are bottom states, and the same algorithm is one for
// strong bisimilarity, as that of A. Valmari, "Bisimilarity minimization in O(m log n) time" (2009).
type refiner struct {
	*graph
	source []uint32 // of each transition
	in     []uint32 // the transitions by target, of each state the τ's that may be inert first
	inAt   []uint32 // of each state's row in in, and the end of the last
	inTau  []uint32 // by state: the end of these τ's

	arrangement // of the states, block by block and constellation by constellation
	blockOf     []uint32
	inertOut    []uint32 // by state: the number of inert transitions from it

	blocks         paged[block]
	constellations paged[constellation]
	compound       []uint32 // the constellations of several blocks

	slices   slicing
	counters counters

	unstable []uint32 // slices under which blocks with new bottom states may not be stable
	pending  []uint32 // slices that the last separation made

	search  search
	touched []uint32 // slices that are being divided
	history *history // is told of splits; may be nil

	effort *effort.Effort
}

// A block is a range of elem: its bottom states, of which the first are marked, and its other states.
type block struct {
	start, bottom, end uint32 // bottom is the end of the bottom states
	marked             uint32 // number of marked bottom states; 0 outside of split
	constellation      uint32
	slices             uint32 // the first of a list
}

func (b *block) size() uint32 { return b.end - b.start }

// A constellation is a range of elem made of whole blocks.
type constellation struct {
	start, end uint32
	listed     bool // in refiner.compound
}

// refine returns the block of each state and the number of blocks.
func refine(f *effort.Effort, g *graph) ([]uint32, int) {
	r := newRefiner(f, g)
	r.run()
	return r.blockOf, r.blocks.len()
}

func (r *refiner) run() {
	r.destabilize(0)
	r.stabilize()
	for len(r.compound) > 0 {
		c := r.compound[len(r.compound)-1]
		r.compound = r.compound[:len(r.compound)-1]
		r.constellations.at(c).listed = false
		r.separate(c)
		r.settle()
	}
}

// mayBeInert reports whether a label is τ and the equivalence abstracts from it.
func (r *refiner) mayBeInert(a lts.Label) bool { return r.inert && a == lts.Tau }

func (r *refiner) isBottom(s uint32) bool { return r.at[s] < r.blocks.at(r.blockOf[s]).bottom }

// constellationOf returns the constellation of a state.
func (r *refiner) constellationOf(s uint32) uint32 {
	return r.blocks.at(r.blockOf[s]).constellation
}

// An arrangement is things, which are numbers, in some order.
type arrangement struct {
	elem []uint32
	at   []uint32 // by thing: its index in elem
}

// swap exchanges the things at two indices.
func (a *arrangement) swap(i, j uint32) {
	s, t := a.elem[i], a.elem[j]
	a.elem[i], a.elem[j] = t, s
	a.at[s], a.at[t] = j, i
}

// mark moves a bottom state to the marked ones of its block.
func (r *refiner) mark(s uint32) {
	b := r.blocks.at(r.blockOf[s])
	if first := b.start + b.marked; r.at[s] >= first {
		r.swap(r.at[s], first)
		b.marked++
	}
}

// refinerBytes returns what the arrays of a refiner take for n states and m transitions. The paged lists of
// blocks, slices and counters, which grow with the number of classes, count as they grow.
func refinerBytes(n, m int) uint64 { return 4*6*uint64(m) + (4*8+1)*uint64(n) }

// newRefiner returns a refiner with one block and one constellation.
func newRefiner(f *effort.Effort, g *graph) *refiner {
	n, m := g.states(), len(g.edges)
	f.Hold(refinerBytes(n, m))
	r := &refiner{
		graph:          g,
		source:         make([]uint32, m),
		arrangement:    arrangement{make([]uint32, 0, n), make([]uint32, n)},
		blockOf:        make([]uint32, n),
		inertOut:       make([]uint32, n),
		search:         newSearch(n),
		effort:         f,
		blocks:         paged[block]{effort: f},
		constellations: paged[constellation]{effort: f},
	}
	for s := range uint32(n) {
		f.Tick()
		for i := g.offset[s]; i < g.offset[s+1]; i++ {
			r.source[i] = s
			if r.mayBeInert(g.edges[i].Label) {
				r.inertOut[s]++
			}
		}
	}
	r.indexTargets()
	r.initBlock()
	r.slices = newSlices(f, g)
	r.blocks.at(0).slices = r.slices.all()
	r.counters = newCounters(f, g)
	return r
}

// indexTargets sorts the transitions by their targets, by counting.
func (r *refiner) indexTargets() {
	n := uint32(r.states())
	r.in = make([]uint32, len(r.edges))
	r.inAt = make([]uint32, n+1)
	r.inTau = make([]uint32, n)
	for _, e := range r.edges {
		r.effort.Tick()
		r.inAt[e.To+1]++
		if r.mayBeInert(e.Label) {
			r.inTau[e.To]++
		}
	}
	next := make([]uint32, n) // for visible transitions
	for s := range n {
		r.inAt[s+1] += r.inAt[s]
		next[s] = r.inAt[s] + r.inTau[s]
		r.inTau[s] = r.inAt[s]
	}
	for i, e := range r.edges {
		r.effort.Tick()
		place := &next[e.To]
		if r.mayBeInert(e.Label) {
			place = &r.inTau[e.To]
		}
		r.in[*place] = uint32(i)
		*place++
	}
}

func (r *refiner) initBlock() {
	n := uint32(r.states())
	for s := range n {
		if r.inertOut[s] == 0 {
			r.elem = append(r.elem, s)
		}
	}
	bottom := uint32(len(r.elem))
	for s := range n {
		if r.inertOut[s] != 0 {
			r.elem = append(r.elem, s)
		}
	}
	for i, s := range r.elem {
		r.at[s] = uint32(i)
	}
	r.blocks.add(block{bottom: bottom, end: n, slices: none})
	r.constellations.add(constellation{end: n})
}

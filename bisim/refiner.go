package bisim

import (
	"context"

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
// of its own (separate, in separate.go), its slices are divided, and the blocks from which they come are cut
// until they are stable again (cut.go). When every constellation is one block, blocks are the classes.
//
// A cut takes time in proportion to the transitions of the smaller part (race.go), and the states that
// become bottom states, which happens once to each, are cut off and stabilised by themselves (stabilize.go).
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

	elem     []uint32 // the states, block by block and constellation by constellation
	at       []uint32 // by state: its index in elem
	blockOf  []uint32
	inertOut []uint32 // by state: the number of inert transitions from it

	blocks         paged[block]
	constellations paged[constellation]
	compound       []uint32 // the constellations of several blocks

	slices   slicing
	counters counters

	unstable []uint32 // slices under which blocks with new bottom states may not be stable
	pending  []uint32 // slices that the last separation made

	race    race
	touched []uint32 // slices that are being divided

	ctx   context.Context
	steps uint
}

// A block is a range of elem: its bottom states, of which the first are marked, and its other states.
type block struct {
	start, bottom, end uint32 // bottom is the end of the bottom states
	marked             uint32 // number of marked bottom states; 0 outside of cut
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
func refine(ctx context.Context, g *graph) ([]uint32, int, error) {
	r := newRefiner(ctx, g)
	if err := r.run(); err != nil {
		return nil, 0, err
	}
	return r.blockOf, r.blocks.len(), nil
}

func (r *refiner) run() error {
	r.awaken(0)
	if err := r.stabilize(); err != nil {
		return err
	}
	for len(r.compound) > 0 {
		c := r.compound[len(r.compound)-1]
		r.compound = r.compound[:len(r.compound)-1]
		r.constellations.at(c).listed = false
		r.separate(c)
		if err := r.settle(); err != nil {
			return err
		}
	}
	return nil
}

// cancelled looks at the context now and then.
func (r *refiner) cancelled() error {
	if r.steps++; r.steps%1024 == 0 {
		return r.ctx.Err()
	}
	return nil
}

// mayBeInert reports whether a label is τ and the equivalence abstracts from it.
func (r *refiner) mayBeInert(a lts.Label) bool { return r.inert && a == lts.Tau }

func (r *refiner) isBottom(s uint32) bool { return r.at[s] < r.blocks.at(r.blockOf[s]).bottom }

// constellationOf returns the constellation of a state.
func (r *refiner) constellationOf(s uint32) uint32 {
	return r.blocks.at(r.blockOf[s]).constellation
}

// swap exchanges the states at two indices of elem.
func (r *refiner) swap(i, j uint32) {
	s, t := r.elem[i], r.elem[j]
	r.elem[i], r.elem[j] = t, s
	r.at[s], r.at[t] = j, i
}

// mark moves a bottom state to the marked ones of its block.
func (r *refiner) mark(s uint32) {
	b := r.blocks.at(r.blockOf[s])
	if first := b.start + b.marked; r.at[s] >= first {
		r.swap(r.at[s], first)
		b.marked++
	}
}

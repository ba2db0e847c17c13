package bisim

import (
	"cmp"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	adjacency "ringcheck/internal/graph"
)

// A graph is the input of the refinement: an LTS in which every state's transitions are sorted and distinct. For
// equivalences that abstract from τ it has no τ-cycles: every τ leads to a state with a smaller number. For Divergence
// a state that diverges has a loop with the label diverge, which counts as visible.
type graph struct {
	adjacency.Rows[lts.Edge]
	labels  int
	diverge lts.Label
	inert   bool // whether the equivalence abstracts from τ
	minimal bool // whether all states are known to be inequivalent
}

func newGraph(l *lts.LTS, e Equivalence) *graph {
	return &graph{
		labels:  l.Labels() + 1,
		diverge: lts.Label(l.Labels()),
		inert:   e != Strong,
	}
}

func compareEdges(a, b lts.Edge) int {
	if c := cmp.Compare(a.Label, b.Label); c != 0 {
		return c
	}
	return cmp.Compare(a.To, b.To)
}

// normalize sorts a row and removes duplicates.
func normalize(row []lts.Edge) []lts.Edge {
	if len(row) < 2 {
		return row
	}
	slices.SortFunc(row, compareEdges)
	return slices.Compact(row)
}

// sign implements signer. A τ within a block is inert if the equivalence abstracts from τ, and a signature includes the
// signatures of the targets of inert τ's:
//
//	sig(s) = { (a, block(t)) | s −a→ t not inert }  ∪  sig(t) for every inert s −τ→ t.
func (g *graph) sign(r *refiner, s uint32, row []lts.Edge) []lts.Edge {
	for _, e := range g.Of(s) {
		if to := r.blockOf[e.To]; g.inert && e.Label == lts.Tau && to == r.blockOf[s] {
			row = append(row, r.table.Of(r.signature[e.To])...)
		} else {
			row = append(row, lts.Edge{Label: e.Label, To: to})
		}
	}
	return normalize(row)
}

// includes implements signer.
func (g *graph) includes(s, successor uint32) bool {
	if !g.inert {
		return false
	}
	_, found := slices.BinarySearchFunc(g.Of(s), lts.Edge{Label: lts.Tau, To: successor}, compareEdges)
	return found
}

// A rowTable numbers distinct rows of transitions, in the order in which they are added. resolve makes
// a graph of them.
type rowTable struct {
	adjacency.Rows[lts.Edge]
	slots  []uint32 // open addressing, a power of two: row number, or none
	effort *effort.Effort
}

func newRowTable(f *effort.Effort) *rowTable {
	t := &rowTable{Rows: adjacency.Rows[lts.Edge]{At: []uint32{0}}, effort: f}
	t.resize(1 << 10)
	return t
}

// add returns the number of a row, which it copies if it is new.
func (t *rowTable) add(row []lts.Edge) uint32 {
	if 2*t.Len() >= len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for i := hashRow(row) & mask; ; i = (i + 1) & mask {
		r := t.slots[i]
		if r == none {
			t.slots[i] = t.append(row)
			return t.slots[i]
		}
		if slices.Equal(t.Of(r), row) {
			return r
		}
	}
}

// append adds a row without looking for an equal one.
func (t *rowTable) append(row []lts.Edge) uint32 {
	before := t.Bytes()
	t.Append(row...)
	if now := t.Bytes(); now != before {
		t.effort.Hold(now - before)
	}
	return uint32(t.Len() - 1)
}

// dropIndex frees the hash table; no rows can be added afterwards.
func (t *rowTable) dropIndex() {
	t.effort.Release(4 * uint64(len(t.slots)))
	t.slots = nil
}

func (t *rowTable) resize(size int) {
	t.effort.Hold(4 * uint64(size))
	t.effort.Release(4 * uint64(len(t.slots)))
	t.slots = slices.Repeat([]uint32{none}, size)
	mask := uint64(size - 1)
	for r := range uint32(t.Len()) {
		t.effort.Tick()
		i := hashRow(t.Of(r)) & mask
		for t.slots[i] != none {
			i = (i + 1) & mask
		}
		t.slots[i] = r
	}
}

func hashRow(row []lts.Edge) uint64 {
	h := uint64(len(row))
	for _, e := range row {
		h = mix(h ^ (uint64(e.Label)<<32 | uint64(e.To)))
	}
	return h
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

package bisim

import (
	"slices"

	"ringcheck/lts"
)

// A rowTable numbers distinct rows of transitions, in the order in which they are added. Its rows are one
// behind the other, as compressed sparse rows; so it is a graph in the making.
type rowTable struct {
	offset []uint32
	edges  []lts.Edge
	slots  []uint32 // open addressing, a power of two: row number, or none
}

func newRowTable() *rowTable {
	t := &rowTable{offset: []uint32{0}}
	t.resize(1 << 10)
	return t
}

func (t *rowTable) rows() int { return len(t.offset) - 1 }

func (t *rowTable) row(i uint32) []lts.Edge { return t.edges[t.offset[i]:t.offset[i+1]] }

// add returns the number of a row, which is copied if it is new.
func (t *rowTable) add(row []lts.Edge) uint32 {
	if 2*t.rows() >= len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for i := hashRow(row) & mask; ; i = (i + 1) & mask {
		r := t.slots[i]
		if r == none {
			t.slots[i] = t.append(row)
			return t.slots[i]
		}
		if slices.Equal(t.row(r), row) {
			return r
		}
	}
}

// append is add for a row that is known to be new, or shall count as new.
func (t *rowTable) append(row []lts.Edge) uint32 {
	t.edges = append(t.edges, row...)
	t.offset = append(t.offset, uint32(len(t.edges)))
	return uint32(t.rows() - 1)
}

func (t *rowTable) resize(size int) {
	t.slots = make([]uint32, size)
	for i := range t.slots {
		t.slots[i] = none
	}
	mask := uint64(size - 1)
	for r := range uint32(t.rows()) {
		i := hashRow(t.row(r)) & mask
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

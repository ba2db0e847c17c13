package symmetry

import (
	"cmp"

	"ringcheck/model"
)

// A necklace is the cells around a ring twice, one copy after the other: a rotation is a slice of it.
type necklace struct {
	cells []model.Value
	ranks []uint64
}

func newNecklace(n int) necklace { return necklace{make([]model.Value, 2*n), make([]uint64, 2*n)} }

func (k *necklace) put(p int, c target) {
	n := len(k.cells) / 2
	k.cells[p], k.cells[p+n] = c.number, c.number
	k.ranks[p], k.ranks[p+n] = c.rank, c.rank
}

// least returns where the least rotation begins.
func (k *necklace) least() int {
	best := 0
	for i := 1; i < len(k.cells)/2; i++ {
		if k.ranks[i] <= k.ranks[best] && k.compare(i, k, best) < 0 {
			best = i
		}
	}
	return best
}

// compare compares the rotation that begins at a with that of another necklace that begins at b.
func (k *necklace) compare(a int, other *necklace, b int) int {
	for i := range len(k.cells) / 2 {
		if k.cells[a+i] == other.cells[b+i] {
			continue
		}
		return cmp.Or(cmp.Compare(k.ranks[a+i], other.ranks[b+i]), cmp.Compare(k.cells[a+i], other.cells[b+i]))
	}
	return 0
}

// representative writes the least rotation of the cells, or of their mirror image, to state. It returns where that of
// the cells begins.
func (x *expansion) representative(state []model.Value) int {
	at := x.least()
	if x.mirrored != nil {
		if m := &x.mirrored.necklace; m.compare(m.least(), &x.necklace, at) < 0 {
			copy(state, m.cells[m.least():])
			return at
		}
	}
	copy(state, x.cells[at:])
	return at
}

// period returns by how many places, at least 1, a vector of cells can be rotated without a change: the size of
// its orbit under rotation.
func period(cells []model.Value) int {
	n := len(cells)
	for d := 1; d < n; d++ {
		if n%d == 0 && repeats(cells, d) {
			return d
		}
	}
	return n
}

// repeats reports whether every cell is the same as the one d places before it.
func repeats(cells []model.Value, d int) bool {
	for i := d; i < len(cells); i++ {
		if cells[i] != cells[i-d] {
			return false
		}
	}
	return true
}

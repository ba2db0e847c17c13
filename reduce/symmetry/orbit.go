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

// least returns where the least rotation begins, in linear time: of two candidates, what is equal from both is passed over
// when they first differ, since no rotation that begins within it is less than the one that begins as far within the other
// (Y. Shiloach, "A fast equivalence-checking algorithm for circular lists", Inf. Process. Lett. 8, 1979).
func (k *necklace) least() int {
	n := len(k.cells) / 2
	for best, i, equal := 0, 1, 0; ; {
		switch {
		case i >= n || equal == n:
			return best
		case k.cells[best+equal] == k.cells[i+equal]:
			equal++
		case k.less(best+equal, i+equal):
			i, equal = i+equal+1, 0
		default:
			best, i, equal = i, max(i, best+equal)+1, 0
		}
	}
}

// less compares two cells.
func (k *necklace) less(a, b int) bool {
	if k.ranks[a] != k.ranks[b] {
		return k.ranks[a] < k.ranks[b]
	}
	return k.cells[a] < k.cells[b]
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

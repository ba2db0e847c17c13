package symmetry

import "ringcheck/model"

// A necklace is the cells around a ring twice, one copy after the other: a rotation is a slice of it.
type necklace struct {
	cells []model.Value
	known *cells
}

func newNecklace(n int, known *cells) necklace { return necklace{make([]model.Value, 2*n), known} }

func (k *necklace) put(p int, c model.Value) {
	k.cells[p], k.cells[p+len(k.cells)/2] = c, c
}

// least returns where the least rotation begins.
func (k *necklace) least() int { return k.known.least(k.cells) }

// least returns where the least rotation begins of some cells, which come twice, in linear time: of two candidates,
// what is equal from both is passed over when they first differ, since no rotation that begins within it is less than
// the one that begins as far within the other (Y. Shiloach, "A fast equivalence-checking algorithm for circular lists",
// Inf. Process. Lett. 8, 1979).
func (c *cells) least(twice []model.Value) int {
	n := len(twice) / 2
	for best, i, equal := 0, 1, 0; ; {
		if i >= n || equal == n {
			return best
		}
		switch c.compare(twice[best+equal], twice[i+equal]) {
		case 0:
			equal++
		case -1:
			i, equal = i+equal+1, 0
		default:
			best, i, equal = i, max(i, best+equal)+1, 0
		}
	}
}

// representative writes the least rotation of the cells to state.
func (k *necklace) representative(state []model.Value) { copy(state, k.cells[k.least():]) }

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

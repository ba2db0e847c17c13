package symmetry

import "ringcheck/model"

// A necklace holds the cells around a ring twice in a row, so that each rotation is a slice of it.
type necklace struct {
	cells []model.Value
	known *cells
}

func newNecklace(n int, known *cells) necklace { return necklace{make([]model.Value, 2*n), known} }

func (k *necklace) put(p int, c model.Value) {
	k.cells[p], k.cells[p+len(k.cells)/2] = c, c
}

// least returns the start of the least rotation.
func (k *necklace) least() int { return k.known.least(k.cells) }

// least returns the start of the least rotation of some cells, given twice in a row, in linear time: when two
// candidates first differ, the equal stretch of the greater one is skipped, since a rotation that begins within it is
// greater than the one that begins as far within the other (Y. Shiloach, "A fast equivalence-checking algorithm for
// circular lists", Inf. Process. Lett. 8, 1979).
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

// period returns the least positive number of places by which a rotation leaves a vector of cells unchanged: the size
// of its orbit.
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

package symmetry

import "ringcheck/model"

// least returns where the least rotation of the cells begins.
func (x *expansion) least() int {
	best := 0
	for i := 1; i < x.ring.n; i++ {
		if x.ranks[i] <= x.ranks[best] && x.less(i, best) {
			best = i
		}
	}
	return best
}

// less reports whether the rotation that begins at a is less than the one that begins at b.
func (x *expansion) less(a, b int) bool {
	for i := range x.ring.n {
		switch {
		case x.cells[a+i] == x.cells[b+i]:
		case x.ranks[a+i] != x.ranks[b+i]:
			return x.ranks[a+i] < x.ranks[b+i]
		default:
			return x.cells[a+i] < x.cells[b+i]
		}
	}
	return false
}

// representative writes the least rotation of the cells to state.
func (x *expansion) representative(state []model.Value) { copy(state, x.cells[x.least():]) }

// period returns by how many places, at least 1, a vector of cells can be rotated without a change: the size of
// its orbit.
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

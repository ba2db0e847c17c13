package symmetry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"ringcheck/model"
)

// A cell holds the values of one process: its own slots and the channels that it receives from.
type cell struct {
	values []model.Value
	// rank orders cells independently of their numbering: it is a hash of their text. Cells of equal rank are ordered
	// by content.
	rank uint64
}

// cells numbers the cells met, jointly for all processes. It is safe for concurrent use.
type cells struct {
	table[cell]
	text  func(values []model.Value) string
	exact func(values []model.Value) string // different for each cell, the same in every operating system process
}

// number returns the number of the cell that holds values.
func (c *cells) number(values []model.Value) uint32 {
	n, key, ok := c.find(values)
	if !ok {
		n = c.add(key, cell{slices.Clone(values), xxhash.Sum64String(c.text(values))}, valueBytes*len(values))
	}
	return n
}

// compare compares two cells by their rank, in the same way in every process.
func (c *cells) compare(a, b uint32) int {
	x, y := c.at(a), c.at(b)
	if a == b || x.rank != y.rank {
		return cmp.Compare(x.rank, y.rank)
	}
	return strings.Compare(c.exact(x.values), c.exact(y.values))
}

// A necklace holds the cells around a ring twice in a row, so that each rotation is a slice of it.
type necklace struct {
	cells []model.Value
	table *cells
}

func newNecklace(n int, known *cells) necklace { return necklace{make([]model.Value, 2*n), known} }

func (k *necklace) put(p int, c model.Value) {
	k.cells[p], k.cells[p+len(k.cells)/2] = c, c
}

// leastRotation returns the start of the least rotation.
func (k *necklace) leastRotation() int { return k.table.leastRotation(k.cells) }

// leastRotation returns the start of the least rotation of some cells, given twice in a row, in linear time. When two
// candidates first differ, it skips the equal stretch of the greater one: a rotation that begins within this stretch is
// greater than the rotation that begins as far within the other stretch (Y. Shiloach, "A fast equivalence-checking
// algorithm for circular lists", Inf. Process. Lett. 8, 1979).
func (c *cells) leastRotation(twice []model.Value) int {
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
func (k *necklace) representative(state []model.Value) { copy(state, k.cells[k.leastRotation():]) }

// period returns the least positive number of places by which a rotation leaves a vector of cells unchanged: the size
// of its orbit.
func period(cells []model.Value) int {
	n := len(cells)
	d := 1
	for d < n && (n%d != 0 || !slices.Equal(cells[d:], cells[:n-d])) {
		d++
	}
	return d
}

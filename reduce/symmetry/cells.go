package symmetry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"ringcheck/model"
)

// A cell holds the values of one process: its own slots and those of the channels that it receives from.
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
	exact func(values []model.Value) string // another one for each cell, the same in every process
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

package symmetry

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A cell is what one process holds: its own slots and those of the channels that it receives from.
type cell struct {
	values []model.Value
	// rank orders cells by what they mean: it is a hash of their text, which does not depend on who asked for
	// which cell first, as their numbers do. Cells of equal rank are ordered by what they hold.
	rank uint64
}

// cells numbers the cells that were met, of all processes alike. It is safe for concurrent use.
type cells struct {
	keys  tuples
	known intern.Map
	all   intern.Array[cell]
	count uint32 // guarded by known's mutex
	text  func(values []model.Value) string
	exact func(values []model.Value) string // another one for each cell, the same in every process
	// values is the bytes that the values of all cells take.
	values atomic.Int64
}

// newCells returns a numbering of cells with the given number of slots.
func newCells(width int, text, exact func(values []model.Value) string) *cells {
	return &cells{keys: newTuples(width), text: text, exact: exact}
}

// number returns the number of the cell that holds values.
func (c *cells) number(values []model.Value) uint32 {
	key := c.keys.number(values)
	if n, ok := c.known.Load(key); ok {
		return n
	}
	return c.known.LoadOrCreate(key, func() uint32 {
		n := c.count
		to := c.all.At(n)
		to.values, to.rank = slices.Clone(values), xxhash.Sum64String(c.text(values))
		c.values.Add(int64(len(values)) * int64(unsafe.Sizeof(values[0])))
		c.count++
		return n
	})
}

func (c *cells) bytes() int64 {
	return c.keys.bytes() + c.known.Bytes() + c.all.Bytes() + c.values.Load()
}

func (c *cells) at(n uint32) *cell { return c.all.At(n) }

// compare compares two cells by their rank, in the same way in every process.
func (c *cells) compare(a, b uint32) int {
	x, y := c.at(a), c.at(b)
	if a == b || x.rank != y.rank {
		return cmp.Compare(x.rank, y.rank)
	}
	return strings.Compare(c.exact(x.values), c.exact(y.values))
}

// tuples maps tuples of one length to keys, one to one: a tuple's prefixes are numbered pair by pair, and the last
// pair is the key.
type tuples struct{ prefix []intern.Pairs }

func newTuples(width int) tuples { return tuples{make([]intern.Pairs, max(0, width-2))} }

func (t *tuples) bytes() int64 {
	n := int64(0)
	for i := range t.prefix {
		n += t.prefix[i].Bytes()
	}
	return n
}

func (t *tuples) number(values []model.Value) uint64 {
	switch len(values) {
	case 0:
		return 0
	case 1:
		return uint64(values[0])
	}
	n := values[0]
	for i := range t.prefix {
		n = t.prefix[i].Number(intern.Pair(n, values[i+1]))
	}
	return intern.Pair(n, values[len(values)-1])
}

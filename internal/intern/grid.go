package intern

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"ringcheck/internal/largepage"
)

// maxCells is how large a Grid gets before it keeps its values in a Map.
const maxCells = 1 << 20

// A Grid maps pairs of small numbers to uint32 values below 2^32-1. It is a plain two-dimensional array while that
// is small, else a Map. A value once stored stays. The zero Grid is ready for use by many goroutines; Load
// takes no lock.
type Grid struct {
	cells  atomic.Pointer[cells]
	mu     sync.Mutex
	beyond Map
}

// cells holds the values of rows × 2^shift pairs, plus one; 0 is none.
type cells struct {
	shift uint
	rows  uint32
	value []atomic.Uint32
}

func (c *cells) at(row, column uint32) *atomic.Uint32 {
	if c == nil || row >= c.rows || column>>c.shift != 0 {
		return nil
	}
	return &c.value[row<<c.shift|column]
}

// Load returns the value of a pair, and whether it has one.
func (g *Grid) Load(row, column uint32) (uint32, bool) {
	if p := g.cells.Load().at(row, column); p != nil {
		v := p.Load()
		return v - 1, v != 0
	}
	return g.beyond.Load(Pair(row, column))
}

// Holds reports whether the value of a pair is in the array and is the given one: what Load says, if it does, in the
// least time.
func (g *Grid) Holds(row, column, value uint32) bool {
	c := g.cells.Load()
	if c == nil || column>>c.shift != 0 {
		return false
	}
	i := uint64(row)<<c.shift | uint64(column)
	return i < uint64(len(c.value)) && c.value[i].Load() == value+1
}

// LoadOrStore returns the value of a pair if it has one; else it stores value and returns it.
func (g *Grid) LoadOrStore(row, column, value uint32) uint32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if old, ok := g.Load(row, column); ok {
		return old
	}
	p := g.cells.Load().at(row, column)
	if p == nil {
		p = g.enlarge(row, column).at(row, column)
	}
	if p == nil {
		return g.beyond.LoadOrStore(Pair(row, column), value)
	}
	p.Store(stored(value))
	return value
}

// enlarge makes room for a pair if that is possible within maxCells.
func (g *Grid) enlarge(row, column uint32) *cells {
	old := g.cells.Load()
	c := &cells{shift: 3, rows: 8}
	if old != nil {
		c.shift, c.rows = old.shift, old.rows
	}
	c.shift = max(c.shift, uint(bits.Len32(column)))
	if row >= maxCells {
		return old
	}
	if row >= c.rows {
		c.rows = 1 << bits.Len32(row)
	}
	if uint64(c.rows)<<c.shift > maxCells {
		return old
	}
	c.value = largepage.Make[atomic.Uint32](int(c.rows) << c.shift)
	if old != nil {
		for i := range old.value {
			row, column := uint32(i)>>old.shift, uint32(i)&(1<<old.shift-1)
			c.at(row, column).Store(old.value[i].Load())
		}
	}
	g.cells.Store(c)
	return c
}

// Bytes returns the memory that g holds.
func (g *Grid) Bytes() int64 {
	n := g.beyond.Bytes()
	if c := g.cells.Load(); c != nil {
		n += 4 * int64(len(c.value))
	}
	return n
}

package intern

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/largepage"
)

// A Map maps uint64 keys to uint32 values below 2^32-1. Stored values never change. The zero Map is ready for
// concurrent use; Load takes no lock.
type Map struct {
	table atomic.Pointer[table]
	mu    sync.Mutex
	used  int
}

// A table is an open-addressing hash table with linear probing. Slots are filled by the holder of the mutex and never
// emptied. A reader that misses a slot being filled takes the slow path, which looks again under the mutex.
type table struct {
	shift uint // 64 - log2(len(slots))
	slots []slot
}

// A slot is empty while value is 0; the stored value is one less. key is written before value is.
type slot struct {
	key   uint64
	value atomic.Uint32
}

func newTable(logSize uint) *table {
	return &table{shift: 64 - logSize, slots: largepage.Make[slot](1 << logSize)}
}

// homeSlot returns the first slot to probe for key. It uses Fibonacci hashing after mixing the halves of the key, since
// both halves of a pair are small numbers.
func (t *table) homeSlot(key uint64) uint64 {
	key ^= key >> 32
	return key * 0x9e3779b97f4a7c15 >> t.shift
}

func (t *table) find(key uint64) (uint32, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := t.homeSlot(key); ; i = (i + 1) & mask {
		s := &t.slots[i&mask]
		v := s.value.Load()
		if v == 0 {
			return 0, false
		}
		if s.key == key {
			return v - 1, true
		}
	}
}

func (t *table) put(key uint64, value uint32) {
	mask := uint64(len(t.slots) - 1)
	i := t.homeSlot(key)
	for t.slots[i].value.Load() != 0 {
		i = (i + 1) & mask
	}
	t.slots[i].key = key
	t.slots[i].value.Store(slotValue(value))
}

// slotValue returns value+1, the representation of value in a slot, where 0 means none.
func slotValue(value uint32) uint32 {
	if value == math.MaxUint32 {
		panic(ErrFull)
	}
	return value + 1
}

// Load returns the value of key, and whether it has one.
func (m *Map) Load(key uint64) (uint32, bool) {
	if t := m.table.Load(); t != nil {
		return t.find(key)
	}
	return 0, false
}

// LoadOrStore returns the value of key if it has one; else it stores value and returns it.
func (m *Map) LoadOrStore(key uint64, value uint32) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.Load(key); ok {
		return old
	}
	m.add(key, value)
	return value
}

// LoadOrCreate returns the value of key if it has one; else it stores and returns the result of create, which one
// goroutine at a time calls.
func (m *Map) LoadOrCreate(key uint64, create func() uint32) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.Load(key); ok {
		return old
	}
	value := create()
	m.add(key, value)
	return value
}

// add stores a new key. The caller holds the mutex.
func (m *Map) add(key uint64, value uint32) {
	t := m.table.Load()
	if t == nil || m.used >= len(t.slots)/8*5 {
		t = m.enlarge(t)
	}
	t.put(key, value)
	m.used++
}

// enlarge publishes a copy of twice the size. Readers of the old table see a subset, which is all that Load promises.
func (m *Map) enlarge(old *table) *table {
	if old == nil {
		t := newTable(4)
		m.table.Store(t)
		return t
	}
	t := newTable(64 - old.shift + 1)
	for i := range old.slots {
		if s := &old.slots[i]; s.value.Load() != 0 {
			t.put(s.key, s.value.Load()-1)
		}
	}
	m.table.Store(t)
	return t
}

// visit calls call with every key and its value. Nothing is stored meanwhile.
func (m *Map) visit(call func(key uint64, value uint32)) {
	t := m.table.Load()
	if t == nil {
		return
	}
	for i := range t.slots {
		if s := &t.slots[i]; s.value.Load() != 0 {
			call(s.key, s.value.Load()-1)
		}
	}
}

// Bytes returns the memory that m holds in bytes, including the previous table, which is garbage.
func (m *Map) Bytes() int64 {
	t := m.table.Load()
	if t == nil {
		return 0
	}
	return int64(len(t.slots)) * int64(unsafe.Sizeof(slot{})) * 3 / 2
}

// maxCells is the largest array of a Grid; pairs beyond it go to a Map. An array of more than fewCells is not enlarged
// if less than one in maxSparsity cells would have a value.
const (
	maxCells    = 1 << 20
	fewCells    = 1 << 14
	maxSparsity = 64
)

// A Grid maps pairs of small numbers to uint32 values below 2^32-1, by a two-dimensional array as long as that is small
// and not sparse, and a Map beyond. Stored values never change. The zero Grid is ready for concurrent use; Load takes
// no lock.
type Grid struct {
	cells  atomic.Pointer[cells]
	mu     sync.Mutex
	used   int
	beyond Map
}

// cells holds the values, plus one, of rows × 2^shift pairs; 0 means none.
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
		if v := p.Load(); v != 0 {
			return v - 1, true
		}
	}
	return g.beyond.Load(Pair(row, column))
}

// HasPlace reports whether a value for a pair has its place in the array, or would have it in a small one.
func (g *Grid) HasPlace(row, column uint32) bool {
	c := g.cells.Load()
	return c.at(row, column) != nil || c.extend(row, column).size() <= fewCells
}

// extend returns cells without values for the pairs of c and another one.
func (c *cells) extend(row, column uint32) *cells {
	wider := &cells{shift: 3, rows: 8}
	if c != nil {
		wider.shift, wider.rows = c.shift, c.rows
	}
	wider.shift = max(wider.shift, uint(bits.Len32(column)))
	if row >= wider.rows {
		wider.rows = 1 << min(bits.Len32(row), 31)
	}
	return wider
}

func (c *cells) size() uint64 { return uint64(c.rows) << c.shift }

// Holds reports whether the array holds the given value for a pair. It is faster than Load but misses values in the
// Map.
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
	g.used++
	p := g.cells.Load().at(row, column)
	if p == nil {
		p = g.enlarge(row, column).at(row, column)
	}
	if p == nil {
		return g.beyond.LoadOrStore(Pair(row, column), value)
	}
	p.Store(slotValue(value))
	return value
}

// enlarge makes room in the array for a pair unless it would be too large or too sparse.
func (g *Grid) enlarge(row, column uint32) *cells {
	old := g.cells.Load()
	c := old.extend(row, column)
	if row >= maxCells || c.size() > maxCells || c.size() > max(fewCells, maxSparsity*uint64(g.used)) {
		return old
	}
	c.value = largepage.Make[atomic.Uint32](int(c.size()))
	if old != nil {
		for i := range old.value {
			row, column := uint32(i)>>old.shift, uint32(i)&(1<<old.shift-1)
			c.at(row, column).Store(old.value[i].Load())
		}
	}
	g.beyond.visit(func(key uint64, value uint32) {
		if p := c.at(Split(key)); p != nil {
			p.Store(slotValue(value))
		}
	})
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

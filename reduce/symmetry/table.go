package symmetry

import (
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A table maps tuples of numbers to entries, which are numbered from 0. It is safe for concurrent use; lookups take no
// lock.
type table[T any] struct {
	keys       tuples
	numbers    intern.Map
	entries    intern.Array[T]
	count      uint32       // guarded by the mutex of numbers
	entryBytes atomic.Int64 // memory that the entries refer to, in bytes
}

func newTable[T any](width int) table[T] { return table[T]{keys: newTuples(width)} }

func (t *table[T]) at(n uint32) *T { return t.entries.At(n) }

// find returns the number of the entry for a tuple, if there is one, and the key to add it by.
func (t *table[T]) find(tuple []uint32) (n uint32, key uint64, ok bool) {
	key = t.keys.number(tuple)
	n, ok = t.numbers.Load(key)
	return n, key, ok
}

// add adds an entry, which refers to the given number of bytes, unless the key has one, and returns its number.
func (t *table[T]) add(key uint64, entry T, bytes int) uint32 {
	return t.numbers.LoadOrCreate(key, func() uint32 {
		n := t.count
		*t.entries.At(n) = entry
		t.entryBytes.Add(int64(bytes))
		t.count++
		return n
	})
}

func (t *table[T]) bytes() int64 {
	return t.keys.bytes() + t.numbers.Bytes() + t.entries.Bytes() + t.entryBytes.Load()
}

// A grid maps pairs of small numbers to entries, which do not change. It is safe for concurrent use; find takes no
// lock.
type grid[T any] struct {
	numbers    intern.Grid
	entries    intern.Array[T]
	count      atomic.Uint32
	entryBytes atomic.Int64 // memory that the entries refer to, in bytes
}

// find returns the entry of a pair, if it has one.
func (g *grid[T]) find(row, column uint32) (entry *T, ok bool) {
	n, ok := g.numbers.Load(row, column)
	if !ok {
		return nil, false
	}
	return g.entries.At(n), true
}

// add adds an entry, which refers to the given number of bytes, unless the pair has one, and returns its entry.
func (g *grid[T]) add(row, column uint32, entry T, bytes int) *T {
	n := g.count.Add(1) - 1
	*g.entries.At(n) = entry
	g.entryBytes.Add(int64(bytes))
	return g.entries.At(g.numbers.LoadOrStore(row, column, n))
}

func (g *grid[T]) bytes() int64 { return g.numbers.Bytes() + g.entries.Bytes() + g.entryBytes.Load() }

// tuples maps tuples of one length injectively to keys: a tuple's prefixes are numbered pair by pair, and the last pair
// is the key.
type tuples struct{ prefix []intern.Pairs }

func newTuples(width int) tuples { return tuples{make([]intern.Pairs, max(0, width-2))} }

func (t *tuples) bytes() int64 {
	n := int64(0)
	for i := range t.prefix {
		n += t.prefix[i].Bytes()
	}
	return n
}

func (t *tuples) number(values []uint32) uint64 {
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

// classTransitions holds the transitions of a class from some values, with the new values.
type classTransitions struct {
	steps   []model.Step // n for each transition, one for each process
	values  []model.Value
	choices uint32
}

const (
	stepBytes  = int(unsafe.Sizeof(model.Step{}))
	valueBytes = int(unsafe.Sizeof(model.Value(0)))
)

// classTransitions returns the transitions of a class. The error is the error of the given process, or says that the
// processes differ.
func (q *Quotient) classTransitions(c *class, process int, values []model.Value) (*classTransitions, error) {
	n, key, ok := c.table.find(values)
	if !ok {
		m, err := q.computeTransitions(c, process, values)
		if err != nil {
			return nil, err
		}
		n = c.table.add(key, *m, stepBytes*len(m.steps)+valueBytes*len(m.values))
	}
	return c.table.at(n), nil
}

package compile

import (
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/intern"
)

// A cache holds data about numbers: about small numbers for good, about others until one with the same place comes. So
// a system with many local states, each of which is asked about a few times, takes little memory for each.
type cache[T any] struct {
	fill   func(number uint32, t *T)
	most   atomic.Uint32                    // numbers below are small
	small  intern.Array[atomic.Pointer[T]]  // by number
	count  atomic.Int64                     // of the entries that are kept
	recent atomic.Pointer[recentEntries[T]] // nil until a number is not small
}

// recentEntries are the entries of numbers that are not small, by number modulo their length.
type recentEntries[T any] []atomic.Pointer[entry[T]]

type entry[T any] struct {
	number uint32
	of     T
}

// Numbers below keptEntries are small. Of the others, recentPlaces have a place.
const (
	keptEntries  = 1 << 14
	recentPlaces = 1 << 12
)

func (c *cache[T]) init(fill func(number uint32, t *T)) {
	c.fill = fill
	c.most.Store(keptEntries)
}

// keeps reports whether the data about a number are kept for good.
func (c *cache[T]) keeps(number uint32) bool { return number < c.most.Load() }

// at returns the data about a number.
func (c *cache[T]) at(number uint32) *T {
	if !c.keeps(number) {
		return c.recently(number)
	}
	place := c.small.At(number)
	if t := place.Load(); t != nil {
		return t
	}
	t := new(T)
	c.fill(number, t)
	if place.CompareAndSwap(nil, t) {
		c.count.Add(1)
	}
	return place.Load()
}

func (c *cache[T]) recently(number uint32) *T {
	recent := c.recent.Load()
	if recent == nil {
		c.recent.CompareAndSwap(nil, new(make(recentEntries[T], recentPlaces)))
		recent = c.recent.Load()
	}
	place := &(*recent)[int(number)%len(*recent)]
	e := place.Load()
	if e == nil || e.number != number {
		e = &entry[T]{number: number}
		c.fill(number, &e.of)
		place.Store(e)
	}
	return &e.of
}

// sampleStep is the number of places of recent entries for one that is measured. A search often asks for the memory.
const sampleStep = 1 << 5

// bytes returns about how much memory c holds; more returns the memory that an entry refers to.
func (c *cache[T]) bytes(more func(t *T) int64) int64 {
	var t T
	n := c.small.Bytes() + c.count.Load()*int64(unsafe.Sizeof(t))
	recent := c.recent.Load()
	if recent == nil {
		return n
	}
	measured := int64(0)
	for i := 0; i < len(*recent); i += sampleStep {
		if e := (*recent)[i].Load(); e != nil {
			measured += int64(unsafe.Sizeof(*e)) + more(&e.of)
		}
	}
	return n + int64(len(*recent))*int64(unsafe.Sizeof((*recent)[0])) + sampleStep*measured
}

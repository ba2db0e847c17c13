package graph

import (
	"slices"
	"unsafe"
)

// Rows are lists, numbered from 0 on, one behind the other.
type Rows[E any] struct {
	At  []uint32 // by list: where it begins in All, and the end of the last
	All []E
}

// Len returns the number of lists.
func (r *Rows[E]) Len() int { return len(r.At) - 1 }

// Of returns list i.
func (r *Rows[E]) Of(i uint32) []E { return r.All[r.At[i]:r.At[i+1]] }

// Bytes returns the memory that the lists take.
func (r *Rows[E]) Bytes() uint64 { return Bytes[E](r.Len(), cap(r.All)) }

// Bytes returns the memory that n lists with so many elements in all take.
func Bytes[E any](n, elements int) uint64 {
	var e E
	return 4*uint64(n+2) + uint64(unsafe.Sizeof(e))*uint64(elements)
}

// Keep keeps only some of the lists, in the given order. The memory stays the same if their numbers ascend.
func (r *Rows[E]) Keep(lists []uint32) {
	elements := 0
	for _, i := range lists {
		elements += len(r.Of(i))
	}
	all := r.All[:0]
	if !slices.IsSorted(lists) {
		all = make([]E, 0, elements)
	}
	at := make([]uint32, 1, len(lists)+1)
	for _, i := range lists {
		all = append(all, r.Of(i)...)
		at = append(at, uint32(len(all)))
	}
	r.At, r.All = at, all
}

// Reverse returns, for each of the numbers below n, the sources of the edges that lead to it, in the order of the
// edges, of which there are m. each yields the edges; it is called twice.
func Reverse(n, m int, each func(yield func(from, to uint32))) Rows[uint32] {
	at, sources := make([]uint32, n+2), make([]uint32, m) // at[i+1] is where list i goes on
	each(func(_, to uint32) { at[to+2]++ })
	for i := range n {
		at[i+2] += at[i+1]
	}
	each(func(from, to uint32) {
		sources[at[to+1]] = from
		at[to+1]++
	})
	return Rows[uint32]{at[:n+1], sources}
}

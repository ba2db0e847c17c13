package graph

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/effort"
)

// An Edge is an edge without its source. What its label says is up to the graph.
type Edge struct{ Label, To uint32 }

// Rows holds lists, numbered from 0 on, in compressed sparse rows.
type Rows[E any] struct {
	At  []uint32 // list i is All[At[i]:At[i+1]]
	All []E
}

// Len returns the number of lists.
func (r *Rows[E]) Len() int { return len(r.At) - 1 }

// Of returns list i.
func (r *Rows[E]) Of(i uint32) []E { return r.All[r.At[i]:r.At[i+1]] }

// Append adds a list after the last one.
func (r *Rows[E]) Append(list ...E) {
	r.All = append(r.All, list...)
	r.At = append(r.At, uint32(len(r.All)))
}

// Bytes returns the memory of the lists in bytes.
func (r *Rows[E]) Bytes() uint64 {
	var e E
	return 4*uint64(cap(r.At)) + uint64(unsafe.Sizeof(e))*uint64(cap(r.All))
}

// Reverse returns the sources of the edges into each vertex, in the order of the edges.
func Reverse(f *effort.Effort, edges *Rows[Edge]) Rows[uint32] {
	return Group(f, edges.Len(), len(edges.All), func(yield func(list, element uint32)) {
		for v := range uint32(edges.Len()) {
			f.Tick()
			for _, e := range edges.Of(v) {
				yield(e.To, v)
			}
		}
	})
}

// Group sorts the m elements that each yields into n lists, which keep their order. each is called twice. The effort
// counts the memory of the lists.
func Group(f *effort.Effort, n, m int, each func(yield func(list, element uint32))) Rows[uint32] {
	f.Hold(4 * (uint64(n+2) + uint64(m)))
	at, all := make([]uint32, n+2), make([]uint32, m) // at[i+1] is the current end of list i
	each(func(list, _ uint32) { at[list+2]++ })
	for i := range n {
		at[i+2] += at[i+1]
	}
	each(func(list, element uint32) {
		all[at[list+1]] = element
		at[list+1]++
	})
	return Rows[uint32]{at[:n+1], all}
}

// A Set is a bit set of numbers below a bound. Only Has, Add and Remove are safe for concurrent use.
type Set[N uint32 | uint64] []uint64

// NewSet returns the empty set of numbers below n.
func NewSet[N uint32 | uint64](n N) Set[N] { return make(Set[N], (uint64(n)+63)/64) }

// Has reports whether i is in the set.
func (s Set[N]) Has(i N) bool { return atomic.LoadUint64(&s[i/64])>>(i%64)&1 != 0 }

// Add adds i. It does not write if that is there: writing takes longer, more so if several goroutines do.
func (s Set[N]) Add(i N) {
	if !s.Has(i) {
		atomic.OrUint64(&s[i/64], 1<<(i%64))
	}
}

// Remove removes i.
func (s Set[N]) Remove(i N) { atomic.AndUint64(&s[i/64], ^uint64(1<<(i%64))) }

// Fill adds the numbers below n.
func (s Set[N]) Fill(n N) {
	for i := range s[:n/64] {
		s[i] = ^uint64(0)
	}
	if n%64 != 0 {
		s[n/64] |= 1<<(n%64) - 1
	}
}

// Intersect removes the numbers that are not in another set of the same size.
func (s Set[N]) Intersect(other Set[N]) {
	for i, w := range other {
		s[i] &= w
	}
}

// Unite adds the numbers in another set of the same size.
func (s Set[N]) Unite(other Set[N]) {
	for i, w := range other {
		s[i] |= w
	}
}

// Len returns the number of elements.
func (s Set[N]) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether the set has no elements.
func (s Set[N]) Empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

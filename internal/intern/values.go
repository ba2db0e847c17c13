package intern

import (
	"hash/maphash"
	"sync"
	"unsafe"
)

// shards is the number of maps of a Values; with many, goroutines seldom wait for each other.
const shards = 64

// Values assigns dense numbers to values and maps numbers back to values. The zero value is ready for concurrent use.
type Values[T comparable] struct {
	once   sync.Once
	seed   maphash.Seed
	shards [shards]struct {
		sync.Mutex
		of map[T]uint32
	}
	mu    sync.Mutex
	count uint32
	list  Array[T]
}

// Number returns the number of a value, assigning one if it has none.
func (v *Values[T]) Number(value T) uint32 {
	v.once.Do(func() { v.seed = maphash.MakeSeed() })
	shard := &v.shards[maphash.Comparable(v.seed, value)%shards]
	shard.Lock()
	defer shard.Unlock()
	number, ok := shard.of[value]
	if !ok {
		if shard.of == nil {
			shard.of = make(map[T]uint32)
		}
		number = v.add(value)
		shard.of[value] = number
	}
	return number
}

func (v *Values[T]) add(value T) uint32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	number := v.count
	*v.list.At(number) = value
	v.count++
	return number
}

// At returns the value with a number that Number has returned before.
func (v *Values[T]) At(number uint32) *T { return v.list.At(number) }

// Len returns the number of values.
func (v *Values[T]) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int(v.count)
}

// Bytes estimates the memory that v holds, without what the values point to.
func (v *Values[T]) Bytes() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	var value T
	return v.list.Bytes() + int64(v.count)*int64(unsafe.Sizeof(value)+8)*2
}

// Vectors assigns dense numbers to vectors of one length, at least 1. Each inner node of a balanced tree over the slots
// numbers the pairs of its two halves' numbers (recursive indexing), so common parts are stored once, and a vector that
// differs from a known one in a few slots is found in logarithmic time. It is safe for concurrent use.
type Vectors struct {
	root *vectorNode
}

// A vectorNode covers the slots [first, end). The number of a leaf is the slot's value itself.
type vectorNode struct {
	first, end  int
	left, right *vectorNode // nil for a leaf
	pairs       Pairs
}

// NewVectors returns an empty set of vectors of the given length.
func NewVectors(length int) *Vectors {
	// The root needs two children to number; a leaf beyond the last slot holds 0.
	return &Vectors{newVectorNode(0, max(length, 2))}
}

func newVectorNode(first, end int) *vectorNode {
	n := &vectorNode{first: first, end: end}
	if mid := (first + end) / 2; end-first > 1 {
		n.left, n.right = newVectorNode(first, mid), newVectorNode(mid, end)
	}
	return n
}

// Number returns the number of v, assigning one if it has none.
func (s *Vectors) Number(v []uint32) uint32 { return s.root.number(v) }

func (n *vectorNode) number(v []uint32) uint32 {
	if n.left == nil {
		if n.first < len(v) {
			return v[n.first]
		}
		return 0
	}
	return n.pairs.Number(Pair(n.left.number(v), n.right.number(v)))
}

// Replace returns the number of vector old with the given slots, in ascending order, set to the given values.
func (s *Vectors) Replace(old uint32, slots []int, values []uint32) uint32 {
	return s.root.replace(old, slots, values)
}

func (n *vectorNode) replace(old uint32, slots []int, values []uint32) uint32 {
	if len(slots) == 0 {
		return old
	}
	if n.left == nil {
		return values[0]
	}
	k := 0
	for k < len(slots) && slots[k] < n.right.first {
		k++
	}
	pair := n.pairs.At(old)
	l, r := Split(pair)
	changed := Pair(n.left.replace(l, slots[:k], values[:k]), n.right.replace(r, slots[k:], values[k:]))
	if changed == pair {
		return old
	}
	return n.pairs.Number(changed)
}

// Read writes the vector with number i to v.
func (s *Vectors) Read(i uint32, v []uint32) { s.root.read(i, v) }

func (n *vectorNode) read(i uint32, v []uint32) {
	if n.left == nil {
		if n.first < len(v) {
			v[n.first] = i
		}
		return
	}
	l, r := Split(n.pairs.At(i))
	n.left.read(l, v)
	n.right.read(r, v)
}

// Len returns the number of vectors.
func (s *Vectors) Len() int { return s.root.pairs.Len() }

// Bytes returns the memory that s holds.
func (s *Vectors) Bytes() int64 { return s.root.bytes() }

func (n *vectorNode) bytes() int64 {
	if n.left == nil {
		return 0
	}
	return n.pairs.Bytes() + n.left.bytes() + n.right.bytes()
}

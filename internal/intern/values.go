package intern

import (
	"hash/maphash"
	"sync"
	"unsafe"
)

// shards is how many maps there are, so that goroutines seldom wait for each other.
const shards = 64

// Values numbers values densely from 0 on, and gives them back. The zero value is ready for use by many goroutines.
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

// Number returns the number of a value, giving it one if it has none.
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

// Len returns how many values have a number.
func (v *Values[T]) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int(v.count)
}

// Bytes estimates the memory that v holds: what values point to is not known.
func (v *Values[T]) Bytes() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	var value T
	return v.list.Bytes() + int64(v.count)*int64(unsafe.Sizeof(value)+8)*2
}

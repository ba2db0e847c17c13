//go:build !linux

package largepage

// Size is the least size of a block for which it is worth asking.
const Size = 2 << 20

// Advise does nothing.
func Advise[T any]([]T) {}

// Mapped is whether large blocks that Map returns are outside the Go heap.
const Mapped = false

// Map returns n zero elements and a function that does nothing: the garbage collector frees them.
func Map[T any](n int) (block []T, unmap func()) { return make([]T, n), func() {} }

package largepage

import "unsafe"

// Make is make, on large pages where possible.
func Make[T any](n int) []T {
	var zero T
	size := unsafe.Sizeof(zero)
	if uintptr(n)*size < Size {
		return make([]T, n)
	}
	// What lies before the first whole page is never touched, and so takes no memory.
	block := make([]T, uintptr(n)+Size/size)
	skip := (-uintptr(unsafe.Pointer(&block[0])) & (Size - 1)) / size
	block = block[skip:][:n:n]
	Advise(block)
	return block
}

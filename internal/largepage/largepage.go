// Package largepage asks the system to back big blocks of memory with large pages.
//
// A hash table of gigabytes is read at random places. On small pages each read misses the TLB as well as the
// cache, and under virtualisation a TLB miss can cost more than the cache miss. Where the system has no large
// pages, or no means to ask for them, the functions do nothing and everything works, slower.
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

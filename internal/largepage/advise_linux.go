package largepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Size is the size of a large page, and the least size of a block for which it is worth asking.
const Size = 2 << 20

// Advise asks for large pages for a block that has not been touched yet. Only whole large pages within the
// block can become one.
func Advise[T any](block []T) {
	if len(block) == 0 {
		return
	}
	begin := uintptr(unsafe.Pointer(&block[0]))
	end := begin + uintptr(len(block))*unsafe.Sizeof(block[0])
	first := (begin + Size - 1) &^ (Size - 1)
	last := end &^ (Size - 1)
	if first >= last {
		return
	}
	p := unsafe.Add(unsafe.Pointer(&block[0]), first-begin)
	// It is only advice: an error leaves the block on small pages.
	_ = unix.Madvise(unsafe.Slice((*byte)(p), last-first), unix.MADV_HUGEPAGE)
}

// Mapped is whether large blocks that Map returns are outside the Go heap.
const Mapped = true

// Map returns n zero elements of a type without pointers, on large pages where possible, and a function that
// gives them back to the system at once. Small blocks come from the Go heap.
func Map[T any](n int) (block []T, unmap func()) {
	var zero T
	size := n * int(unsafe.Sizeof(zero))
	if size < Size {
		return make([]T, n), func() {}
	}
	b, err := unix.Mmap(-1, 0, size+Size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return make([]T, n), func() {}
	}
	skip := -uintptr(unsafe.Pointer(&b[0])) & (Size - 1)
	block = unsafe.Slice((*T)(unsafe.Pointer(&b[skip])), n)
	// A last page that is used by half is worth it.
	whole := (size + Size/2) &^ (Size - 1)
	_ = unix.Madvise(b[skip:min(int(skip)+whole, len(b))], unix.MADV_HUGEPAGE) // advice, as above
	return block, func() { _ = unix.Munmap(b) }
}

package store

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate gives the first bytes of a file their blocks on the disk.
func allocate(f *os.File, bytes int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, bytes)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fallocate(int(f.Fd()), 0, 0, bytes)
	}
	if errors.Is(err, unix.EOPNOTSUPP) { // not on every file system
		return nil
	}
	return err
}

// available returns how many bytes are free for us.
func available(dir string) (free uint64, ok bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}

// release tells the system that a value that was read need not stay in our memory. The page cache still has it.
//
// Pages of a map count as memory of the process as soon as they are touched, and a search would soon have touched all that
// is on disk. A value of a page or more is in a map of a file of the value log, which badger keeps in place while the value
// is in use. A smaller one can be elsewhere.
func release(value []byte) {
	page := uintptr(os.Getpagesize())
	if len(value) < max(int(page), valueThreshold) {
		return
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(value)))
	before := first % page
	length := (before + uintptr(len(value)) + page - 1) / page * page
	pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(value)), -int(before))), length)
	_ = unix.Madvise(pages, unix.MADV_DONTNEED) // a hint
}

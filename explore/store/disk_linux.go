package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// allocate allocates the disk blocks of the first bytes of a file.
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

// available returns the number of bytes that this user can still write.
func available(dir string) (free uint64, ok bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}

// release tells the system to drop the mapped pages of the files in a folder with an extension. They stay in the page
// cache. No file may be unmapped meanwhile.
//
// Mapped pages, and neighbouring ones, count as memory of the process as soon as they are touched, and a search soon
// touches everything on disk.
func release(dir, ending string) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		at := strings.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		path := strings.TrimSuffix(line[at:], "\n")
		if filepath.Dir(path) != dir || filepath.Ext(path) != ending {
			continue
		}
		var first, end uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &first, &end); n == 2 {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, first, end-first, unix.MADV_DONTNEED) // a hint
		}
	}
}

//go:build !unix && !js

package store

import (
	"os"
	"syscall"
)

// lock fails for a file that was locked before, since there is no way to find out whether a process still has it.
func lock(f *os.File) error {
	if info, err := f.Stat(); err != nil || info.Size() > 0 {
		return syscall.EWOULDBLOCK
	}
	return nil
}

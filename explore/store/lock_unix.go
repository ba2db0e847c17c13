//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file for as long as it is open. The error is EWOULDBLOCK if another process, or another store of this
// one, has locked it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

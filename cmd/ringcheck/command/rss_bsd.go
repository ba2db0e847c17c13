//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package command

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS returns the most bytes of memory that the process held at any time, 0 if unknown.
func peakRSS() uint64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) << 10
}

//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package machine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PeakRSS returns the most bytes of memory that the process held at any time, 0 if unknown.
func PeakRSS() uint64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) << 10
}

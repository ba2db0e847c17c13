//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time that the process has taken, including time in the system; 0 if unknown.
func CPU() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

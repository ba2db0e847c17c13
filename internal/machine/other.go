//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package machine

import (
	"os"
	"time"
)

// CPU returns the processor time that the process has taken, including time in the system; 0 if unknown.
func CPU() time.Duration { return 0 }

// PeakRSS returns the most bytes of memory that the process held at any time, 0 if unknown.
func PeakRSS() uint64 { return 0 }

// ChildRSS returns the most bytes of memory that a child process held at any time, once it has ended; 0 if unknown.
func ChildRSS(*os.ProcessState) uint64 { return 0 }

//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package command

// peakRSS returns the most bytes of memory that the process held at any time, 0 if unknown.
func peakRSS() uint64 { return 0 }

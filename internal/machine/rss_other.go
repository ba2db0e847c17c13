//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package machine

// PeakRSS returns the most bytes of memory that the process held at any time, 0 if unknown.
func PeakRSS() uint64 { return 0 }

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package machine

import (
	"os"
	"runtime"
	"syscall"
)

// ChildRSS returns the most bytes of memory that a child process held at any time, once it has ended; 0 if unknown. It
// is at least what this process held when it started the child.
func ChildRSS(ended *os.ProcessState) uint64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) << 10
}

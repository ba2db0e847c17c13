//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package machine

import "time"

// CPU returns the processor time that the process has taken, that of the system included; 0 if unknown.
func CPU() time.Duration { return 0 }

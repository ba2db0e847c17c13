package machine

import (
	"bytes"
	"os"
	"strconv"
)

// PeakRSS returns the most bytes of memory that the process held at any time, 0 if unknown. It is read from
// /proc: getrusage would count what the parent held when it started us, as "go run" does.
func PeakRSS() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kib, _ := strconv.ParseUint(string(fields[1]), 10, 64)
			return kib << 10
		}
	}
	return 0
}

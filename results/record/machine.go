package record

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/cpuid/v2"
)

// A Machine is what a run was measured on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"` // that Go uses
	Memory uint64 `json:"memory_bytes"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

// ThisMachine describes the machine that this program runs on; memory is what it may use, in bytes.
func ThisMachine(memory uint64) Machine {
	return Machine{
		CPU:    cmp.Or(cpuid.CPU.BrandName, "unknown processor"),
		Cores:  runtime.GOMAXPROCS(0),
		Memory: memory,
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
	}
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s/%s", m.CPU, m.Cores, humanize.IBytes(m.Memory), m.OS, m.Arch)
}

// Package machine reports the memory of the machine, and the memory that this process has used.
package machine

import (
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Memory returns the bytes that this process may use at most: the machine's memory or the limit of its control
// group; Unknown if neither says.
func Memory() uint64 { return minLimit(memlimit.FromSystem, memlimit.FromCgroup) }

// Unknown is the memory of a machine that does not say how much it has: no limit, so that nothing is refused because of
// it.
const Unknown = math.MaxInt64

// Budget returns the bytes that a computation takes if no limit is given: 3/4 of the memory, of 4 GiB if that is
// unknown.
func Budget() uint64 { return budget(Memory()) }

func budget(memory uint64) uint64 {
	if memory == Unknown {
		memory = 4 << 30
	}
	return memory / 4 * 3
}

// minLimit returns the least limit that some sources know of. A source without a limit returns 0.
func minLimit(sources ...func() (uint64, error)) uint64 {
	limit := uint64(Unknown)
	for _, source := range sources {
		if n, err := source(); err == nil && n > 0 {
			limit = min(limit, n)
		}
	}
	return limit
}

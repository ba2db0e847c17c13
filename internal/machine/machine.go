// Package machine says what memory there is, and how much of it this process has used.
package machine

import "github.com/KimMachineGun/automemlimit/memlimit"

// Memory returns the bytes that this process may use at most: the machine's memory or the limit of its control
// group. 0 means unknown.
func Memory() uint64 {
	system, err := memlimit.FromSystem()
	if err != nil {
		system = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && (group < system || system == 0) {
		return group
	}
	return system
}

package command

import (
	"errors"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// byteSize is the value of a flag that takes a number of bytes, such as 4GiB or 500MB.
type byteSize uint64

func (s *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	switch {
	case err != nil:
		return errors.New("want a size such as 4GiB")
	case n == 0:
		return errors.New("want a size above 0")
	}
	*s = byteSize(n)
	return nil
}

func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*s))
}

func (s *byteSize) Type() string { return "SIZE" }

// machineMemory returns the bytes that this process may use at most: the machine's memory or the limit of
// its control group. 0 means unknown.
func machineMemory() uint64 {
	system, err := memlimit.FromSystem()
	if err != nil {
		system = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && (group < system || system == 0) {
		return group
	}
	return system
}

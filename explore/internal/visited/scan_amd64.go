package visited

import "golang.org/x/sys/cpu"

// canScan says that there is a scanLines.
var canScan = cpu.X86.HasAVX2

// scanLines compares the n lines at homes with what is wanted in them, after it has asked the memory for all of them, to be written.
// Bit i of a mask says that slot i holds what is wanted, bit 16+i that it is empty.
//
//go:noescape
func scanLines(homes **line, wants, masks *uint32, n int)

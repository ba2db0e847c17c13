package bisim

// A Partition divides the states of a system into blocks 0 … Blocks−1, numbered in the order of their first
// states.
type Partition struct {
	Blocks int
	Of     []uint32 // the block of each state
}

const none = ^uint32(0)

// canonical numbers the values of of, which are below bound, in the order in which they occur.
func canonical(of []uint32, bound int) *Partition {
	number := make([]uint32, bound)
	for i := range number {
		number[i] = none
	}
	next := uint32(0)
	for s, b := range of {
		if number[b] == none {
			number[b] = next
			next++
		}
		of[s] = number[b]
	}
	return &Partition{Blocks: int(next), Of: of}
}

package reduction

import (
	"math/bits"

	"ringcheck/model"
)

// A Permutation is a quotient by permutations of processes. Its states are states of another system, each of which
// represents all states that permutations lead to from it.
//
// Colours are numbers below 2^31 of the processes of a state. They are sums, modulo 2^31, of what the values of all
// slots say, and a permutation moves them with the processes.
type Permutation interface {
	// FullSystem returns the other system. Its labels are those of the quotient, whose second group, if any, is the
	// environment's; or, if asleep is set, SleepTags.
	FullSystem(asleep bool) model.System
	// Sleep returns which transitions a breadth-first search can leave out.
	Sleep() PermutedSleep
	// Processes returns the number of processes.
	Processes() int
	// Ascents returns pairs of processes: a state in which the colour of the first of each pair is less than that of
	// the second is a representative, and its orbit has the full size.
	Ascents() [][2]int
	// FullSize returns the size of the largest orbits.
	FullSize() uint64
	// Permuter returns a Permuter for one more goroutine.
	Permuter() Permuter
}

// A Permuter computes representatives.
type Permuter interface {
	// AddColours adds what the values of the slots from first on say of the processes to their colours.
	AddColours(first int, values []model.Value, colours []uint32)
	// Represent returns the representative of a state with the given colours, valid until the next call, and the number
	// of a permutation that leads to it.
	Represent(state []model.Value, colours []uint32) (representative []model.Value, permutation uint32)
	// Test compares the transitions of a state with those of its images, if more tests are useful. An error would be
	// one of the quotient.
	Test(state []model.Value) (more bool, err error)
}

// PermutedSleep describes the sleep sets of a Permutation.
type PermutedSleep struct {
	SleepSets
	Images [][]uint8 // by permutation and bit: the image of the bit
}

// Permute returns the image of a set under a permutation.
func (z *PermutedSleep) Permute(set uint64, permutation uint32) (image uint64) {
	for images := z.Images[permutation]; set != 0; set &= set - 1 {
		image |= 1 << images[bits.TrailingZeros64(set)]
	}
	return image
}

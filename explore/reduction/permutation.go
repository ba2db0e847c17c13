package reduction

import (
	"math/bits"

	"ringcheck/model"
)

// A Permutation is a quotient by permutations of processes. Its states are states of another system, each of which
// represents all states that permutations lead to from it.
//
// The processes that permutations move have colours in every state. They are the sums of what the values of all slots
// say, and a permutation moves them with the processes.
type Permutation interface {
	// FullSystem returns the other system. Its labels are those of the quotient, whose second group, if any, is the
	// environment's; or, if asleep is set, SleepTags.
	FullSystem(asleep bool) model.System
	// Sleep returns which transitions a breadth-first search can leave out.
	Sleep() PermutedSleep
	// Colours returns the number of colours.
	Colours() int
	// Ascents returns pairs of colours: a state in which the first of each pair is less than the second is a
	// representative, and its orbit has the full size.
	Ascents() [][2]int
	// FullSize returns the size of the largest orbits.
	FullSize() uint64
	// Permuter returns a Permuter for one more goroutine.
	Permuter() Permuter
}

// A Permuter computes representatives.
type Permuter interface {
	// ColoursOf returns what the value of a slot says of the processes; nil if nothing. The caller does not change it.
	ColoursOf(slot int, v model.Value) []Colours
	// Represent returns the representative of a state with the given colours, valid until the next call, and the number
	// of a permutation that leads to it. The identity has number 0.
	Represent(state []model.Value, colours []Colours) (representative []model.Value, permutation uint32)
	// Test compares the transitions of a state with those of its images, if more tests are useful. An error would be
	// one of the quotient.
	Test(state []model.Value) (more bool, err error)
}

// Colours are a few colours in one word. The highest bit is 0.
type Colours uint64

// ColoursPerWord is the number of colours in a word. Colours are below 2^ColourBits.
const (
	ColoursPerWord = 4
	ColourBits     = 15

	laneBits    = ColourBits + 1 // the highest bit of a lane is 0
	colourMask  = 1<<ColourBits - 1
	coloursMask = colourMask * (1 + 1<<laneBits + 1<<(2*laneBits) + 1<<(3*laneBits))
)

// ColourWords returns the number of words for some colours.
func ColourWords(colours int) int { return (colours + ColoursPerWord - 1) / ColoursPerWord }

// Plus returns the sums of colours, modulo 2^ColourBits.
func (c Colours) Plus(d Colours) Colours { return (c + d) & coloursMask }

// Colour returns colour i of some words.
func Colour(words []Colours, i int) uint32 {
	return uint32(words[i/ColoursPerWord]>>(i%ColoursPerWord*laneBits)) & colourMask
}

// AddColour adds to colour i of some words, modulo 2^ColourBits.
func AddColour(words []Colours, i int, colour uint32) {
	w := &words[i/ColoursPerWord]
	*w = w.Plus(Colours(colour&colourMask) << (i % ColoursPerWord * laneBits))
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

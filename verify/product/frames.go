package product

import (
	"math/bits"
	"slices"
)

// frames maps the actions at each step of a cycle to the actions at its start, through the permutations of the steps.
// It is empty unless actions are followed.
type frames struct {
	at      [][]uint8
	classes []uint8 // by action at the start: an action that is equivalent if the cycle is repeated
}

func (s *Search) newFrames(cycle []Step) (*frames, error) {
	f := &frames{}
	images, err := s.newImages()
	if images == nil {
		return f, err
	}
	at := make([]uint8, len(s.Actions))
	for a := range at {
		at[a] = uint8(a)
	}
	f.classes = slices.Clone(at)
	for _, step := range cycle {
		f.at = append(f.at, at)
		next := make([]uint8, len(at))
		for a, image := range images.of(step.Permutation) {
			next[image] = at[a]
		}
		at = next
	}
	for a, from := range at { // the cycle moves action from to action a
		unite(f.classes, uint8(a), from)
	}
	return f, nil
}

// atStart returns the actions at the start to which actions at a step belong.
func (f *frames) atStart(step int, actions uint64) (set uint64) {
	if f.at == nil {
		return actions
	}
	for ; actions != 0; actions &= actions - 1 {
		set |= 1 << f.at[step][bits.TrailingZeros64(actions)]
	}
	return set
}

// withEquivalent returns all actions at the start that are equivalent to some of a set.
func (f *frames) withEquivalent(actions uint64) (set uint64) {
	if f.at == nil {
		return actions
	}
	for a := range f.classes {
		for b := range f.classes {
			if f.classes[a] == f.classes[b] && actions>>b&1 == 1 {
				set |= 1 << a
			}
		}
	}
	return set
}

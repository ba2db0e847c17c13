package store

import (
	"encoding/binary"
	"slices"
)

// Number numbers the state IDs of some runs from 0: those of a run before those of the next one, those of a run as they ascend. It
// returns how many there are.
func (s *Store) Number(runs []*Run) (uint64, error) {
	r := s.Reader()
	n := uint64(0)
	for _, run := range runs {
		run.begins = make([]uint64, run.Blocks())
		for i := range run.begins {
			data, err := r.data(run, i)
			if err != nil {
				return 0, err
			}
			count, _ := binary.Uvarint(data)
			run.begins[i] = n
			n += count
		}
	}
	return n, nil
}

// Numbered returns the block of a run that a number is in, and the first number of the block. The run is the last of those that are
// numbered that does not begin behind it.
func (r *Run) Numbered(number uint64) (block int, first uint64) {
	i, found := slices.BinarySearch(r.begins, number)
	if !found {
		i--
	}
	return i, r.begins[i]
}

// First returns the number of the first state ID of a run that is not empty.
func (r *Run) First() uint64 { return r.begins[0] }

package model

import "math"

// Plus returns the sum of two probabilities that is at most 1; ok is false if it does not fit in a Weight.
func (w Weight) Plus(v Weight) (sum Weight, ok bool) {
	num := uint64(w.Num)*uint64(v.Den) + uint64(v.Num)*uint64(w.Den)
	den := uint64(w.Den) * uint64(v.Den)
	for a, b := num, den; ; a, b = b, a%b {
		if b == 0 {
			num, den = num/a, den/a
			break
		}
	}
	return Weight{uint32(num), uint32(den)}, den <= math.MaxUint32
}

package model

import "math"

// A Weight is a probability Num/Den in lowest terms.
type Weight struct{ Num, Den uint32 }

// Certain is the weight of a transition without a draw.
var Certain = Weight{1, 1}

// Plus returns the sum of two probabilities that is at most 1; ok is false if it does not fit in a Weight.
func (w Weight) Plus(v Weight) (sum Weight, ok bool) {
	num := uint64(w.Num)*uint64(v.Den) + uint64(v.Num)*uint64(w.Den)
	den := uint64(w.Den) * uint64(v.Den)
	d := gcd(num, den)
	num, den = num/d, den/d
	return Weight{uint32(num), uint32(den)}, den <= math.MaxUint32
}

// gcd returns the greatest common divisor of two numbers.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

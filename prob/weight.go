package prob

import (
	"math/big"
	"math/bits"

	"ringcheck/model"
)

// A Weight is a probability Num/Den in lowest terms.
type Weight struct{ Num, Den uint64 }

// Certain is the weight of the only branch of a choice.
var Certain = Weight{1, 1}

// weightOf returns the weight of a transition of a system.
func weightOf(w model.Weight) Weight { return Weight{uint64(w.Num), uint64(w.Den)} }

// NewWeight returns num/den in lowest terms; den is not 0.
func NewWeight(num, den uint64) Weight {
	d := gcd(num, den)
	return Weight{num / d, den / d}
}

// Rat returns w as a rational number.
func (w Weight) Rat() *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(w.Num), new(big.Int).SetUint64(w.Den))
}

// Float returns the float64 that is nearest to w.
func (w Weight) Float() float64 {
	f, _ := w.Rat().Float64()
	return f
}

func (w Weight) String() string { return w.Rat().RatString() }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lcm returns the least common multiple, and whether it is below 2^63.
func lcm(a, b uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a/gcd(a, b), b)
	return lo, hi == 0 && lo < 1<<63
}

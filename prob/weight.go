package prob

import (
	"cmp"
	"math/big"
	"math/bits"
)

// A Weight is a probability Num/Den in lowest terms. What does not fit has Den 0, see WeightOf.
type Weight struct {
	Num, Den uint64
	wide     string // the fraction in that case
}

// Certain is the weight of the only branch of a choice.
var Certain = Weight{Num: 1, Den: 1}

// NewWeight returns num/den in lowest terms; den is not 0.
func NewWeight(num, den uint64) Weight {
	d := gcd(num, den)
	return Weight{Num: num / d, Den: den / d}
}

// WeightOf returns r as a weight, of whatever size its parts are.
func WeightOf(r *big.Rat) Weight {
	if r.Num().IsUint64() && r.Denom().IsUint64() {
		return Weight{Num: r.Num().Uint64(), Den: r.Denom().Uint64()}
	}
	return Weight{wide: r.String()}
}

// Rat returns w as a rational number.
func (w Weight) Rat() *big.Rat {
	if w.Den == 0 {
		r, _ := new(big.Rat).SetString(cmp.Or(w.wide, "0"))
		return r
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(w.Num), new(big.Int).SetUint64(w.Den))
}

// Float returns the float64 that is nearest to w.
func (w Weight) Float() float64 {
	f, _ := w.Rat().Float64()
	return f
}

func (w Weight) String() string { return w.Rat().RatString() }

// integers returns the weights of some classes as multiples of 1/total, and whether total is below 2^63.
func integers(classes []Class) (weights []uint64, total uint64, ok bool) {
	total = 1
	for _, c := range classes {
		if total, ok = lcm(total, c.Weight.Den); !ok {
			return nil, 0, false
		}
	}
	for _, c := range classes {
		weights = append(weights, c.Weight.Num*(total/c.Weight.Den))
	}
	return weights, total, true
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lcm returns the least common multiple of denominators, and whether it is below 2^63. That of a wide Weight is 0.
func lcm(a, b uint64) (uint64, bool) {
	if b == 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(a/gcd(a, b), b)
	return lo, hi == 0 && lo < 1<<63
}

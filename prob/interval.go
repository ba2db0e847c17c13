package prob

import (
	"fmt"
	"math"
	"math/big"
)

// An Interval holds a value: Low ≤ value ≤ High. Both are +Inf if the value is infinite. Exact is the value if it is
// known.
type Interval struct {
	Low, High float64
	Exact     *big.Rat
}

// Infinite is the interval of an infinite value.
var Infinite = Interval{Low: math.Inf(1), High: math.Inf(1)}

// exactly returns the interval of a value that is known.
func exactly(r *big.Rat) Interval {
	low, high := around(r)
	return Interval{low, high, r}
}

// around returns the closest float64s below and above r, which is not negative.
func around(r *big.Rat) (low, high float64) {
	f, exact := r.Float64()
	if exact {
		return f, f
	}
	if new(big.Rat).SetFloat64(f).Cmp(r) > 0 {
		return math.Nextafter(f, 0), f
	}
	return f, math.Nextafter(f, math.Inf(1))
}

// Width returns High - Low, 0 if the value is infinite.
func (i Interval) Width() float64 {
	if math.IsInf(i.Low, 1) {
		return 0
	}
	return i.High - i.Low
}

func (i Interval) String() string {
	switch {
	case math.IsInf(i.Low, 1):
		return "∞"
	case i.Exact != nil:
		return i.Exact.RatString()
	}
	return fmt.Sprintf("[%v, %v]", i.Low, i.High)
}

// Rounding. A backup of m branches computes a sum of m products of weights and values, and of m constants, each rounded
// to the nearest float64, all of them not negative, and may divide it. A term is rounded at most m + 5 times in all
// (the weight, the product with the reward, its own, at most 2m sums, the quotient), so that the result is the true one
// times a factor between (1-u)^(2m+5) and (1+u)^(2m+5), where u = 2^-53 (Higham, Accuracy and Stability of Numerical
// Algorithms, Lemma 3.1). As nothing is subtracted there is no cancellation to care about. Multiplying by 1 ∓ (2m+8)u,
// which is exact, makes a bound of it, the rounding of that product included, for m below 2^20. Only underflow escapes
// this: a value below tiny counts as 0 in a lower bound, and as tiny in an upper one.
const (
	unit = 0x1p-53
	tiny = 0x1p-900
)

// slack returns by what factor, less 1, a backup of m branches may be wrong.
func slack(m uint32) float64 { return float64(2*m+8) * unit }

func roundDown(v float64, m uint32) float64 {
	if v < tiny {
		return 0
	}
	return v * (1 - slack(m))
}

func roundUp(v float64, m uint32) float64 {
	if v == 0 {
		return 0 // all terms are: no weight, reward or value is below tiny but 0
	}
	return max(tiny, v*(1+slack(m)))
}

package exchange

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck/prob"
)

// longestNumber is how many characters a number in a text may have.
const longestNumber = 400

// parseNumber returns a decimal or a fraction as it is written.
func parseNumber(text string) (*big.Rat, error) {
	if len(text) > longestNumber {
		return nil, fmt.Errorf("a number of %d characters is too long", len(text))
	}
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok { // big.Rat would write any power of ten out
		if n, err := strconv.Atoi(exponent); err != nil || n < -longestNumber || n > longestNumber || mantissa == "" {
			return nil, fmt.Errorf("%q is not a number", text)
		}
	}
	if r, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "_xXpPbBoO") {
		return r, nil
	}
	return nil, fmt.Errorf("%q is not a number", text)
}

// fromDouble returns the shortest decimal that is the double f.
func fromDouble(f float64) (*big.Rat, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%v is not a number", f)
	}
	if f != 0 && math.Abs(f) < 1e-300 {
		return nil, fmt.Errorf("%v is too small", f)
	}
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r, nil
}

// errSum says that the probabilities of a choice do not add up to 1, in whatever way they are read.
var errSum = errors.New("the probabilities do not add up to 1")

// weights returns the probabilities of a choice: as they are written if they add up to 1, else the simplest fractions that
// are the same doubles.
func weights(list []*big.Rat) ([]prob.Weight, error) {
	for _, r := range list {
		if r.Sign() <= 0 || r.Cmp(one) > 0 {
			return nil, fmt.Errorf("%s is no probability of a branch", r.RatString())
		}
	}
	sum := total(list)
	if sum.Cmp(one) != 0 {
		var simple []*big.Rat
		for _, r := range list {
			simple = append(simple, simplest(r))
		}
		if list = simple; total(list).Cmp(one) != 0 {
			f, _ := sum.Float64()
			return nil, fmt.Errorf("%w, but to %v", errSum, f)
		}
	}
	out := make([]prob.Weight, len(list))
	for i, r := range list {
		if !r.Num().IsUint64() || !r.Denom().IsUint64() {
			return nil, fmt.Errorf("the probability %s is too fine", r.RatString())
		}
		out[i] = prob.Weight{Num: r.Num().Uint64(), Den: r.Denom().Uint64()}
	}
	return out, nil
}

var one = big.NewRat(1, 1)

func total(list []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, r := range list {
		sum.Add(sum, r)
	}
	return sum
}

// simplest returns the fraction with the least denominator that is the same double as r, which is positive. It is the first one on the path to r in
// the Stern–Brocot tree that is in the interval; the path is followed by whole runs, as continued fractions do.
func simplest(r *big.Rat) *big.Rat {
	f, _ := r.Float64()
	middle := new(big.Rat).SetFloat64(f)
	low := new(big.Rat).Add(middle, new(big.Rat).SetFloat64(math.Nextafter(f, 0)))
	high := new(big.Rat).Add(middle, new(big.Rat).SetFloat64(math.Nextafter(f, 2)))
	half := big.NewRat(1, 2)
	return between(low.Mul(low, half), high.Mul(high, half))
}

// between returns the fraction with the least denominator strictly between two positive numbers.
func between(low, high *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(low.Num(), low.Denom())
	next := new(big.Rat).SetInt(new(big.Int).Add(whole, big.NewInt(1)))
	if next.Cmp(high) < 0 {
		return next
	}
	base := new(big.Rat).SetInt(whole)
	l, h := new(big.Rat).Sub(low, base), new(big.Rat).Sub(high, base)
	if l.Sign() == 0 { // 1/k is in between for the first k above 1/h
		k := new(big.Int).Quo(h.Denom(), h.Num())
		return base.Add(base, new(big.Rat).SetFrac(big.NewInt(1), k.Add(k, big.NewInt(1))))
	}
	inner := between(h.Inv(h), l.Inv(l))
	return base.Add(base, inner.Inv(inner))
}

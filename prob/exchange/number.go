package exchange

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// longestNumber is how many characters a number in a text may have.
const longestNumber = 400

// parseNumber returns a decimal or a fraction as it is written.
func parseNumber(text string) (number, error) {
	if len(text) > longestNumber {
		return number{}, fmt.Errorf("a number of %d characters is too long", len(text))
	}
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok { // a big.Rat writes it out
		if n, err := strconv.Atoi(exponent); err != nil || n < -longestNumber || n > longestNumber || mantissa == "" {
			return number{}, notNumber(text)
		}
	}
	if r, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "_xXpPbBoO") {
		return number{r, r}, nil
	}
	return number{}, notNumber(text)
}

// A number is one in a file: as it is written there, which of a double is the shortest decimal that is the same, and
// what is stored, which of a double is that very fraction.
type number struct{ written, stored *big.Rat }

// A numbers is the different numbers of a file. Number 0 stands for one that is not there.
type numbers struct {
	of   map[string]uint16 // by how they are in the file
	list []number
}

func newNumbers() numbers { return numbers{make(map[string]uint16), make([]number, 1)} }

// add returns the number of what a file has, given how to read it.
func (n *numbers) add(f *effort.Effort, data []byte, read func() (number, error)) (uint16, error) {
	if i, ok := n.of[string(data)]; ok {
		return i, nil
	}
	f.Hold(tableBytes)
	x, err := read()
	if err != nil {
		return 0, err
	}
	if len(n.list) > math.MaxUint16 {
		return 0, prob.ErrTooLarge
	}
	i := uint16(len(n.list))
	n.list = append(n.list, x)
	n.of[string(data)] = i
	return i, nil
}

func fromDouble(f float64) (number, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return number{}, fmt.Errorf("%v is not a number", f)
	}
	if f != 0 && math.Abs(f) < 1e-300 {
		return number{}, fmt.Errorf("%v is too small", f)
	}
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return number{r, new(big.Rat).SetFloat64(f)}, nil
}

// tolerance is by how much the probabilities of a choice may miss 1.
var tolerance = big.NewRat(1, 1e9)

// weights returns the probabilities of a choice: as they are written if they add up to 1; else as the simplest
// fractions that are the same doubles if these do; else, if they nearly do, divided by their sum. That is wrong by
// off then.
func weights(list []number) (out []prob.Weight, off float64, err error) {
	written, simple, stored := make([]*big.Rat, len(list)), make([]*big.Rat, len(list)), make([]*big.Rat, len(list))
	for i, n := range list {
		written[i], stored[i] = n.written, n.stored
		if over := new(big.Rat).Sub(n.written, one); n.written.Sign() <= 0 || over.Cmp(tolerance) > 0 {
			return nil, 0, fmt.Errorf("%s is no probability of a branch", n.written.RatString())
		}
	}
	if total(written).Cmp(one) == 0 {
		return asWeights(written), 0, nil
	}
	for i, r := range written {
		simple[i] = simplest(r)
	}
	if total(simple).Cmp(one) == 0 {
		return asWeights(simple), 0, nil
	}
	sum := total(stored)
	deviation := new(big.Rat).Sub(sum, one)
	off, _ = deviation.Abs(deviation).Float64()
	if deviation.Cmp(tolerance) > 0 {
		f, _ := sum.Float64()
		return nil, 0, fmt.Errorf("the probabilities do not add up to 1, but to %.12g", f) // more than the tolerance shows
	}
	for i, r := range stored {
		stored[i] = new(big.Rat).Quo(r, sum)
	}
	return asWeights(stored), off, nil
}

func asWeights(list []*big.Rat) []prob.Weight {
	out := make([]prob.Weight, len(list))
	for i, r := range list {
		out[i] = prob.WeightOf(r)
	}
	return out
}

var one = big.NewRat(1, 1)

func total(list []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, r := range list {
		sum.Add(sum, r)
	}
	return sum
}

// simplest returns the fraction with the least denominator that is the same double as r, which is positive. It is the
// first one on the path to r in the Stern–Brocot tree that is in the interval; the path is followed by whole runs, as
// continued fractions do.
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

package command

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck"
)

// longestFraction is the maximum length of a fraction that is shown.
const longestFraction = 24

// Values below smallest or above largest are shown with a power of ten.
const (
	smallest = 1e-4
	largest  = 1e21
)

// valueText returns a value as text, exact or with its error; "" for nil.
func valueText(v *ringcheck.Value) string {
	if v == nil {
		return ""
	}
	low, high := float64(v.Low), float64(v.High)
	switch {
	case math.IsInf(low, 1):
		return "∞"
	case v.Exact != "" && len(v.Exact) <= longestFraction:
		return v.Exact
	case v.Exact != "" && (low < smallest || high > largest):
		r, _ := new(big.Rat).SetString(v.Exact)
		return formatInterval(r, r)
	case low == 0 && high == 0:
		return "0"
	case math.IsInf(high, 1):
		return fmt.Sprintf("at least %.6g", math.Nextafter(low, 0))
	case low == 0 && high < smallest:
		return "at most " + atMost(new(big.Rat).SetFloat64(high), 0)
	}
	return formatInterval(new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high))
}

// formatInterval formats an interval as its rounded midpoint and an upper bound, of one digit, of the distance to its
// ends. The midpoint is a number times a power of ten if it is small or large.
func formatInterval(low, high *big.Rat) string {
	e := 0
	if f, _ := high.Float64(); f < smallest || f > largest {
		e = exponent(high)
	}
	scale := powerOfTen(-e)
	low, high = new(big.Rat).Mul(low, scale), new(big.Rat).Mul(high, scale)
	middle, off := roundedMidpoint(low, high)
	if e != 0 {
		middle += fmt.Sprintf("e%d", e)
	}
	if off.Sign() == 0 {
		return middle
	}
	return middle + " ± " + atMost(off, e)
}

// roundedMidpoint returns the rounded midpoint of an interval, and the greater of its distances to the ends.
func roundedMidpoint(low, high *big.Rat) (middle string, off *big.Rat) {
	half := new(big.Rat).Sub(high, low)
	half.Quo(half, big.NewRat(2, 1))
	digits := 17
	if half.Sign() > 0 {
		digits = max(0, min(digits, -exponent(half)))
	}
	middle = new(big.Rat).Add(low, half).FloatString(digits)
	shown, _ := new(big.Rat).SetString(middle)
	off = new(big.Rat).Sub(shown, low)
	if d := new(big.Rat).Sub(high, shown); d.Cmp(off) > 0 {
		off = d
	}
	if off.Sign() == 0 && strings.Contains(middle, ".") {
		middle = strings.TrimRight(strings.TrimRight(middle, "0"), ".")
	}
	return middle, off
}

// atMost returns an upper bound, of one digit, of r times ten to the power of e.
func atMost(r *big.Rat, e int) string {
	k := exponent(r)
	leading := new(big.Rat).Mul(r, powerOfTen(-k))
	digit := new(big.Int).Quo(leading.Num(), leading.Denom()).Int64() + 1
	if digit > 9 {
		digit, k = 1, k+1
	}
	return fmt.Sprintf("%de%d", digit, k+e)
}

// exponent returns the greatest e such that ten to the power of e is at most r, which is positive.
func exponent(r *big.Rat) int {
	text := new(big.Float).SetRat(r).Text('e', 0)
	e, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:]) // or one too large
	if powerOfTen(e).Cmp(r) > 0 {
		e--
	}
	return e
}

func powerOfTen(e int) *big.Rat {
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil))
	if e < 0 {
		power.Inv(power)
	}
	return power
}

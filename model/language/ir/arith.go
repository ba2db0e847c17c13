package ir

import (
	"math"
	"math/bits"
)

// The functions of this file compute exactly or report ok = false.

func add(x, y int64) (z int64, ok bool) {
	z = x + y
	return z, (z > x) == (y > 0)
}

func sub(x, y int64) (z int64, ok bool) {
	z = x - y
	return z, (z < x) == (y > 0)
}

func mul(x, y int64) (z int64, ok bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	z = x * y
	overflow := z/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64
	return z, !overflow
}

// floorDiv rounds towards minus infinity; y is not 0.
func floorDiv(x, y int64) (q int64, ok bool) {
	if x == math.MinInt64 && y == -1 {
		return 0, false
	}
	q = x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q, true
}

// floorMod has the sign of y, which is not 0.
func floorMod(x, y int64) int64 {
	if y == -1 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// pow returns x to the power of y, which is not negative, by repeated squaring.
func pow(x, y int64) (z int64, ok bool) {
	z, ok = 1, true
	for ; y > 0 && ok; y >>= 1 {
		if y&1 == 1 {
			if z, ok = mul(z, x); !ok {
				return 0, false
			}
		}
		if y > 1 {
			x, ok = mul(x, x)
		}
	}
	return z, ok
}

// log2ceil returns the least e with 2^e >= x, which is positive.
func log2ceil(x int64) int64 { return int64(bits.Len64(uint64(x) - 1)) }

// sqrtceil returns the least e with e^2 >= x, which is not negative.
func sqrtceil(x int64) int64 {
	e := int64(math.Sqrt(float64(x))) // off by one at most
	for e > 0 && (e > maxRoot || (e-1)*(e-1) >= x) {
		e--
	}
	for e < maxRoot && e*e < x {
		e++
	}
	if e*e < x {
		e++
	}
	return e
}

// maxRoot is the greatest number whose square fits.
const maxRoot = 3037000499

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

package ir

import (
	"math"
	"math/big"
	"testing"
)

// Checked arithmetic must agree with big integers, on numbers around all limits.
func TestArithmeticIsExact(t *testing.T) {
	numbers := []int64{0, 1, 2, 3, 5, 7, 63, 64, 1 << 31, 1 << 32, 3037000499, 3037000500, 1 << 62, math.MaxInt64 - 1,
		math.MaxInt64}
	for _, x := range numbers {
		numbers = append(numbers, -x, -x-1)
	}
	for _, x := range numbers {
		for _, y := range numbers {
			bx, by := big.NewInt(x), big.NewInt(y)
			check := func(op string, z int64, ok bool, want *big.Int) {
				t.Helper()
				if ok != want.IsInt64() || ok && z != want.Int64() {
					t.Errorf("%d %s %d = %d, %t, want %s", x, op, y, z, ok, want)
				}
			}
			z, ok := add(x, y)
			check("+", z, ok, new(big.Int).Add(bx, by))
			z, ok = sub(x, y)
			check("-", z, ok, new(big.Int).Sub(bx, by))
			z, ok = mul(x, y)
			check("*", z, ok, new(big.Int).Mul(bx, by))
			if y >= 0 && (y < 200 || x >= -1 && x <= 1) {
				z, ok = pow(x, y)
				exponent := y
				if y > 200 {
					exponent = 200 + y%2 // the same power of -1, 0 and 1
				}
				check("^", z, ok, new(big.Int).Exp(bx, big.NewInt(exponent), nil))
			}
			if y == 0 {
				continue
			}
			q, ok := floorDiv(x, y)
			m := floorMod(x, y)
			// x = q*y + m with m between 0 and y.
			if m != 0 && (m < 0) != (y < 0) || y > 0 && m >= y || y < 0 && m <= y {
				t.Errorf("%d mod %d = %d", x, y, m)
			}
			rest := new(big.Int).Sub(bx, big.NewInt(m))
			check("div", q, ok, rest.Div(rest, by))
		}
	}
}

func TestSqrtCeil(t *testing.T) {
	for x, want := range map[int64]int64{
		0: 0, 1: 1, 2: 2, 4: 2, 5: 3, 9: 3, 10: 4, 541000: 736, 1 << 62: 1 << 31, 1<<62 + 1: 1<<31 + 1,
		maxRoot * maxRoot: maxRoot, maxRoot*maxRoot + 1: maxRoot + 1, math.MaxInt64: maxRoot + 1,
	} {
		if got := sqrtceil(x); got != want {
			t.Errorf("sqrtceil(%d) = %d, want %d", x, got, want)
		}
	}
}

func TestLog2Ceil(t *testing.T) {
	for x, want := range map[int64]int64{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 1 << 62: 62, math.MaxInt64: 63} {
		if got := log2ceil(x); got != want {
			t.Errorf("log2ceil(%d) = %d, want %d", x, got, want)
		}
	}
}

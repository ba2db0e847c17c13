package prob

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"ringcheck/internal/effort"
)

// Systems of linear equations with small integer coefficients are solved exactly by p-adic lifting (Dixon, "Exact
// solution of linear equations using p-adic expansions", 1982): a solution modulo a prime p of A x = b, taken as the
// first p-adic digits of x, leaves a right-hand side (b - A x) / p for the next ones. Modulo a large enough power of p,
// every component is the fraction whose numerator and denominator are below known bounds, which the Euclidean algorithm
// finds (Wang 1981).
//
// Modulo p the equations are solved by substitution. In the order of a Problem most branches lead to states already
// solved; the target of any other is an unknown in the cut of the component. The values of the cut satisfy a small
// dense system, which is inverted once.

// An equation system is, for each state s: diag[s] x[s] = rhs[s] + Σ coef[i] x[col[i]] over i from rows[s] to
// rows[s+1]-1.
type equations struct {
	*effort.Effort
	rows       []uint32
	col        []uint32
	coef       []int64 // not negative
	diag       []int64 // positive, less than 2^30
	rhs        []int64
	components []uint32 // as of a Problem

	prime   int64
	inverse []int64 // of diag
	cuts    []cut   // by component
}

// A cut consists of the states of a component that have branches from states before them, and the inverse of their
// system.
type cut struct {
	states []uint32
	matrix [][]int64
}

// ErrSingular reports equations without a unique solution, or whose solution cannot be found modulo any of the primes.
var ErrSingular = errors.New("the equations are singular")

// primes are below 2^31.
var primes = []int64{2147483647, 2147483629, 2147483587, 2147483579}

// factor prepares to solve the equations modulo one of the primes.
func (e *equations) factor() error {
	for _, e.prime = range primes {
		if e.factorModulo() {
			return nil
		}
	}
	return ErrSingular
}

// factorModulo prepares to solve the equations modulo the prime, and reports whether they have one solution.
func (e *equations) factorModulo() bool {
	e.inverse, e.cuts = make([]int64, len(e.diag)), nil
	for s, d := range e.diag {
		if d%e.prime == 0 {
			return false
		}
		e.inverse[s] = inverse(d, e.prime)
	}
	x := make([]int64, len(e.diag))
	for c := range len(e.components) - 1 {
		first, end := e.components[c], e.components[c+1]
		k := cut{states: e.ahead(first, end)}
		if len(k.states) > 0 && !e.invert(&k, first, end, x) {
			return false
		}
		e.cuts = append(e.cuts, k)
	}
	return true
}

// ahead returns the states of a component that have branches from states before them, in ascending order.
func (e *equations) ahead(first, end uint32) []uint32 {
	var list []uint32
	for s := first; s < end; s++ {
		for _, t := range e.col[e.rows[s]:e.rows[s+1]] {
			if t > s && t < end {
				list = append(list, t)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// invert inverts the system of a cut, if possible. x is scratch space that must be 0 outside the component.
func (e *equations) invert(k *cut, first, end uint32, x []int64) bool {
	n := len(k.states)
	a := make([][]int64, n)
	for i := range a {
		a[i] = make([]int64, 2*n)
		a[i][i], a[i][n+i] = 1, 1
	}
	guess := make([]int64, end-first)
	zero := make([]int64, len(e.diag))
	for j, f := range k.states {
		e.Check()
		guess[f-first] = 1
		e.substitute(first, end, zero, guess, x)
		guess[f-first] = 0
		for i, g := range k.states {
			a[i][j] = mod(a[i][j]-x[g], e.prime)
		}
	}
	clear(x[first:end])
	for i := range n {
		e.Check()
		if !e.pivot(a, i) {
			return false
		}
	}
	for i := range a {
		k.matrix = append(k.matrix, a[i][n:])
	}
	return true
}

// pivot makes column i of a the unit vector, unless a is singular.
func (e *equations) pivot(a [][]int64, i int) bool {
	r := i
	for r < len(a) && a[r][i] == 0 {
		r++
	}
	if r == len(a) {
		return false
	}
	a[i], a[r] = a[r], a[i]
	by := inverse(a[i][i], e.prime)
	for j := range a[i] {
		a[i][j] = a[i][j] * by % e.prime
	}
	for r := range a {
		if f := a[r][i]; r != i && f != 0 {
			for j, v := range a[i] {
				if v != 0 {
					a[r][j] = mod(a[r][j]-f*v%e.prime, e.prime)
				}
			}
		}
	}
	return true
}

// substitute computes the values of a component, given those of the states ahead as guesses.
func (e *equations) substitute(first, end uint32, rhs, guess, x []int64) {
	for s := first; s < end; s++ {
		sum := mod(rhs[s], e.prime)
		for i := e.rows[s]; i < e.rows[s+1]; i++ {
			v := int64(0)
			if t := e.col[i]; t <= s {
				v = x[t]
			} else if t < end {
				v = guess[t-first]
			}
			sum = (sum + e.coef[i]%e.prime*v) % e.prime
		}
		x[s] = sum * e.inverse[s] % e.prime
	}
}

// modulo solves the equations for a right-hand side modulo the prime.
func (e *equations) modulo(rhs, x, guess []int64) {
	for c := range e.cuts {
		first, end := e.components[c], e.components[c+1]
		k := &e.cuts[c]
		for _, f := range k.states {
			guess[f-first] = 0
		}
		e.substitute(first, end, rhs, guess, x)
		if len(k.states) == 0 {
			continue
		}
		for i, f := range k.states {
			sum := int64(0)
			for j, g := range k.states {
				sum = (sum + k.matrix[i][j]*x[g]) % e.prime
			}
			guess[f-first] = sum
		}
		e.substitute(first, end, rhs, guess, x)
	}
}

// A constraint is an equation of the same form that the solution may or may not satisfy.
type constraint struct {
	state uint32 // on the left
	diag  int64
	rhs   int64
	col   []uint32
	coef  []int64
	holds bool
}

// solve returns the values of the wanted states, and determines which constraints hold. By Cramer's rule each value is
// a quotient of determinants. That of the system, an M-matrix, is at most the product of its diagonal (Fischer's
// inequality; Horn and Johnson, Topics in Matrix Analysis, Sect. 2.5), and any determinant at most the product of the
// sums of its rows.
func (e *equations) solve(wanted []uint32, also []*constraint) []*big.Rat {
	below, above := 1.0, 1.0
	for s, d := range e.diag {
		below += log2(d)
		row := d + e.rhs[s]
		for _, c := range e.coef[e.rows[s]:e.rows[s+1]] {
			row += c
		}
		above += log2(row)
	}
	denominator, numerator := int(below)+1, int(above)+1
	widest := 0
	for _, c := range also { // enough digits to refute a constraint that nearly holds
		widest = max(widest, bits.Len64(uint64(c.diag))+bits.Len64(uint64(c.rhs))+4)
		c.holds = true
	}
	digits := (denominator+numerator+2+widest)/30 + 1
	modulus := new(big.Int).Exp(big.NewInt(e.prime), big.NewInt(int64(digits)), nil)
	var values []*big.Rat
	for _, x := range e.lift(digits, wanted, also) {
		e.Check()
		values = append(values, reconstruct(x, modulus, numerator))
	}
	return values
}

// lift returns the wanted components modulo the prime to the power of digits.
func (e *equations) lift(digits int, wanted []uint32, also []*constraint) []*big.Int {
	n := len(e.diag)
	x, guess := make([]int64, n), make([]int64, n)
	rhs := slices.Clone(e.rhs)
	found := make([][]int64, len(wanted))
	for range digits {
		e.Check()
		e.modulo(rhs, x, guess)
		for i, s := range wanted {
			found[i] = append(found[i], x[s])
		}
		for s := range rhs {
			rest := rhs[s] - e.diag[s]*x[s]
			for i := e.rows[s]; i < e.rows[s+1]; i++ {
				rest += e.coef[i] * x[e.col[i]]
			}
			rhs[s] = rest / e.prime
		}
		for _, c := range also {
			c.lift(e.prime, x)
		}
	}
	out := make([]*big.Int, len(wanted))
	p := big.NewInt(e.prime)
	for i, list := range found {
		out[i] = new(big.Int)
		for d := len(list) - 1; d >= 0; d-- {
			out[i].Add(out[i].Mul(out[i], p), big.NewInt(list[d]))
		}
	}
	return out
}

// lift continues with the next digits; the constraint holds as long as the remainder is divisible.
func (c *constraint) lift(prime int64, x []int64) {
	if !c.holds {
		return
	}
	rest := c.rhs - c.diag*x[c.state]
	for i, t := range c.col {
		rest += c.coef[i] * x[t]
	}
	c.holds = rest%prime == 0
	c.rhs = rest / prime
}

// reconstruct returns the fraction that is x modulo m, with a numerator below 2^bits.
func reconstruct(x, m *big.Int, bits int) *big.Rat {
	a, b := new(big.Int).Set(m), new(big.Int).Set(x)
	s, t := new(big.Int), big.NewInt(1)
	q, r := new(big.Int), new(big.Int)
	for b.BitLen() > bits {
		q.QuoRem(a, b, r)
		a, b, r = b, r, a
		s.Sub(s, q.Mul(q, t))
		s, t = t, s
	}
	return new(big.Rat).SetFrac(b, t)
}

func mod(v, p int64) int64 {
	if v %= p; v < 0 {
		v += p
	}
	return v
}

// inverse returns 1/v modulo the prime p.
func inverse(v, p int64) int64 { return new(big.Int).ModInverse(big.NewInt(v), big.NewInt(p)).Int64() }

// log2 returns an upper bound of the binary logarithm of d.
func log2(d int64) float64 { return math.Log2(float64(d)) + 1e-9 }

package prob

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"ringcheck/internal/effort"
)

// Systems of linear equations with integer coefficients are solved exactly by p-adic lifting (Dixon, "Exact solution of
// linear equations using p-adic expansions", 1982): a solution modulo a prime p of A x = b, taken as the first p-adic
// digits of x, leaves a right-hand side (b - A x) / p for the next ones. Modulo a large enough power of p, every
// component is the fraction whose numerator and denominator are below known bounds, which the Euclidean algorithm finds
// (Wang 1981).
//
// Modulo p the equations are solved by substitution. In the order of a Problem most branches lead to states already
// solved; the target of any other is an unknown in the cut of the component. The values of the cut satisfy a small
// dense system, which is inverted once.

// An equations is a system of one constraint per state, with its narrow coefficients in one place.
type equations struct {
	*effort.Effort
	rows       []uint32
	col        []uint32
	coef       []int64 // not negative
	diag       []int64 // positive
	rhs        []int64
	wide       []*constraint // the wide ones; their numbers above are residues modulo the prime
	components []uint32      // as of a Problem
	below      float64       // upper bounds of the binary logarithms of the products of the diagonal
	above      float64       // and of the sums of the rows

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

// A constraint is an equation diag x[state] = rhs + Σ coef x[col], which the solution may or may not satisfy. All its
// numbers are integers, and not negative.
type constraint struct {
	state uint32
	col   []uint32
	diag  int64 // less than 2^30, like the sum of coef
	rhs   int64 // less than 2^61
	coef  []int64
	wide  *wide // replaces these three numbers if they are too large
}

// A wide has the numbers of a constraint, of any size.
type wide struct {
	diag, rhs *big.Int
	coef      []*big.Int
}

// set sets the numbers of a constraint.
func (c *constraint) set(w *wide) {
	sum := new(big.Int)
	for _, k := range w.coef {
		sum.Add(sum, k)
	}
	if w.diag.BitLen() > 30 || sum.BitLen() > 30 || w.rhs.BitLen() > 61 {
		c.wide = w
		return
	}
	c.diag, c.rhs = w.diag.Int64(), w.rhs.Int64()
	for _, k := range w.coef {
		c.coef = append(c.coef, k.Int64())
	}
}

// bits returns the lengths of the diagonal and of the sum of the row.
func (c *constraint) bits() (diag, row float64) {
	if c.wide == nil {
		sum := c.diag + c.rhs
		for _, k := range c.coef {
			sum += k
		}
		return log2(c.diag), log2(sum)
	}
	sum := new(big.Int).Add(c.wide.diag, c.wide.rhs)
	for _, k := range c.wide.coef {
		sum.Add(sum, k)
	}
	return float64(c.wide.diag.BitLen()), float64(sum.BitLen())
}

// add adds the equation of the next state.
func (e *equations) add(c *constraint) {
	diag, row := c.bits()
	e.below, e.above = e.below+diag, e.above+row
	if e.diag, e.rhs = append(e.diag, c.diag), append(e.rhs, c.rhs); c.wide != nil {
		e.wide = append(e.wide, c)
		e.coef = append(e.coef, make([]int64, len(c.col))...)
	}
	e.col, e.coef = append(e.col, c.col...), append(e.coef, c.coef...)
	e.rows = append(e.rows, uint32(len(e.col)))
}

// errSingular reports equations that have no unique solution modulo any of many primes. The equations of a policy under
// which every state reaches a known value have one, except modulo few primes.
var errSingular = errors.New("the equations are singular")

// factor prepares to solve the equations modulo a prime below 2^31.
func (e *equations) factor() error {
	const primes = 64
	tried := 0
	for e.prime = 1<<31 - 1; tried < primes; e.prime -= 2 {
		if !big.NewInt(e.prime).ProbablyPrime(0) { // which is certain for small numbers
			continue
		}
		if tried++; e.factorModulo() {
			return nil
		}
	}
	return errSingular
}

// factorModulo prepares to solve the equations modulo the prime, and reports whether they have one solution.
func (e *equations) factorModulo() bool {
	for _, c := range e.wide {
		e.diag[c.state], e.rhs[c.state] = residue(c.wide.diag, e.prime), residue(c.wide.rhs, e.prime)
		for i, k := range c.wide.coef {
			e.coef[int(e.rows[c.state])+i] = residue(k, e.prime)
		}
	}
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
		k := cut{states: e.entryStates(first, end)}
		if len(k.states) > 0 && !e.invert(&k, first, end, x) {
			return false
		}
		e.cuts = append(e.cuts, k)
	}
	return true
}

// entryStates returns the states of a component that have branches from states before them, in ascending order.
func (e *equations) entryStates(first, end uint32) []uint32 {
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

// substitute computes the values of a component, given the values of its entryStates as guesses.
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

// solve returns the values of the wanted states, and for each constraint the right side minus the left one. By Cramer's
// rule each value is a quotient of determinants. The determinant of the system, an M-matrix, is at most the product of
// its diagonal (Fischer's inequality; Horn and Johnson, Topics in Matrix Analysis, Sect. 2.5), and any determinant at
// most the product of the sums of its rows.
func (e *equations) solve(wanted []uint32, constraints []*constraint) (values, differences []*big.Rat) {
	denominator, numerator := int(e.below)+1, int(e.above)+1
	widest := 0.0
	for _, c := range constraints {
		_, row := c.bits()
		widest = max(widest, row)
	}
	r := &rational{bits: max(denominator, numerator) + int(widest) + 2, common: big.NewInt(1),
		powers: []*big.Int{big.NewInt(e.prime)}}
	digits := (denominator+r.bits+2)/30 + 1
	r.modulus = new(big.Int).Exp(big.NewInt(e.prime), big.NewInt(int64(digits)), nil)
	found, rest := e.lift(digits, wanted, constraints)
	for _, list := range found {
		e.Check()
		values = append(values, r.of(r.number(list)))
	}
	for _, d := range rest {
		e.Check()
		difference := new(big.Rat)
		if slices.Max(d.digits) > 0 { // otherwise it is 0, like most
			difference = r.of(r.number(d.digits))
		}
		differences = append(differences, difference)
	}
	return values, differences
}

// lift returns the digits of the wanted components, and the remainders of the constraints.
func (e *equations) lift(digits int, wanted []uint32, constraints []*constraint) ([][]int64, []remainder) {
	n := len(e.diag)
	x, guess := make([]int64, n), make([]int64, n)
	rhs := slices.Clone(e.rhs)
	wide, others := remaindersOf(e.wide), remaindersOf(constraints)
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
		for i := range wide {
			wide[i].next(e.prime, x)
			rhs[wide[i].state] = residue(wide[i].wide, e.prime)
		}
		for i := range others {
			others[i].digits = append(others[i].digits, others[i].next(e.prime, x))
		}
	}
	return found, others
}

// A remainder is the right side of a constraint minus the left one, as far as it is computed.
type remainder struct {
	*constraint
	narrow int64
	wide   *big.Int // replaces narrow if the constraint is wide
	digits []int64
}

func remaindersOf(of []*constraint) []remainder {
	var list []remainder
	for _, c := range of {
		r := remainder{constraint: c, narrow: c.rhs}
		if c.wide != nil {
			r.wide = new(big.Int).Set(c.wide.rhs)
		}
		list = append(list, r)
	}
	return list
}

// next returns the next digit, given the digits of the solution.
func (r *remainder) next(prime int64, x []int64) int64 {
	if r.wide == nil {
		rest := r.narrow - r.diag*x[r.state]
		for i, t := range r.col {
			rest += r.coef[i] * x[t]
		}
		digit := mod(rest, prime)
		r.narrow = (rest - digit) / prime
		return digit
	}
	term := new(big.Int)
	r.wide.Sub(r.wide, term.Mul(r.constraint.wide.diag, big.NewInt(x[r.state])))
	for i, t := range r.col {
		r.wide.Add(r.wide, term.Mul(r.constraint.wide.coef[i], big.NewInt(x[t])))
	}
	_, digit := r.wide.DivMod(r.wide, big.NewInt(prime), term)
	return digit.Int64()
}

// number returns the number that the digits represent, the least significant first. It splits them, since large numbers
// of similar lengths are multiplied fast.
func (r *rational) number(digits []int64) *big.Int {
	switch len(digits) {
	case 0:
		return new(big.Int)
	case 1:
		return big.NewInt(digits[0])
	}
	level := bits.Len(uint(len(digits)-1)) - 1 // the lower part has 2^level digits
	for len(r.powers) <= level {
		last := r.powers[len(r.powers)-1]
		r.powers = append(r.powers, new(big.Int).Mul(last, last))
	}
	low, high := r.number(digits[:1<<level]), r.number(digits[1<<level:])
	return low.Add(low, high.Mul(high, r.powers[level]))
}

// A rational finds fractions with numerators below 2^bits by their residues. Most of the fractions that solve one
// system have the same denominator.
type rational struct {
	modulus *big.Int
	bits    int
	common  *big.Int   // a common denominator of the fractions so far
	powers  []*big.Int // of the prime, to the powers of two
}

// of returns the fraction that is x modulo the modulus.
func (r *rational) of(x *big.Int) *big.Rat {
	u := new(big.Int).Mul(x, r.common)
	if u.Mod(u, r.modulus); new(big.Int).Lsh(u, 1).Cmp(r.modulus) > 0 {
		u.Sub(u, r.modulus)
	}
	if u.BitLen() <= r.bits {
		return new(big.Rat).SetFrac(u, r.common)
	}
	v := reconstruct(x, r.modulus, r.bits)
	g := new(big.Int).GCD(nil, nil, r.common, v.Denom())
	r.common = new(big.Int).Mul(r.common, g.Quo(v.Denom(), g))
	return v
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

// residue returns v modulo p.
func residue(v *big.Int, p int64) int64 {
	return new(big.Int).Mod(v, big.NewInt(p)).Int64()
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

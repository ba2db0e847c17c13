package costs

import (
	"fmt"
	"math/big"
	"strconv"
)

// Rounds is the chain of rounds of probabilistic Franklin: its state is the number of active processes, and in a round those stay active
// whose identity, one of k equally likely ones, is not exceeded by that of a neighbour among the active. It begins with any number up to N and ends
// with the round of the last active process, which hears itself. By whom and when a message is passed on does not matter to it.
type Rounds struct {
	N, K int
	// Count[l][m] says for how many of the K^l ways to draw m of l processes stay active.
	Count [][]*big.Int
}

// NewRounds works out the chain for up to n active processes.
//
// The identities around a ring of l are a closed walk of l steps over pairs of neighbouring identities. If a step is given the weight x where its
// middle stays active, the sum over all of them is the trace of the l-th power of a matrix T(x) of order d = k², a polynomial p_l of which the coefficient of
// x^m counts. For l up to d it is found by counting; then Newton's identities give the characteristic polynomial of T, and by that
// the rest (Stanley, Enumerative Combinatorics I, Sect. 4.7, "the transfer-matrix method").
func NewRounds(n, k int) *Rounds {
	d := k * k
	p := make([]polynomial, max(n, d)+1)
	for l := 1; l <= d; l++ {
		p[l] = survivors(l, k)
	}
	e := []polynomial{{big.NewInt(1)}}
	for l := 1; l <= d; l++ {
		e = append(e, newton(e, p, l).quotient(int64(l)))
	}
	for len(e) > 1 && e[len(e)-1].zero() {
		e = e[:len(e)-1]
	}
	for l := d + 1; l <= n; l++ {
		p[l] = recur(e, p, l)
	}
	r := &Rounds{N: n, K: k, Count: make([][]*big.Int, n+1)}
	for l := 1; l <= n; l++ {
		r.Count[l] = p[l].padded(l + 1)
	}
	return r
}

// survivors counts, for each m, the ways to draw in a ring of l in which m stay active, by walking around it once for each pair of identities to
// begin with. Of one process alone it says that it stays.
func survivors(l, k int) polynomial {
	total := make(polynomial, l+1)
	for m := range total {
		total[m] = new(big.Int)
	}
	if l == 1 {
		total[1].SetInt64(int64(k))
		return total
	}
	type place struct{ before, here, survived int }
	for a := range k {
		for b := range k {
			ways := map[place]int64{{a, b, 0}: 1}
			for i := range l {
				after := map[place]int64{}
				for s, n := range ways {
					for c := range k {
						if i == l-2 && c != a || i == l-1 && c != b {
							continue
						}
						t := place{s.here, c, s.survived}
						if s.before <= s.here && c <= s.here {
							t.survived++
						}
						after[t] += n
					}
				}
				ways = after
			}
			for s, n := range ways {
				total[s.survived].Add(total[s.survived], big.NewInt(n))
			}
		}
	}
	return total
}

// newton returns l e_l by Newton's identity, given those before and the power sums p.
func newton(e, p []polynomial, l int) polynomial {
	var sum polynomial
	for j := 1; j <= l; j++ {
		sum = sum.plus(e[l-j].times(p[j]), 1-2*((j-1)%2))
	}
	return sum
}

// recur returns p_l from those before, for l above the order of the matrix.
func recur(e, p []polynomial, l int) polynomial {
	var sum polynomial
	for j := 1; j < len(e); j++ {
		sum = sum.plus(e[j].times(p[l-j]), 1-2*((j-1)%2))
	}
	return sum
}

// A polynomial has a coefficient for each power of x, from 0 on.
type polynomial []*big.Int

func (a polynomial) zero() bool {
	for _, c := range a {
		if c.Sign() != 0 {
			return false
		}
	}
	return true
}

// padded returns the first n coefficients; those behind are 0.
func (a polynomial) padded(n int) polynomial {
	b := append(polynomial(nil), a[:min(n, len(a))]...)
	for len(b) < n {
		b = append(b, new(big.Int))
	}
	if !a[min(n, len(a)):].zero() {
		panic("costs: more processes stay active than there are")
	}
	return b
}

func (a polynomial) times(b polynomial) polynomial {
	if a.zero() || b.zero() {
		return nil
	}
	c := make(polynomial, len(a)+len(b)-1)
	for i := range c {
		c[i] = new(big.Int)
	}
	term := new(big.Int)
	for i, x := range a {
		if x.Sign() == 0 {
			continue
		}
		for j, y := range b {
			c[i+j].Add(c[i+j], term.Mul(x, y))
		}
	}
	return c
}

// plus returns a + sign b.
func (a polynomial) plus(b polynomial, sign int) polynomial {
	c := make(polynomial, max(len(a), len(b)))
	for i := range c {
		c[i] = new(big.Int)
		if i < len(a) {
			c[i].Set(a[i])
		}
		if i < len(b) && sign > 0 {
			c[i].Add(c[i], b[i])
		} else if i < len(b) {
			c[i].Sub(c[i], b[i])
		}
	}
	return c
}

// quotient returns a / n, which leaves no remainder.
func (a polynomial) quotient(n int64) polynomial {
	b := make(polynomial, len(a))
	for i, c := range a {
		rest := new(big.Int)
		if b[i], rest = new(big.Int).QuoRem(c, big.NewInt(n), rest); rest.Sign() != 0 {
			panic(fmt.Sprintf("costs: %v is not a multiple of %d", c, n))
		}
	}
	return b
}

// Stay returns the probability with which m of l active processes stay active in a round.
func (r *Rounds) Stay(l, m int) *big.Rat {
	return new(big.Rat).SetFrac(r.Count[l][m], new(big.Int).Exp(big.NewInt(int64(r.K)), big.NewInt(int64(l)), nil))
}

// A Ratio is a rational number, not in lowest terms: those of large rings have millions of digits, and to reduce them takes longer than all else.
type Ratio struct{ Num, Den *big.Int }

// Rat returns the number in lowest terms.
func (r Ratio) Rat() *big.Rat { return new(big.Rat).SetFrac(r.Num, r.Den) }

// Decimal returns the number with so many digits behind the point; the rest is cut off.
func (r Ratio) Decimal(digits int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	text := new(big.Int).Quo(new(big.Int).Mul(r.Num, scale), r.Den).String()
	for len(text) <= digits {
		text = "0" + text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// Float returns the number as it is with 15 digits behind the point.
func (r Ratio) Float() float64 {
	f, _ := strconv.ParseFloat(r.Decimal(15), 64)
	return f
}

// Expected returns the expected number of rounds for every number of processes up to N, the last round included; that for 0 is 0/1.
//
// With c(l, m) ways, k^l in all, the number for l is R(l) = (k^l + Σ c(l, m) R(m)) / (k^l - c(l, l)), the sum over 0 < m < l. The numerators are kept over
// D(l), the product of the denominators.
func (r *Rounds) Expected() []Ratio {
	over := make([]*big.Int, r.N+1) // k^l - c(l, l)
	list := []Ratio{{new(big.Int), big.NewInt(1)}}
	for l := 1; l <= r.N; l++ {
		all := new(big.Int).Exp(big.NewInt(int64(r.K)), big.NewInt(int64(l)), nil)
		over[l] = big.NewInt(1)
		above := big.NewInt(1)
		if l > 1 {
			over[l].Sub(all, r.Count[l][l])
			sum := new(big.Int) // of c(l, m) R(m), over D(m), and at last over D(l-1)
			for m := 1; m < l; m++ {
				sum.Mul(sum, over[m])
				sum.Add(sum, new(big.Int).Mul(r.Count[l][m], list[m].Num))
			}
			above.Mul(all, list[l-1].Den)
			above.Add(above, sum)
		}
		list = append(list, Ratio{above, new(big.Int).Mul(list[l-1].Den, over[l])})
	}
	return list
}

// Within returns, for every number of processes up to N, the probability that there are at most so many rounds, and that for 0 is nil.
func (r *Rounds) Within(rounds int) []*big.Rat {
	now := make([]*big.Rat, r.N+1)
	for l := 1; l <= r.N; l++ {
		now[l] = new(big.Rat)
	}
	for range rounds {
		next := make([]*big.Rat, r.N+1)
		for l := 1; l <= r.N; l++ {
			if next[l] = new(big.Rat); l == 1 {
				next[l].SetInt64(1)
				continue
			}
			for m := 1; m <= l; m++ {
				next[l].Add(next[l], new(big.Rat).Mul(r.Stay(l, m), now[m]))
			}
		}
		now = next
	}
	return now
}

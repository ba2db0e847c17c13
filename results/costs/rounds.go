package costs

import (
	"math/big"
	"strconv"
)

// Rounds is the Markov chain of the rounds of probabilistic Franklin. Its state is the number of active processes. In a
// round each of them draws one of K identities, and stays active unless a neighbour among the active has a greater one.
// The chain starts with any number up to N and ends with the round in which the last active process hears itself. It
// does not depend on the schedule.
type Rounds struct {
	N, K int
	// Count[l][m] is the number of the K^l draws of l processes after which m of them stay active.
	Count [][]*big.Int
}

// NewRounds computes the chain for up to n active processes.
//
// The identities around a ring of l are a closed walk of l steps over pairs of neighbouring identities, in which a step
// counts if the process in its middle stays active (Stanley, Enumerative Combinatorics I, Sect. 4.7, "the
// transfer-matrix method"). All walks from a pair are followed at once; a walk that is back at the pair after l steps
// has gone around a ring of l.
func NewRounds(n, k int) *Rounds {
	r := &Rounds{N: n, K: k, Count: make([][]*big.Int, n+1)}
	for l := 1; l <= n; l++ {
		r.Count[l] = zeros(l + 1)
	}
	for first := range k * k {
		r.follow(first)
	}
	return r
}

func zeros(n int) []*big.Int {
	list := make([]*big.Int, n)
	for i := range list {
		list[i] = new(big.Int)
	}
	return list
}

// follow counts the closed walks from a pair of identities. The pair (a, b) has the number a·K + b.
func (r *Rounds) follow(first int) {
	// numbers of walks, by last pair and by how many processes stay active
	now, next := make([][]*big.Int, r.K*r.K), make([][]*big.Int, r.K*r.K)
	for pair := range now {
		now[pair], next[pair] = zeros(r.N+1), zeros(r.N+1)
	}
	now[first][0].SetInt64(1)
	for l := 1; l <= r.N; l++ {
		for pair, walks := range now {
			before, here := pair/r.K, pair%r.K
			for after := range r.K {
				to, stays := next[here*r.K+after], 0
				if before <= here && after <= here {
					stays = 1
				}
				for m, ways := range walks[:l] {
					to[m+stays].Add(to[m+stays], ways)
				}
			}
			for _, ways := range walks[:l] {
				ways.SetInt64(0)
			}
		}
		now, next = next, now
		for m, ways := range now[first][:l+1] {
			r.Count[l][m].Add(r.Count[l][m], ways)
		}
	}
}

// Stay returns the probability that m of l active processes stay active in a round.
func (r *Rounds) Stay(l, m int) *big.Rat {
	return new(big.Rat).SetFrac(r.Count[l][m], new(big.Int).Exp(big.NewInt(int64(r.K)), big.NewInt(int64(l)), nil))
}

// A Ratio is a rational number, not in lowest terms: the ratios of large rings have millions of digits, and reducing
// them would take longer than everything else.
type Ratio struct{ Num, Den *big.Int }

// Rat returns the number in lowest terms.
func (r Ratio) Rat() *big.Rat { return new(big.Rat).SetFrac(r.Num, r.Den) }

// Decimal returns the number cut off after the given number of decimal places.
func (r Ratio) Decimal(digits int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	text := new(big.Int).Quo(new(big.Int).Mul(r.Num, scale), r.Den).String()
	for len(text) <= digits {
		text = "0" + text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// Float returns the number cut off after 15 decimal places.
func (r Ratio) Float() float64 {
	f, _ := strconv.ParseFloat(r.Decimal(15), 64)
	return f
}

// Expected returns the expected number of rounds for every number of processes up to N, including the last round; that
// for 0 processes is 0/1.
//
// With c(l, m) = Count[l][m] the number for l is R(l) = (K^l + Σ c(l, m) R(m)) / (K^l - c(l, l)), the sum over 0 < m <
// l. The numerators are kept over D(l), the product of the denominators.
func (r *Rounds) Expected() []Ratio {
	over := make([]*big.Int, r.N+1) // K^l - c(l, l)
	list := []Ratio{{new(big.Int), big.NewInt(1)}}
	for l := 1; l <= r.N; l++ {
		all := new(big.Int).Exp(big.NewInt(int64(r.K)), big.NewInt(int64(l)), nil)
		over[l] = big.NewInt(1)
		above := big.NewInt(1)
		if l > 1 {
			over[l].Sub(all, r.Count[l][l])
			sum := new(big.Int) // numerator of Σ c(l, m) R(m), over D(m) in step m, in the end over D(l-1)
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

// ProbabilityWithin returns the probability of at most the given number of rounds, for every number of processes up to
// N; the entry for 0 processes is nil.
func (r *Rounds) ProbabilityWithin(rounds int) []*big.Rat {
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

package prob

import (
	"math"
	"math/big"
)

// A bellman is the Bellman operator of a query: it computes a state's new value from the values of its successors. Its
// least fixed point is the answer.
type bellman struct {
	*Problem
	kind   Scheduler // for the initial states
	choose Scheduler // for the choices: the query's, or Uniform if no state has several
	terms  []term    // by class
}

type term struct {
	weight float64
	gain   float64 // weight times reward
	first  float64 // 1 for the first branch of a choice, otherwise 0
}

// newBellman returns the operator for an expected reward, or for a probability if reward is nil.
func newBellman(p *Problem, k Scheduler, reward *Reward) *bellman {
	b := &bellman{p, k, k, make([]term, len(p.classes))}
	if k != Uniform && p.chain() {
		b.choose = Uniform
	}
	for i, c := range p.classes {
		t := &b.terms[i]
		t.weight, _ = c.Weight.Rat().Float64()
		if c.First {
			t.first = 1
		}
		if reward != nil {
			r, _ := reward.At(c.Mark).Float64()
			t.gain = t.weight * r
		}
	}
	return b
}

// backup returns the new value of a state with choices, and its number of branches.
func (b *bellman) backup(s uint32, x []float64) (float64, uint32) {
	first, end := b.rows[s], b.rows[s+1]
	to, class := b.to[first:end], b.class[first:end]
	class = class[:len(to)]
	switch b.choose {
	case Uniform:
		return b.mean(to, class, x), end - first
	case Min:
		return b.minimum(to, class, x), end - first
	case Max:
		return b.greatest(to, class, x), end - first
	}
	panic("prob: unknown scheduler")
}

func (b *bellman) mean(to []uint32, class []uint16, x []float64) float64 {
	sum, choices := 0.0, 0.0
	for i, t := range to {
		e := &b.terms[class[i]]
		sum += e.weight*x[t] + e.gain
		choices += e.first
	}
	return sum / choices
}

func (b *bellman) minimum(to []uint32, class []uint16, x []float64) float64 {
	best, sum := math.Inf(1), math.Inf(1)
	for i, t := range to {
		e := &b.terms[class[i]]
		if e.first != 0 {
			best, sum = min(best, sum), 0
		}
		sum += e.weight*x[t] + e.gain
	}
	return min(best, sum)
}

func (b *bellman) greatest(to []uint32, class []uint16, x []float64) float64 {
	best, sum := 0.0, 0.0
	for i, t := range to {
		e := &b.terms[class[i]]
		if e.first != 0 {
			best, sum = max(best, sum), 0
		}
		sum += e.weight*x[t] + e.gain
	}
	return max(best, sum)
}

// fits reports whether double precision holds the weights and rewards. A weight that is not 0 is large enough for its
// product with any value from tiny on not to become 0.
func (p *Problem) fits(reward *Reward) bool {
	fits := func(r *big.Rat) bool {
		f, _ := r.Float64()
		return r.Sign() == 0 || f >= 0x1p-100 && f <= 0x1p400
	}
	for _, c := range p.classes {
		if !fits(c.Weight.Rat()) || reward != nil && !fits(reward.At(c.Mark)) {
			return false
		}
	}
	return true
}

// An Interval bounds a value: Low ≤ value ≤ High. Both are +Inf if the value is infinite. Exact is the value, if known.
type Interval struct {
	Low, High float64
	Exact     *big.Rat
}

// Infinite is the interval of an infinite value.
var Infinite = Interval{Low: math.Inf(1), High: math.Inf(1)}

// exactly returns the interval of a known value.
func exactly(r *big.Rat) Interval {
	low, high := floatBounds(r)
	return Interval{low, high, r}
}

// floatBounds returns the closest float64 bounds of r ≥ 0.
func floatBounds(r *big.Rat) (low, high float64) {
	f, exact := r.Float64()
	switch {
	case exact:
		return f, f
	case math.IsInf(f, 1):
		return math.MaxFloat64, f
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

// Rounding. A backup of m branches adds up m products of weights and values and m constants, all nonnegative and
// rounded to the nearest float64, and may divide the sum. A term is rounded at most 2m + 5 times in all (the weight,
// the product with the reward, its own, at most 2m sums, the quotient), so the result is the true one times a factor
// between (1-u)^(2m+5) and (1+u)^(2m+5), where u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, Lemma
// 3.1). There are no subtractions, hence no cancellation. For m below 2^20, multiplying by 1 ∓ (2m+8)u yields a bound,
// including the rounding of that product. Underflow: a value below tiny counts as 0 in a lower bound and as tiny in an
// upper one.
const (
	unit = 0x1p-53
	tiny = 0x1p-900
)

// slack bounds the relative error of a backup of m branches.
func slack(m uint32) float64 { return float64(2*m+8) * unit }

func roundDown(v float64, m uint32) float64 {
	if v < tiny {
		return 0
	}
	return v * (1 - slack(m))
}

func roundUp(v float64, m uint32) float64 {
	if v == 0 {
		return 0 // all terms are 0: no value is below tiny, nor do weights and rewards make it 0 (see fits)
	}
	return max(tiny, v*(1+slack(m)))
}

package prob

import "math"

// A bellman is the operator whose least fixed point is the value that a query asks for: a state's new value from those
// of its successors. Of a class it needs three numbers.
type bellman struct {
	*Problem
	kind  Scheduler
	terms []term // by class
}

type term struct {
	weight float64
	gain   float64 // weight times reward
	first  float64 // 1 if it is the first branch of a choice
}

// newBellman returns the operator for a reward by mark, nil for a probability.
func newBellman(p *Problem, k Scheduler, reward *Reward) *bellman {
	b := &bellman{p, k, make([]term, len(p.classes))}
	for i, c := range p.classes {
		t := &b.terms[i]
		t.weight = c.Weight.Float()
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

// backup returns the new value of a state that has choices, and the number of its branches.
func (b *bellman) backup(s uint32, x []float64) (float64, uint32) {
	first, end := b.rows[s], b.rows[s+1]
	to, class := b.to[first:end], b.class[first:end]
	class = class[:len(to)]
	switch b.kind {
	case Uniform:
		return b.mean(to, class, x), end - first
	case Min:
		return b.least(to, class, x), end - first
	}
	return b.greatest(to, class, x), end - first
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

func (b *bellman) least(to []uint32, class []uint16, x []float64) float64 {
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

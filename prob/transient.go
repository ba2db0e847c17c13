package prob

import "ringcheck/internal/effort"

// A transient is the distribution of a chain over its states after some number of steps, from the initial states on.
// All mass that has reached the goal stays there. One pass gives the probability within t steps for every t, as that of
// a wave does, but a step of it costs as much as there are states in which the chain can be at that moment. In a
// protocol that goes on in rounds, each of so many steps, these are few of all.
//
// A mass is a sum of at most entries products, and each of them is a mass times a weight, divided by a number of
// choices. So t steps keep the relative error within t (entries + 3) units, and what the goal has got is added up with
// compensation (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 4.8: within 2 units, but for those of
// second order).
type transient struct {
	*bellman
	*effort.Effort
	now, then   []float64
	here, there []uint32 // the states whose mass is not 0
	goal, lost  float64  // the mass that has arrived, and what rounding has taken from it
	missed      bool     // some came to a state without choices, and is left out
	entries     uint32   // the greatest number of branches to one state
}

func newTransient(e *effort.Effort, p *Problem) *transient {
	f := &transient{
		bellman: newBellman(p, Uniform, nil), Effort: e, now: make([]float64, p.states()), then: make([]float64, p.states()),
	}
	f.count()
	total := p.total()
	for _, s := range p.initial {
		f.add(s.state, float64(s.weight)/total)
	}
	f.turn()
	return f
}

// count finds entries.
func (f *transient) count() {
	to := make([]uint32, f.states())
	entry := func(t uint32) {
		if t != f.Problem.goal() {
			to[t]++
			f.entries = max(f.entries, to[t])
		}
	}
	for _, t := range f.to {
		entry(t)
	}
	for _, s := range f.initial {
		entry(s.state)
	}
}

// step makes the distribution that of one step more.
func (f *transient) step() {
	f.Check()
	for _, s := range f.here {
		f.Tick()
		first, end := f.rows[s], f.rows[s+1]
		f.missed = f.missed || first == end
		choices := 0.0
		for _, c := range f.class[first:end] {
			choices += f.terms[c].first
		}
		mass := f.now[s] / choices
		f.now[s] = 0
		for b := first; b < end; b++ {
			f.add(f.to[b], mass*f.terms[f.class[b]].weight)
		}
	}
	f.turn()
}

// add adds to the mass of a state after the step. What is reached is never 0.
func (f *transient) add(s uint32, mass float64) {
	mass = max(tiny, mass)
	if s == f.Problem.goal() {
		mass -= f.lost
		sum := f.goal + mass
		f.lost = (sum - f.goal) - mass
		f.goal = sum
		return
	}
	if f.then[s] == 0 {
		f.there = append(f.there, s)
	}
	f.then[s] += mass
}

// turn ends a step.
func (f *transient) turn() {
	f.now, f.then = f.then, f.now
	f.here, f.there = f.there, f.here[:0]
}

// reached returns the mass that has reached the goal after t steps.
func (f *transient) reached(t int) Interval {
	switch {
	case f.goal == 0:
		return Interval{}
	case len(f.here) == 0 && !f.missed: // what is anywhere is never 0
		return Interval{Low: 1, High: 1}
	}
	err := 2 * (float64(t)*float64(f.entries+3) + 8) * unit
	return Interval{Low: max(0, f.goal*(1-err)-faint), High: min(1, f.goal*(1+err)+faint)}
}

// faint bounds the error of all masses that were rounded up to tiny.
const faint = 0x1p-800

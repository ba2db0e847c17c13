package prob

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// Within returns the probability of reaching the goal within t steps, for every t from 0 to steps. If the context ends,
// it returns those computed so far, and the context's error.
//
// The distribution of a chain is propagated forwards from the initial states. For the other schedulers t steps of value
// iteration give the values for t. Only values that depend on a change in the step before are recomputed. In a protocol
// that works in rounds these are few. The rounding of a step multiplies the result by a factor within 1 ± slack, so t
// steps keep the relative error within t times that. Probability 1 is exact: see surely. If a probability is rounded to
// 1, and never becomes exactly 1, it is also the bound for more steps, which are not less probable.
func (p *Problem) Within(ctx context.Context, k Scheduler, steps int) (out []Interval, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("after %d of %d steps: %w", max(0, len(out)-1), steps, err)
		}
	}()
	defer effort.Catch(&err)
	var pass interface {
		step()
		interval(steps int) Interval
		never1() bool // whether probabilities below 1 stay below 1
	}
	if f := (&effort.Effort{Context: ctx}); k == Uniform || len(p.initial) == 1 && p.chain() {
		pass = newTransient(f, p.of(k))
	} else {
		pass = newBoundedIteration(f, p, k)
	}
	for t := range steps + 1 {
		if t > 0 {
			pass.step()
		}
		if out = append(out, pass.interval(t)); out[t].High == 1 && pass.never1() {
			return append(out, slices.Repeat(out[t:], steps-t)...), nil
		}
	}
	return out, nil
}

// A boundedIteration is step-bounded value iteration.
type boundedIteration struct {
	*bellman
	*effort.Effort
	before  graph.Rows[uint32]
	x       []float64
	active  Set // the states with a branch to one whose value has changed
	sure    Set // the states that reach the goal with probability exactly 1
	changes []change
	widest  uint32 // row
}

// A change is the new value of a state.
type change struct {
	state uint32
	value float64
	sure  bool
}

func newBoundedIteration(f *effort.Effort, p *Problem, k Scheduler) *boundedIteration {
	w := &boundedIteration{
		bellman: newBellman(p, k, nil), Effort: f, before: p.predecessors(f), x: make([]float64, p.States()),
		active: p.empty(), sure: p.empty(),
	}
	for s := range p.states() {
		w.widest = max(w.widest, p.rows[s+1]-p.rows[s])
	}
	w.change(change{p.goal(), 1, true})
	return w
}

// step computes the values for one more step.
func (w *boundedIteration) step() {
	w.Check()
	w.changes = w.changes[:0]
	for i, word := range w.active {
		for w.active[i] = 0; word != 0; word &= word - 1 {
			w.Tick()
			w.renew(uint32(64*i + bits.TrailingZeros64(word)))
		}
	}
	for _, c := range w.changes {
		w.change(c)
	}
}

// renew recomputes the value of a state, and records it if it changes.
func (w *boundedIteration) renew(s uint32) {
	if w.sure.Has(s) {
		return
	}
	v, _ := w.backup(s, w.x)
	if v < tiny && v > 0 {
		v = tiny // so that positive values stay positive
	}
	sure := v > nearly && w.surely(s)
	if sure {
		v = 1
	}
	if v != w.x[s] || sure {
		w.changes = append(w.changes, change{s, v, sure})
	}
}

// never1 reports that the last step has made no state certain: no later one will.
func (w *boundedIteration) never1() bool {
	return !slices.ContainsFunc(w.changes, func(c change) bool { return c.sure })
}

// nearly is a lower bound of the rounded value for an exact 1 after one step.
const nearly = 1 - 0x1p-20

// surely reports whether a state reaches the goal with probability exactly 1 within one more step than before: by all
// branches of all choices or, for Max, of one choice.
func (w *boundedIteration) surely(s uint32) bool {
	for first, end := range w.choices(s) {
		if sure := w.allInto(w.sure, first, end); sure == (w.kind == Max) {
			return sure
		}
	}
	return w.kind == Min
}

// change gives a state its new value.
func (w *boundedIteration) change(c change) {
	w.x[c.state] = c.value
	if c.sure {
		w.sure.Add(c.state)
	}
	for _, s := range w.before.Of(c.state) {
		w.active[s/64] |= 1 << (s % 64)
	}
}

// interval returns the interval of the initial states after t steps.
func (w *boundedIteration) interval(t int) Interval {
	i := w.overInitial(w.x, w.x)
	if certain := w.certain(); certain == len(w.initial) || w.kind == Max && certain > 0 {
		return Interval{Low: 1, High: 1}
	}
	if err := 2 * float64(t) * slack(w.widest); i.High > 0 {
		i.Low = max(0, i.Low-i.Low*err-2*tiny)
		i.High = min(1, i.High+i.High*err)
	}
	return i
}

// certain returns the number of initial states that reach the goal with probability exactly 1.
func (w *boundedIteration) certain() int {
	n := 0
	for _, s := range w.initial {
		if w.sure.Has(s.state) {
			n++
		}
	}
	return n
}

// A transient is the distribution of a chain over its states after some number of steps. Mass that has reached the goal
// stays there. The cost of a step is proportional to the number of states with positive mass, which is small if a
// protocol works in rounds.
//
// A mass is a sum of at most entries products, each of which is a mass times a weight, divided by a number of choices.
// So t steps keep the relative error within t (entries + 3) units. The mass of the goal is added up with compensation
// (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 4.8: within 2 units, up to second-order terms).
type transient struct {
	*bellman
	*effort.Effort
	now, then   []float64
	here, there []uint32 // the states whose mass is not 0
	goal, lost  float64  // the mass of the goal, and its rounding compensation
	missed      bool     // some mass reached a state without choices and was dropped
	entries     uint32   // the largest number of branches into one state
}

func newTransient(e *effort.Effort, p *Problem) *transient {
	f := &transient{
		bellman: newBellman(p, Uniform, nil), Effort: e,
		now: make([]float64, p.states()), then: make([]float64, p.states()),
	}
	f.count()
	total := p.total()
	for _, s := range p.initial {
		f.add(s.state, float64(s.weight)/total)
	}
	f.turn()
	return f
}

// count sets entries.
func (f *transient) count() {
	to := make([]uint32, f.States())
	for _, t := range f.to {
		to[t]++
	}
	for _, s := range f.initial {
		to[s.state]++
	}
	to[f.Problem.goal()] = 0
	f.entries = slices.Max(to)
}

// step computes the distribution after one more step.
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

// add adds to the mass of a state after the step. The mass of a reached state is never 0.
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

// interval returns the mass that has reached the goal after t steps.
func (f *transient) interval(t int) Interval {
	switch {
	case f.goal == 0:
		return Interval{}
	case len(f.here) == 0 && !f.missed: // no positive mass is rounded to 0
		return Interval{Low: 1, High: 1}
	}
	err := 2 * (float64(t)*float64(f.entries+3) + 8) * unit
	return Interval{Low: max(0, f.goal*(1-err)-faint), High: min(1, f.goal*(1+err)+faint)}
}

// never1 reports whether a run can go round for ever.
func (f *transient) never1() bool { return len(f.components)-1 < int(f.states()) }

// faint bounds the error of all masses that were rounded up to tiny.
const faint = 0x1p-800

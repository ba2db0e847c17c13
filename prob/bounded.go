package prob

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"ringcheck/graph"
	"ringcheck/internal/crew"
)

// Within returns the probability with which the goal is reached within t steps, for every t from 0 to steps.
//
// A chain is followed forwards, from the initial states on. For the other schedulers it is one pass of value iteration from the goal
// backwards, t steps of it for t. A value can only change in a step if one that it depends on has changed in the step before, so that only those are
// worked out again: a protocol that goes on in rounds has few of them. A step multiplies the relative error that rounding makes by a
// factor of at most 1 ± slack, so t steps keep it within t times that. Where it is sure that the goal is reached that is exact: see surely.
func (p *Problem) Within(ctx context.Context, k Scheduler, steps int) ([]Interval, error) {
	if k == Uniform {
		return p.of(k).flow(ctx, steps)
	}
	w := newWave(p, k)
	out := []Interval{w.together(0)}
	for t := 1; t <= steps; t++ {
		if err := w.step(ctx); err != nil {
			return out, fmt.Errorf("after %d of %d steps: %w", t-1, steps, err)
		}
		out = append(out, w.together(t))
	}
	return out, nil
}

// A wave is step-bounded value iteration.
type wave struct {
	*bellman
	before  graph.Rows[uint32]
	x       []float64
	active  Set        // the states with a branch to one whose value has changed
	sure    Set        // the states that reach the goal for certain
	changes [][]change // of the step, by worker
	widest  uint32     // row
}

// A change is the new value of a state.
type change struct {
	state uint32
	value float64
	sure  bool
}

func newWave(p *Problem, k Scheduler) *wave {
	n := int(p.states())
	w := &wave{
		bellman: newBellman(p, k, nil), before: p.predecessors(), x: make([]float64, n+1),
		active: NewSet(n), sure: NewSet(n + 1), changes: make([][]change, runtime.GOMAXPROCS(0)),
	}
	for s := range p.states() {
		w.widest = max(w.widest, p.rows[s+1]-p.rows[s])
	}
	w.change(change{p.goal(), 1, true})
	return w
}

// step makes the values those of one step more, with all cores.
func (w *wave) step(ctx context.Context) error {
	var next atomic.Int64
	w.all(func(worker int) {
		list := w.changes[worker][:0]
		for ctx.Err() == nil {
			first := int(next.Add(portion)) - portion
			if first >= len(w.active) {
				break
			}
			list = w.collect(list, first, min(first+portion, len(w.active)))
		}
		w.changes[worker] = list
	})
	if ctx.Err() == nil {
		w.all(func(worker int) {
			for _, c := range w.changes[worker] {
				w.change(c)
			}
		})
	}
	return ctx.Err()
}

// portion is how many words of the active states a worker takes at a time.
const portion = 256

// all lets all workers do something, and waits for them.
func (w *wave) all(do func(worker int)) {
	var group crew.Crew
	for i := range w.changes {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

// collect works out the active states in some words of their set, which become inactive, and appends those whose value changes.
func (w *wave) collect(list []change, first, end int) []change {
	for i := first; i < end; i++ {
		word := w.active[i]
		w.active[i] = 0
		for ; word != 0; word &= word - 1 {
			s := uint32(64*i + bits.TrailingZeros64(word))
			if w.sure.Has(s) {
				continue
			}
			v, _ := w.backup(s, w.x)
			if v < tiny && v > 0 {
				v = tiny // so that nothing but 0 ever becomes 0
			}
			sure := v > nearly && w.surely(s)
			if sure {
				v = 1
			}
			if v != w.x[s] || sure {
				list = append(list, change{s, v, sure})
			}
		}
	}
	return list
}

// nearly is less than any value that rounding makes of 1 in one step.
const nearly = 1 - 0x1p-20

// surely reports whether the goal is reached for certain from a state, one step more being left than before: by all branches of all choices, or of one.
func (w *wave) surely(s uint32) bool {
	sure := func(first, end uint32) bool {
		return !slices.ContainsFunc(w.to[first:end], func(t uint32) bool { return !w.sure.Has(t) })
	}
	if w.kind == Max {
		return !w.each(s, func(first, end uint32) bool { return !sure(first, end) })
	}
	return w.each(s, sure)
}

// change gives a state its new value. Other goroutines may do so with other states.
func (w *wave) change(c change) {
	w.x[c.state] = c.value
	if c.sure {
		atomic.OrUint64(&w.sure[c.state/64], 1<<(c.state%64))
	}
	for _, s := range w.before.Of(c.state) {
		if word, bit := &w.active[s/64], uint64(1)<<(s%64); atomic.LoadUint64(word)&bit == 0 {
			atomic.OrUint64(word, bit)
		}
	}
}

// together returns the interval of the initial states after t steps.
func (w *wave) together(t int) Interval {
	i := together(w.Problem, w.kind, w.x, w.x)
	if certain := w.certain(); certain == len(w.initial) || w.kind == Max && certain > 0 {
		return Interval{Low: 1, High: 1}
	}
	if err := 2 * float64(t) * slack(w.widest); i.High > 0 {
		i.Low = max(0, i.Low-i.Low*err-2*tiny)
		i.High = min(1, i.High+i.High*err)
	}
	return i
}

// certain returns how many of the initial states reach the goal for certain.
func (w *wave) certain() int {
	n := 0
	for _, s := range w.initial {
		if w.sure.Has(s.state) {
			n++
		}
	}
	return n
}

// predecessors returns the states with a branch to a state or the goal, once for each branch.
func (p *Problem) predecessors() graph.Rows[uint32] {
	return graph.Reverse(int(p.states())+1, len(p.to), func(yield func(from, to uint32)) {
		for s := range p.states() {
			for _, t := range p.to[p.rows[s]:p.rows[s+1]] {
				yield(s, t)
			}
		}
	})
}

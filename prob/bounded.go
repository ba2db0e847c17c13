package prob

import (
	"context"
	"fmt"
	"runtime"

	"ringcheck/internal/crew"
)

// Within returns the probability with which the goal is reached within t steps, for every t from 0 to steps.
//
// It is one pass of value iteration from the goal backwards, t steps of it for t. A step multiplies the relative error that rounding
// makes by a factor of at most 1 ± slack, so t steps keep it within t times that.
func (p *Problem) Within(ctx context.Context, k Scheduler, steps int) ([]Interval, error) {
	w := &wave{bellman: newBellman(p, k, nil), x: make([]float64, p.states()+1), y: make([]float64, p.states()+1)}
	w.x[p.goal()], w.y[p.goal()] = 1, 1
	for s := range p.states() {
		w.widest = max(w.widest, p.rows[s+1]-p.rows[s])
	}
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
	x, y   []float64 // values after this step, and room for those after the next
	widest uint32    // row
}

// step makes the values those of one step more, with all cores.
func (w *wave) step(ctx context.Context) error {
	workers := uint64(runtime.GOMAXPROCS(0))
	n := uint64(w.states())
	var group crew.Crew
	for i := range workers {
		group.Go(func() { w.part(ctx, uint32(n*i/workers), uint32(n*(i+1)/workers)) })
	}
	group.Wait()
	w.x, w.y = w.y, w.x
	return ctx.Err()
}

func (w *wave) part(ctx context.Context, first, end uint32) {
	for s := first; s < end; s++ {
		if w.rows[s] != w.rows[s+1] {
			v, _ := w.backup(s, w.x)
			if v < tiny && v > 0 {
				v = tiny // so that nothing but 0 ever becomes 0
			}
			w.y[s] = v
		}
		if s%stride == 0 && ctx.Err() != nil {
			return
		}
	}
}

// together returns the interval of the initial states after t steps.
func (w *wave) together(t int) Interval {
	i := together(w.Problem, w.kind, w.x, w.x)
	if err := 2 * float64(t) * slack(w.widest); i.High > 0 {
		i.Low = max(0, i.Low-i.Low*err-2*tiny)
		i.High = min(1, i.High+i.High*err)
	}
	return i
}

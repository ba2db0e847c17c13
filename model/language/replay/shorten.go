package replay

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model"
)

// Shorten returns a run that ends with the condition as r does, with fewer steps: delta debugging (Zeller and
// Hildebrandt 2002) over the schedule. Remaining steps that are not possible any more are removed as well. The first
// attempt keeps only the steps for which matters is set.
//
// With time, a tick requires that all processes have acted and due messages have been received, so most steps before
// the last tick are needed. Removable are steps after it, and receipts of messages that may still come later. So the
// first attempts remove steps that do not matter from some tick on, the earliest for which that works.
func (r *Run) Shorten(ctx context.Context, matters []bool, end Condition) *Run {
	short := *r
	s := &shortening{Run: r, end: end, best: r.Steps, left: mostSteps}
	try := func(rest []Step) ([]Step, bool, error) { return s.try(ctx, rest) }
	for from, ticks := 0, r.ticks(); from <= ticks; from = min(ticks, (from+ticks+1)/2) {
		_, shown, err := try(r.mattering(matters, from))
		if shown && err == nil || errors.Is(err, errEnough) || from == ticks {
			break
		}
	}
	short.Steps = minimize(ctx, s.best, try)
	return &short
}

// ticks returns the number of ticks.
func (r *Run) ticks() (n int) {
	for i := range r.Steps {
		if r.Steps[i].Kind == model.TickAction {
			n++
		}
	}
	return n
}

// mattering returns the steps up to a tick, counted from 1, and of the later ones the ticks and the steps that matter.
func (r *Run) mattering(matters []bool, tick int) []Step {
	var some []Step
	for i, d := range r.Steps {
		ticks := d.Kind == model.TickAction
		if ticks || tick > 0 || matters[i] {
			some = append(some, d)
		}
		if ticks {
			tick--
		}
	}
	return some
}

// A shortening is the state of Shorten.
type shortening struct {
	*Run
	end  Condition
	best []Step // the shortest found
	left int    // steps that may still be taken
}

// mostSteps bounds the steps that are taken to shorten a run.
const mostSteps = 1_000_000

// try takes the steps that are possible, up to the end, and returns them with their actual outcomes.
func (r *shortening) try(ctx context.Context, steps []Step) (taken []Step, shown bool, err error) {
	if r.left < len(steps) {
		return nil, false, errEnough
	}
	r.left -= len(steps)
	s := r.begin()
	for i := range steps {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, false, errEnough
		}
		if !r.end.End {
			if shown, err = r.end.Is(s); shown || err != nil {
				break
			}
		}
		d, err := s.take(&steps[i], true)
		if err != nil {
			continue
		}
		taken = append(taken, *d)
		r.tidy(s, r.Steps, r.best, taken)
	}
	if !shown && err == nil {
		shown, err = r.end.Holds(s)
	}
	if shown && err == nil {
		r.best = taken
	}
	return taken, shown, err
}

// errEnough ends minimize early.
var errEnough = errors.New("the search took too long")

// minimize removes elements that are not needed from a list, chunk by chunk, and returns the rest. try reports whether
// a list suffices, and which of its elements are needed. A list for which it fails does not suffice: the model may have
// an error there that the whole run did not reach. When ctx or errEnough ends minimize early, the result still
// suffices.
func minimize(ctx context.Context, list []Step, try func([]Step) (needed []Step, will bool, err error)) []Step {
	for parts := 2; len(list) > 0; {
		shorter := false
		size := (len(list) + parts - 1) / parts
		for i := 0; i < len(list); {
			if ctx.Err() != nil {
				return list
			}
			needed, will, err := try(slices.Concat(list[:i], list[min(i+size, len(list)):]))
			switch {
			case errors.Is(err, errEnough):
				return list
			case will && err == nil:
				list, shorter = needed, true
			default:
				i += size
			}
		}
		if size <= 1 && !shorter {
			break
		}
		if !shorter {
			parts *= 2
		}
	}
	return list
}

// A Cause has the process that took a step.
type Cause struct {
	Process int32
	Sender  int32 // the step that sent the message that it took, counted from 1; 0 for no message
	// Receiver is one more than the process that receives a message in the same step, 0 if none does.
	Receiver int32
}

// Causes takes the run again and returns the cause of each step, and the last state.
func (r *Run) Causes(ctx context.Context) ([]Cause, *State, error) {
	causes := make([]Cause, 0, len(r.Steps))
	last, err := r.Play(ctx, func(s *State, d *Step) error {
		if d != nil {
			causes = append(causes, Cause{
				int32(d.Process), int32(s.Removal().Sender), int32(d.Receiver(s.protocol) + 1),
			})
		}
		return nil
	})
	return causes, last, err
}

// A Past is the causal past of the last states of some processes (happened-before, Lamport 1978), without ticks.
type Past struct {
	Steps     []bool  // by number, from 0
	Processes [][]int // by process: itself and the processes that influenced it, the latest first
}

// NewPast returns the past of some processes at the end of a run.
func NewPast(causes []Cause, n int, processes []int) *Past {
	p := &Past{Steps: make([]bool, len(causes)), Processes: make([][]int, len(processes))}
	until := make([]int32, n) // the number of the last step of a process that is in the past, from 1
	of := make([]int32, n)    // the process whose past it belongs to, from 1
	for i, process := range processes {
		until[process], of[process] = int32(len(causes)), int32(i+1)
		p.Processes[i] = []int{process}
	}
	for i := len(causes) - 1; i >= 0; i-- {
		c := causes[i]
		process, other := c.Process, c.Receiver-1
		number := int32(i + 1) // of the step by which the other one influences the process
		if other >= 0 && int32(i) >= until[process] {
			process, other = other, process
		}
		if process < 0 || int32(i) >= until[process] {
			continue
		}
		p.Steps[i] = true
		if c.Sender > 0 {
			other, number = causes[c.Sender-1].Process, c.Sender
		}
		if other < 0 { // no process, or a fault that made the message
			continue
		}
		until[other] = max(until[other], number)
		if of[other] == 0 {
			of[other] = of[process]
			p.Processes[of[other]-1] = append(p.Processes[of[other]-1], int(other))
		}
	}
	return p
}

// Chosen returns at most the given number of processes: first the ones whose past it is, then round robin the processes
// that influenced them, the latest first.
func (p *Past) Chosen(most int) []int {
	var all []int
	for k, more := 0, true; more; k++ {
		more = false
		for _, list := range p.Processes {
			if k < len(list) && len(all) < most {
				all, more = append(all, list[k]), true
			}
		}
	}
	return all
}

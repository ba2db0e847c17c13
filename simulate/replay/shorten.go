package replay

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model"
)

// Shorten returns a run that shows a fault at its end as r does, with as few of the steps as can be found soon:
// delta debugging (Zeller and Hildebrandt 2002) over the schedule.
// What is left of the schedule and not possible is left out as well. At first, only steps for which matters is set are tried.
//
// With time, a tick is possible only when all have acted who can and what is due has been received, so that most steps cannot be spared. What
// can be is what happens after the last tick, and the receipt of a message that may still come later. So the steps that do not matter are
// left out from some tick on, the first one for which that works.
func (r *Run) Shorten(ctx context.Context, matters []bool, fault Fault) *Run {
	short := *r
	s := &shortening{Run: r, fault: fault, best: r.Deeds, left: mostSteps}
	try := func(rest []Deed) ([]Deed, bool, error) { return s.try(ctx, rest) }
	for from, ticks := 0, r.ticks(); from <= ticks; from = min(ticks, (from+ticks+1)/2) {
		if _, shown, err := try(r.mattering(matters, from)); shown && err == nil || errors.Is(err, errEnough) || from == ticks {
			break
		}
	}
	short.Deeds = minimize(ctx, s.best, try)
	return &short
}

// ticks returns how many there are.
func (r *Run) ticks() (n int) {
	for i := range r.Deeds {
		if r.Deeds[i].Kind == model.TickAction {
			n++
		}
	}
	return n
}

// mattering returns the steps up to a tick, counted from 1, and of the others the ticks and those that matter.
func (r *Run) mattering(matters []bool, tick int) []Deed {
	var some []Deed
	for i, d := range r.Deeds {
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

// A shortening is one under way.
type shortening struct {
	*Run
	fault Fault
	best  []Deed // what was found
	left  int    // steps that may still be taken
}

// mostSteps is how many steps are taken at most to shorten a run.
const mostSteps = 1_000_000

// try takes those of some steps that are possible, up to the fault, and returns them as they were then.
func (r *shortening) try(ctx context.Context, deeds []Deed) (taken []Deed, shown bool, err error) {
	if r.left < len(deeds) {
		return nil, false, errEnough
	}
	r.left -= len(deeds)
	s := r.begin()
	for i := range deeds {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, false, errEnough
		}
		if !r.fault.End {
			if shown, err = r.fault.Is(s); shown || err != nil {
				break
			}
		}
		d := deeds[i]
		if _, err := s.take(&d, true); err != nil {
			continue
		}
		if d.Process >= 0 {
			d.Next = s.locals[d.Process]
		}
		taken = append(taken, d)
		r.tidy(s, r.Deeds, r.best, taken)
	}
	if !shown && err == nil {
		shown, err = r.fault.Holds(s)
	}
	if shown && err == nil {
		r.best = taken
	}
	return taken, shown, err
}

// errEnough ends minimize early.
var errEnough = errors.New("the search took too long")

// minimize leaves out of a list, part by part, what it can do without, and returns what is left. try says whether a list
// will do, and what of it is needed. One for which it fails will not: the model may have a fault there that the whole run
// did not meet. minimize ends early with ctx or errEnough: what has been found by then is right, too.
func minimize(ctx context.Context, list []Deed, try func([]Deed) (needed []Deed, will bool, err error)) []Deed {
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

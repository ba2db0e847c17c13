package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/simulate"
)

// A Run is the schedule of a run from a first state, which is taken for one.
type Run struct {
	Protocol  *ir.Protocol
	Processes []ir.Local
	Channels  [][]ir.Content
	Sets      *ir.Sets // what wide sets in Processes and Deeds refer to
	Deeds     []Deed

	machine *step.Machine
	reads   bool             // whether processes read registers of others
	held    map[holder]int64 // the last wide sets
}

// A holder is a variable of a process.
type holder struct{ process, variable int }

// New returns a run without steps. Wide sets in the first state are in sets.
func New(p *ir.Protocol, opt step.Options, processes []ir.Local, channels [][]ir.Content, sets *ir.Sets) *Run {
	return &Run{Protocol: p, Processes: processes, Channels: channels, Sets: sets, machine: step.New(p, opt), reads: p.Reading() != nil, held: make(map[holder]int64)}
}

// Longest is how many steps a run has at most that is kept.
const Longest = 2_000_000

// ErrLong means that a run has more steps than are kept.
var ErrLong = fmt.Errorf("the run has more than %d steps, too many to be shown", Longest)

// Add adds a step, and copies it. Its wide sets are in from.
func (r *Run) Add(d Deed, from *ir.Sets) error {
	if len(r.Deeds) == Longest {
		return ErrLong
	}
	d.Next.Env, d.Drawn, d.Message.Args = slices.Clone(d.Next.Env), slices.Clone(d.Drawn), slices.Clone(d.Message.Args)
	for i := range d.Drawn {
		r.hold(&d.Drawn[i].Value, d.Drawn[i].Var, d.Process, from)
	}
	if d.Next.Point != nil {
		for i, v := range d.Next.Point.Live {
			r.hold(&d.Next.Env[i], v, d.Process, from)
		}
	}
	r.Deeds = append(r.Deeds, d)
	return nil
}

// hold copies a wide set, unless the variable of the process has the same one already.
func (r *Run) hold(ref *int64, v *ir.Var, process int, from *ir.Sets) {
	if !v.Type.Wide {
		return
	}
	at, list := holder{process, v.ID}, from.List(*ref)
	if old, ok := r.held[at]; !ok || !slices.Equal(r.Sets.List(old), list) {
		r.held[at] = r.Sets.Add(slices.Clone(list))
	}
	*ref = r.held[at]
}

// Play takes the run again, step by step, and returns the last state. It calls seen with the first state and nil, and after each step with
// it and the number of the one that sent the message that it takes; they count from 1, and 0 is none. The error says which step does not exist.
func (r *Run) Play(ctx context.Context, seen func(s *State, d *Deed, sender int) error) (*State, error) {
	s := r.begin()
	if err := seen(s, nil, 0); err != nil {
		return nil, err
	}
	for i := range r.Deeds {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sender, err := s.take(&r.Deeds[i], false)
		if err == nil {
			err = seen(s, &r.Deeds[i], sender)
		}
		if err != nil {
			return nil, fmt.Errorf("replaying step %d: %w", i+1, err)
		}
		r.tidy(s, r.Deeds)
	}
	return s, nil
}

// tidy forgets the wide sets that expressions have made on the way, but for those in some steps.
func (r *Run) tidy(s *State, lists ...[]Deed) {
	if !r.Sets.Crowded() {
		return
	}
	r.Sets.Keep(func(yield func(int64) bool) {
		local := func(l ir.Local) bool {
			for i, v := range l.Point.Live {
				if v.Type.Wide && !yield(l.Env[i]) {
					return false
				}
			}
			return true
		}
		for p := range s.locals {
			if !local(r.Processes[p]) || !local(s.locals[p]) {
				return
			}
		}
		for _, d := range slices.Concat(lists...) {
			if d.Next.Point != nil && !local(d.Next) {
				return
			}
			for _, x := range d.Drawn {
				if x.Var.Type.Wide && !yield(x.Value) {
					return
				}
			}
		}
	})
}

// A Fault is what a run is to show in its last state.
type Fault struct {
	Is  func(*State) (bool, error)
	End bool // only a terminal state can
}

// Holds reports whether a state shows the fault.
func (f *Fault) Holds(s *State) (bool, error) {
	is, err := f.Is(s)
	if !is || err != nil || !f.End {
		return is, err
	}
	return s.terminal()
}

// Shorten returns a run that shows a fault at its end as r does, with as few of the steps as can be found soon; see simulate.Minimize.
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
		if _, shown, err := try(r.mattering(matters, from)); shown && err == nil || errors.Is(err, simulate.ErrEnough) || from == ticks {
			break
		}
	}
	short.Deeds = simulate.Minimize(ctx, s.best, try)
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
		return nil, false, simulate.ErrEnough
	}
	r.left -= len(deeds)
	s := r.begin()
	for i := range deeds {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, false, simulate.ErrEnough
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

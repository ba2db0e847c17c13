package replay

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Run is a sequence of steps from a state. Nothing says that it is possible, before Play has repeated it.
type Run struct {
	Start *step.State
	Steps []Step
	Sets  *ir.Sets // what wide sets in Start and Steps refer to

	machine *step.Machine
	sets    map[holder]int64 // the last wide sets
}

// A holder is a variable of a process.
type holder struct{ process, variable int }

// New returns a run without steps from a state, which it copies. Wide sets in it are in from.
func New(m *step.Machine, start *step.State, from *ir.Sets) *Run {
	first := *start
	first.Processes, first.Shared = slices.Clone(first.Processes), slices.Clone(first.Shared)
	r := &Run{Start: &first, Sets: &ir.Sets{}, machine: m, sets: make(map[holder]int64)}
	for process := range first.Processes {
		r.holdLocal(&first.Processes[process], process, from)
	}
	return r
}

// Label describes a step.
func (s *State) Label(d *Step) model.LabelInfo { return s.machine.Label(d.Action, d.Process) }

// Longest is the largest number of steps of a Run.
const Longest = 2_000_000

// ErrLong means that a run has more than Longest steps.
var ErrLong = fmt.Errorf("the run has more than %d steps, too many to be shown", Longest)

// Add adds a step, and copies it. Its wide sets are in from.
func (r *Run) Add(d Step, from *ir.Sets) error {
	if len(r.Steps) == Longest {
		return ErrLong
	}
	d.DrawValues, d.Writes = slices.Clone(d.DrawValues), slices.Clone(d.Writes)
	d.Args, d.Message.Args = slices.Clone(d.Args), slices.Clone(d.Message.Args)
	for i := range d.DrawValues {
		r.hold(&d.DrawValues[i].Value, d.DrawValues[i].Var, d.Process, from)
	}
	if d.Next.Point != nil {
		r.holdLocal(&d.Next, d.Process, from)
	}
	if d.ReceiverNext.Point != nil {
		r.holdLocal(&d.ReceiverNext, d.Receiver(r.machine.Protocol()), from)
	}
	r.Steps = append(r.Steps, d)
	return nil
}

// holdLocal copies a local state.
func (r *Run) holdLocal(l *ir.Local, process int, from *ir.Sets) {
	l.Env = slices.Clone(l.Env)
	for i, v := range l.Point.Live {
		r.hold(&l.Env[i], v, process, from)
	}
}

// hold copies a wide set, unless the variable of the process has the same one already.
func (r *Run) hold(ref *int64, v *ir.Var, process int, from *ir.Sets) {
	if !v.Type.Wide {
		return
	}
	at, list := holder{process, v.ID}, from.List(*ref)
	if old, ok := r.sets[at]; !ok || !slices.Equal(r.Sets.List(old), list) {
		r.sets[at] = r.Sets.Add(slices.Clone(list))
	}
	*ref = r.sets[at]
}

// Play repeats the run step by step and returns the last state. It calls seen with the first state and nil, and after
// each step with that step. The error says which step the semantics does not allow.
func (r *Run) Play(ctx context.Context, seen func(s *State, d *Step) error) (*State, error) {
	s := r.begin()
	if err := seen(s, nil); err != nil {
		return nil, err
	}
	for i := range r.Steps {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, err := s.take(&r.Steps[i], false)
		if err == nil {
			err = seen(s, &r.Steps[i])
		}
		if err != nil {
			return nil, fmt.Errorf("replaying step %d: %w", i+1, err)
		}
		r.tidy(s, r.Steps)
	}
	return s, nil
}

func (r *Run) begin() *State { return NewState(r.machine, r.Start, r.Sets) }

// tidy frees the wide sets that expressions have created, except those in some lists of steps.
func (r *Run) tidy(s *State, lists ...[]Step) {
	if !r.Sets.NeedsKeep() {
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
			if !local(r.Start.Processes[p]) || !local(s.locals[p]) {
				return
			}
		}
		for _, d := range slices.Concat(lists...) {
			if d.Next.Point != nil && !local(d.Next) || d.ReceiverNext.Point != nil && !local(d.ReceiverNext) {
				return
			}
			for _, x := range d.DrawValues {
				if x.Var.Type.Wide && !yield(x.Value) {
					return
				}
			}
		}
	})
}

// A Condition is a condition on the last state of a run.
type Condition struct {
	Is  func(*State) (bool, error)
	End bool // only a terminal state can
}

// Holds reports whether a state satisfies the condition.
func (c *Condition) Holds(s *State) (bool, error) {
	is, err := c.Is(s)
	if !is || err != nil || !c.End {
		return is, err
	}
	_, is, err = s.Quiescent()
	return is, err
}

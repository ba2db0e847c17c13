package explore

import (
	"context"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Fragment is the part of the transition system of a model.System that a caller asks for, state by state. It has the
// states and transitions of Generate, but states are numbered from 0 on in the order in which the caller meets them. If
// there are several initial states, one more, state 0, comes before them, with a τ to each. A Fragment belongs to one
// goroutine.
//
// An error says why there are no further answers: the system reports a *model.Error or is invalid, the context has
// ended, or a limit of the options is reached (a *StopError). Result then says so, too.
type Fragment struct {
	*subject
	stopper
	tally
	steps   intern.Values[step] // by tag of a transition
	tree    *tree.Worker
	name    func(model.LabelInfo) lts.Label
	labels  []lts.Label // by tag, plus one; 0 if not yet named
	numbers intern.Numbering
	ids     []tree.StateID // by number
	counted []bool         // by number: whether the transitions of the state are counted
	shift   uint32         // 1 if there is a state before the initial ones
	first   []lts.Edge     // from that state
	next    tree.Expansion
	pending counts
	end     func() // of interruptions
}

// NewFragment returns a fragment of a system. name returns the number of a label, lts.Tau for a hidden one. Options
// other than MaxStates and Memory are ignored. The caller closes the fragment.
func NewFragment(
	ctx context.Context, sys model.System, opt Options, name func(model.LabelInfo) lts.Label,
) (*Fragment, error) {
	f := &Fragment{stopper: stopper{ctx: ctx}, tally: tally{begin: time.Now()}, name: name}
	opt.Tag = func(group int, s model.Step) uint32 { return f.steps.Number(step{group, s}) }
	opt.Observer, opt.Store = nil, nil
	var err error
	if f.subject, err = newSubject(ctx, sys, opt); err != nil {
		return nil, err
	}
	f.tree = f.store.Worker()
	f.end = f.interruptible(func() error { return f.poll(f.checkParts) })
	return f, nil
}

// Close frees the memory.
func (f *Fragment) Close() {
	f.end()
	f.store.Close()
}

// checkParts stops the work if the parts of states exceed the budget.
func (f *Fragment) checkParts() {
	if f.opt.Memory != 0 && f.Bytes() > f.opt.Memory {
		f.halt(MemoryLimit)
	}
}

// Bytes returns the memory that the fragment holds.
func (f *Fragment) Bytes() uint64 {
	const perState = 8 + 1 + 3 // with the copies when the lists grow
	return uint64(f.subject.bytes()+f.steps.Bytes()+f.numbers.Bytes()) + perState*uint64(cap(f.ids))
}

// Initial returns the initial state.
func (f *Fragment) Initial() (uint32, error) {
	if len(f.ids) > 0 || f.halted() {
		return 0, f.failure()
	}
	err := f.withinCapacity(func() error {
		return f.eachInitial(func(state []model.Value) bool {
			f.number(f.tree.ID(state))
			return f.ctx.Err() == nil && !f.halted()
		})
	})
	if f.ctx.Err() != nil {
		f.halt(StopFor(f.ctx))
	}
	if err != nil && !f.halted() {
		return 0, err
	}
	if len(f.ids) > 1 {
		f.shift = 1
		for n := range f.ids {
			f.first = append(f.first, lts.Edge{Label: lts.Tau, To: uint32(n) + 1})
		}
	}
	return 0, f.failure()
}

// number returns the number of a state.
func (f *Fragment) number(id tree.StateID) uint32 {
	n := f.numbers.LoadOrCreate(id, func(uint32) {})
	if int(n) == len(f.ids) {
		if f.opt.MaxStates != 0 && uint64(n) == f.opt.MaxStates {
			f.halt(StateLimit)
		}
		if n >= lts.MaxStates-1 {
			f.halt(CapacityLimit)
		}
		f.ids, f.counted = append(f.ids, id), append(f.counted, false)
		f.pending.stored++
		f.pending.states++
	}
	return n + f.shift
}

// Edges appends the transitions from a state to edges.
func (f *Fragment) Edges(state uint32, edges []lts.Edge) ([]lts.Edge, error) {
	if state < f.shift {
		return append(edges, f.first...), nil
	}
	if err := f.expand(state); err != nil {
		return edges, err
	}
	counted := f.counted[state-f.shift]
	f.counted[state-f.shift] = true
	for i, to := range f.next.To {
		if tag := f.next.Tags[i]; !f.steps.At(tag).Repeated {
			edges = append(edges, lts.Edge{Label: f.label(tag), To: f.number(to)})
			if !counted {
				f.pending.transitions++
			}
		}
		if f.halted() {
			break
		}
	}
	f.publish(&f.pending)
	return edges, f.failure()
}

// expand sets f.next to the successors of a state.
func (f *Fragment) expand(state uint32) error {
	expanded := false
	err := f.withinCapacity(func() error {
		err := f.tree.Expand([]tree.StateID{f.ids[state-f.shift]}, nil, &f.next)
		expanded = err == nil
		return err
	})
	if f.ctx.Err() != nil {
		f.halt(StopFor(f.ctx))
	}
	if err != nil {
		f.failSystem(err, func() []model.Value { return f.State(state) })
	}
	if !expanded {
		f.abort() // no effect if the work was ended; another user of the system can have ended it
	}
	return f.failure()
}

func (f *Fragment) label(tag uint32) lts.Label {
	for uint32(len(f.labels)) <= tag {
		f.labels = append(f.labels, 0)
	}
	if f.labels[tag] == 0 {
		f.labels[tag] = 1 + f.name(f.sys.Label(f.steps.At(tag).Label))
	}
	return f.labels[tag] - 1
}

// failure returns the error that ended the work, nil if it goes on.
func (f *Fragment) failure() error {
	switch {
	case f.invalid != nil:
		return f.invalid
	case f.modelError != nil:
		return f.modelError
	case f.halted():
		return &StopError{Stop(f.stop.Load())}
	}
	return nil
}

// State returns a state, nil for the one before several initial states.
func (f *Fragment) State(state uint32) []model.Value {
	if state < f.shift {
		return nil
	}
	vector := make([]model.Value, len(f.sys.Slots()))
	f.tree.Vector(f.ids[state-f.shift], vector)
	return vector
}

// Moves returns the run of the system from the initial state along some transitions.
func (f *Fragment) Moves(run []lts.Edge) ([]Move, error) {
	at := uint32(0)
	if f.shift > 0 && len(run) > 0 {
		at, run = run[0].To, run[1:]
	}
	moves := []Move{{State: f.State(at)}}
	for _, e := range run {
		to := f.State(e.To)
		step, err := StepBetween(f.sys, moves[len(moves)-1].State, to, func(s model.Step) bool {
			return f.name(f.sys.Label(s.Label)) == e.Label
		})
		if err != nil {
			return nil, err
		}
		moves = append(moves, Move{Step: step, State: to})
	}
	return moves, nil
}

// Result returns the counts so far. It is complete unless the work was ended: then states were all that were asked for.
func (f *Fragment) Result() *Result {
	f.publish(&f.pending)
	return f.result(&f.stopper)
}

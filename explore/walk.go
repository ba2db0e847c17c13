package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Visitor is told of states and transitions by Walk. Nil functions are not called; an error ends the walk
// and is returned by it.
type Visitor struct {
	// State is called once for each state, when it is first met, with its number: states are numbered from
	// 0 in the order in which they are met. state is valid during the call.
	State func(id uint64, level int, state []model.Value) error
	// Transition is called once for each transition, after State for both its ends.
	Transition func(from uint64, step model.Step, to uint64) error
}

// Walk generates the state space breadth first in one goroutine and tells v of every state and transition,
// always in the same order. It is for those who need transitions with their labels, and much slower than
// Run. Options.Workers and Match are ignored.
func Walk(ctx context.Context, sys model.System, opt Options, v Visitor) (*Result, error) {
	if opt.Memory != 0 && opt.Memory < smallest {
		return nil, fmt.Errorf("%w: a search takes at least %d bytes", ErrBudget, smallest)
	}
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	w := newWalk(sys, opt, v)
	if err := w.initial(ctx); err != nil {
		return nil, err
	}
	before := uint64(0)
	for len(w.next) > 0 && w.stop == Exhausted {
		w.current, w.next = w.next, w.current[:0]
		w.result.Levels = append(w.result.Levels, w.result.States-before)
		before = w.result.States
		if err := w.level(ctx); err != nil {
			return nil, err
		}
	}
	return w.finish(), nil
}

// A walk is a sequential search. States are numbered in BFS order, so that the numbers of a level's states
// follow one another.
type walk struct {
	sys      *model.Table
	quotient model.Quotient // what the system is, or nil
	groups   []model.Group
	opt      Options
	visitor  Visitor
	begin    time.Time
	tree     *tree.Worker
	ids      intern.Map
	count    uint64 // of states that have a number
	expanded uint64 // of the current level
	current  []tree.Root
	next     []tree.Root
	state    []model.Value
	to       []model.Value
	in       []model.Value
	out      model.Successors
	stop     Stop
	result   Result
	told     time.Time // of progress
	calls    uint64    // of limits
}

func newWalk(sys model.System, opt Options, v Visitor) *walk {
	n := len(sys.Slots())
	quotient, _ := model.As[model.Quotient](sys)
	return &walk{
		sys:      model.Tabulate(sys),
		quotient: quotient,
		groups:   sys.Groups(),
		opt:      opt,
		visitor:  v,
		begin:    time.Now(),
		told:     time.Now(),
		tree:     tree.NewStore(sys).Worker(),
		state:    make([]model.Value, n),
		to:       make([]model.Value, n),
		in:       make([]model.Value, n),
	}
}

// initial meets the initial states.
func (w *walk) initial(ctx context.Context) error {
	var failed error
	err := w.sys.Initial(func(state []model.Value) bool {
		if failed = model.CheckInitial(state, len(w.state)); failed == nil {
			_, failed = w.meet(w.tree.Root(state), state)
		}
		return failed == nil && ctx.Err() == nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("initial states: %w", err)
	case errors.Is(failed, errFull):
		return nil
	}
	return failed
}

// maxWalk is how many states have numbers: more would not fit a .aut file that any tool reads.
const maxWalk = math.MaxUint32 - 1

// meet returns the number of a state, which gets one if it is new.
func (w *walk) meet(r tree.Root, state []model.Value) (uint64, error) {
	if id, ok := w.ids.Load(r); ok {
		return uint64(id), nil
	}
	id := w.count
	if id == maxWalk || w.opt.MaxStates != 0 && id == w.opt.MaxStates {
		w.stop = StateLimit
		return 0, errFull
	}
	w.count++
	w.ids.LoadOrStore(r, uint32(id))
	w.next = append(w.next, r)
	w.result.States += w.orbit(state)
	if w.visitor.State == nil {
		return id, nil
	}
	level := len(w.result.Levels)
	return id, w.visitor.State(id, level, state)
}

// orbit returns how many states of the system asked for a state stands for.
func (w *walk) orbit(state []model.Value) uint64 {
	if w.quotient == nil {
		return 1
	}
	return w.quotient.OrbitSize(state)
}

// errFull ends a walk at its limit of states, in order.
var errFull = errors.New("state limit reached")

func (w *walk) level(ctx context.Context) error {
	first := w.count - uint64(len(w.current))
	for i, r := range w.current {
		w.expanded = uint64(i)
		if w.limits(ctx); w.stop != Exhausted {
			return nil
		}
		err := w.expand(first+uint64(i), r)
		var fault *model.Fault
		switch {
		case errors.Is(err, errFull):
			return nil
		case errors.As(err, &fault):
			w.stop = Faulted
			w.result.Fault = fault
			w.result.FaultState = append([]model.Value(nil), w.state...)
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// expand follows all transitions of a state.
func (w *walk) expand(id uint64, r tree.Root) error {
	w.tree.Vector(r, w.state)
	before, size := w.result.Transitions, w.orbit(w.state)
	for g := range w.groups {
		if err := w.follow(g, id, r, size); err != nil {
			return err
		}
	}
	if w.result.Transitions == before {
		w.result.Deadlocks += size
	}
	return nil
}

// follow follows the transitions of one group from a state that stands for size ones.
func (w *walk) follow(g int, id uint64, r tree.Root, size uint64) error {
	slots := w.groups[g].Slots
	for i, s := range slots {
		w.in[i] = w.state[s]
	}
	if err := model.Ask(w.sys, g, w.in[:len(slots)], &w.out); err != nil {
		return err
	}
	for i := range w.out.Len() {
		copy(w.to, w.state)
		for j, v := range w.out.Values(i) {
			w.to[slots[j]] = v
		}
		to, err := w.meet(w.tree.Child(r, w.state, w.to), w.to)
		if err != nil {
			return err
		}
		w.result.Transitions += size
		if w.visitor.Transition != nil {
			if err := w.visitor.Transition(id, w.out.Step(i), to); err != nil {
				return err
			}
		}
	}
	return nil
}

// limits stops the walk where it has gone beyond its options, and reports progress.
func (w *walk) limits(ctx context.Context) {
	if ctx.Err() != nil {
		w.stop = stopFor(ctx)
		return
	}
	if w.calls++; w.calls%1024 != 0 {
		return
	}
	bytes := w.bytes()
	w.result.TotalBytes = max(w.result.TotalBytes, bytes)
	if w.opt.Memory != 0 && bytes > w.opt.Memory {
		w.stop = MemoryLimit
	}
	every := w.opt.ProgressEvery
	if every <= 0 {
		every = time.Second
	}
	if w.opt.Progress != nil && time.Since(w.told) >= every {
		w.told = time.Now()
		w.opt.Progress(w.progress(bytes))
	}
}

func (w *walk) bytes() uint64 {
	return uint64(w.tree.Bytes()+w.ids.Bytes()+w.sys.Bytes()) + 8*uint64(cap(w.current)+cap(w.next))
}

func (w *walk) progress(bytes uint64) Progress {
	return Progress{
		Level:       len(w.result.Levels) - 1,
		Frontier:    uint64(len(w.current)),
		Expanded:    w.expanded,
		States:      w.count,
		Transitions: w.result.Transitions,
		Bytes:       bytes,
		Elapsed:     time.Since(w.begin),
	}
}

func (w *walk) finish() *Result {
	r := &w.result
	r.Stop = w.stop
	r.Stored = w.count
	r.Bytes = uint64(w.tree.Bytes() + w.ids.Bytes())
	r.TotalBytes = max(r.TotalBytes, w.bytes())
	r.Workers = 1
	r.Elapsed = time.Since(w.begin)
	return r
}

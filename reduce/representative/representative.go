package representative

import (
	"errors"
	"sync"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// A System knows which of its transitions are confluent.
type System interface {
	model.System
	model.Confluent
}

// ErrCycle is the cause of a model error of a reduced quotient: several states can represent an orbit, and the orbits
// do not determine how many of them the other system has.
var ErrCycle = errors.New("confluent actions form a cycle, so that a state has no unique representative, " +
	"and orbits of representatives cannot be counted: leave the symmetry or the representatives out")

// Options set the order of the search for representatives. It influences the number of internal states, but not the
// states and transitions of the reduced system.
type Options struct {
	// Order is the order of the groups; nil is ascending.
	Order []int
	// LastFirst takes the outcomes of a draw in reverse order.
	LastFirst bool
}

// A ReducedSystem is the system of the representatives. It implements model.System, with one group for everything.
type ReducedSystem struct {
	model.System // not a System, since a ReducedSystem has other transitions and no Confluent
	full         *unreducedSystem
	lastFirst    bool
	quotient     *quotient // nil if the system is not a quotient
	check        atomic.Pointer[func() error]

	vectors *vectors
	own     *memory // for Next: its states are numbered by vectors
	walkers sync.Pool

	mu       sync.Mutex
	memories []*memory // of searches
}

var (
	_ model.Holder                   = (*ReducedSystem)(nil)
	_ model.Interruptible            = (*ReducedSystem)(nil)
	_ reduction.RepresentativeSystem = (*ReducedSystem)(nil)
)

// Reduce returns the system in which every state of sys is replaced by its representative.
func Reduce(sys System, opt Options) *ReducedSystem {
	r := &ReducedSystem{System: sys, full: newUnreduced(sys, opt.Order), lastFirst: opt.LastFirst}
	r.quotient = newQuotient(sys)
	r.own = &memory{ReducedSystem: r}
	r.vectors = newVectors(r.full)
	r.walkers.New = func() any { return r.own.walker(r.vectors.space()) }
	return r
}

// Groups implements model.System: the representative of a successor depends on the whole state.
func (r *ReducedSystem) Groups() []model.Group {
	all := make([]int, len(r.Slots()))
	for i := range all {
		all[i] = i
	}
	return []model.Group{{Name: "all processes", Slots: all}}
}

// As exposes the interfaces of the system that concern states, such as orbits and cells, which are the same. Its
// transitions differ, and representatives are not saved with the values.
func (r *ReducedSystem) As(target any) bool {
	return model.Pass[model.Quotient](r.System, target) || model.Pass[model.Cells](r.System, target) ||
		model.Pass[symmetry.Invariance](r.System, target)
}

// Interrupt implements model.Interruptible, since a representative can be thousands of steps away, each of which can
// meet as many states.
func (r *ReducedSystem) Interrupt(check func() error) {
	if r.quotient != nil {
		r.quotient.beneath.Interrupt(check)
	}
	if check == nil {
		r.check.Store(nil)
		return
	}
	r.check.Store(&check)
}

// Unreduced implements reduction.RepresentativeSystem.
func (r *ReducedSystem) Unreduced() model.System { return r.full }

// Representatives implements reduction.RepresentativeSystem.
func (r *ReducedSystem) Representatives() func(reduction.Space) reduction.Representer {
	m := &memory{ReducedSystem: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memories = append(r.memories, m)
	return func(space reduction.Space) reduction.Representer { return m.walker(space) }
}

// InternalStates returns the number of states whose representative was searched for, including the representatives
// themselves: the maximum over all searches. It grows during exploration.
func (r *ReducedSystem) InternalStates() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.memories) == 0 {
		return r.own.internalStates.Load()
	}
	most := uint64(0)
	for _, m := range r.memories {
		most = max(most, m.internalStates.Load())
	}
	return most
}

// Bytes implements model.Holder.
func (r *ReducedSystem) Bytes() int64 {
	n := model.Bytes(r.System) + r.ownBytes()
	if r.quotient != nil {
		n += r.quotient.beneath.ownBytes()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.memories {
		n += m.bytes()
	}
	return n
}

// ownBytes returns the memory of Next.
func (r *ReducedSystem) ownBytes() int64 { return r.own.bytes() + r.vectors.states.Bytes() }

// Initial implements model.System.
func (r *ReducedSystem) Initial(yield func(state []model.Value) bool) error {
	w := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	defer w.count()
	state := make([]model.Value, len(r.Slots()))
	var failed error
	err := r.System.Initial(func(initial []model.Value) bool {
		var id uint64
		if id, failed = w.representative(w.numberedState(initial)); failed != nil {
			return false
		}
		w.Read(id, state)
		return yield(state)
	})
	if failed != nil {
		return failed
	}
	return err
}

// Next implements model.System. The state must be a representative.
func (r *ReducedSystem) Next(_ int, in []model.Value, out *model.Successors) error {
	w := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	_, err := w.Follow([]uint64{w.Number(in)}, func(_ int, step model.Step, to uint64) { w.Read(to, out.Add(step)) })
	return err
}

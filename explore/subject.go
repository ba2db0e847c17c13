package explore

import (
	"context"
	"errors"
	"fmt"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/effort"
	"ringcheck/model"
)

// ErrBudget means that Options.Memory is too small to begin with.
var ErrBudget = errors.New("memory budget too small")

// smallest is the memory that a search has from the start.
const smallest = 1 << 20

// A subject is what is searched and how: what does not change while a search runs, but for what its tree holds.
type subject struct {
	sys      model.System
	quotient model.Quotient // what sys is, or nil
	opt      Options
	store    *tree.Store
	classes  *tree.Classes // nil without an observer
	sleeps   bool          // transitions are left out: see tree.Sleep
	together int           // how many states a worker expands together
}

// newSubject checks what is asked for.
func newSubject(ctx context.Context, sys model.System, opt Options) (_ *subject, err error) {
	defer effort.Catch(&err)
	if opt.Memory != 0 && opt.Memory < smallest {
		return nil, fmt.Errorf("%w: a search takes at least %d bytes", ErrBudget, smallest)
	}
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	need := uint64(tree.Need(sys))
	if opt.Memory != 0 && need > opt.Memory || opt.Ceiling != 0 && need > opt.Ceiling {
		return nil, fmt.Errorf("%w: a search of %d slots and %d groups takes at least %d bytes",
			ErrBudget, len(sys.Slots()), len(sys.Groups()), need)
	}
	opt.Workers = opt.workers()
	s := &subject{sys: sys, opt: opt, together: max(1, min(stride, atOnce/max(1, len(sys.Groups()))))}
	s.quotient, _ = model.As[model.Quotient](sys)
	s.store = tree.NewStore(ctx, sys, opt.Tag)
	s.sleeps = !opt.NoSleepSets && s.store.Sleeps()
	if opt.Observer != nil {
		s.classes = s.store.Classes(opt.Observer)
	}
	return s, nil
}

// bytes returns the memory of the tree, the system and the classes.
func (s *subject) bytes() int64 { return s.store.Bytes() + model.Bytes(s.sys) + s.classes.Bytes() }

// interruptible makes what can take long for one state call check, until the function that it returns is called.
func (s *subject) interruptible(check func() error) (end func()) {
	i, ok := model.As[model.Interruptible](s.sys)
	interrupt := func(check func() error) {
		s.store.Interrupt(check)
		if ok {
			i.Interrupt(check)
		}
	}
	interrupt(check)
	return func() { interrupt(nil) }
}

// initial calls do with the initial states until it returns false.
func (s *subject) initial(do func(state []model.Value) bool) error {
	var invalid error
	err := s.sys.Initial(func(state []model.Value) bool {
		invalid = model.CheckInitial(state, len(s.sys.Slots()))
		return invalid == nil && do(state)
	})
	switch {
	case invalid != nil:
		err = invalid
	case errors.Is(err, errHalted):
		return nil
	}
	if err != nil {
		return fmt.Errorf("initial states: %w", err)
	}
	return nil
}

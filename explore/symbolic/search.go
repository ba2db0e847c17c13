package symbolic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A search computes the set of reachable states of one system.
type search struct {
	*diagram.Store
	out         model.Successors
	sys         model.System
	opt         Options
	begin       time.Time
	order       []int // by level: the slot
	relations   []*relation
	rows        intern.Arena  // the rows of all relations
	loops       int64         // the number of transitions of groups without slots, which every state has
	acting      bool          // whether some of these are not the environment's
	tops        [][]*relation // by level: the relations of which it is the highest
	restricting uint32        // the first operation of restrict
	lowest      int           // the lowest level that is the highest of some relation; -1 without relations

	stop       atomic.Int32 // an explore.Stop; Exhausted while the search runs
	modelError *model.Error
	invalid    error // of the system: model.ErrInvalid

	initial, reachable diagram.Node
	quiescent          diagram.Node   // the reachable states whose only transitions, if any, are the environment's
	levels             []diagram.Node // by distance, as far as computed; pinned
	levelsUnion        diagram.Node   // their union
	sample             atomic.Bool    // a count was requested
	states             atomic.Pointer[big.Int]
	lastSurvey         time.Time     // when the states were counted last
	surveyTime         time.Duration // how long that took
}

// smallest is the minimum memory budget of a search, in bytes.
const smallest = 1 << 20

// newSearch returns a search that has not started. The caller must close its store.
func newSearch(sys model.System, opt Options) (*search, error) {
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory
	}
	if opt.Memory < smallest {
		return nil, fmt.Errorf("%w: a symbolic search takes at least %d bytes", explore.ErrBudget, smallest)
	}
	s := &search{sys: sys, opt: opt, begin: time.Now(), order: opt.Order, lowest: -1}
	if s.order == nil {
		s.order = Order(sys)
	}
	s.relate()
	s.Store = diagram.New(opt.Memory / 8 * 7)
	s.states.Store(new(big.Int))
	return s, nil
}

// Cache operations that do not depend on a single relation.
const (
	opClosure = diagram.FirstFree + iota
	opSaturate
	opStep
	firstOfRelations
)

// An operationKind is an operation of the cache on one relation.
type operationKind uint32

// The kinds of operations.
const (
	stepping operationKind = iota
	saturating
	idling
	reversing
	operationKinds
)

// relate creates the relations of the groups.
func (s *search) relate() {
	level := make([]int, len(s.order))
	for l, slot := range s.order {
		level[slot] = l
	}
	depths := 0
	s.tops = make([][]*relation, len(s.order))
	for g, group := range s.sys.Groups() {
		if len(group.Slots) == 0 {
			continue
		}
		r := newRelation(depths, g, group, level)
		depths += len(group.Slots)
		s.relations = append(s.relations, r)
		top := r.levels[0]
		s.tops[top] = append(s.tops[top], r)
		s.lowest = max(s.lowest, top)
	}
	s.restricting = firstOfRelations + uint32(operationKinds)*uint32(depths)
}

// run calls main, which must return soon after ctx is done.
func (s *search) run(ctx context.Context, main func()) {
	stop := context.AfterFunc(ctx, func() { s.halt(explore.StopFor(ctx)) })
	defer stop()
	main()
	if s.Full() {
		s.halt(explore.MemoryLimit)
	}
}

// halt stops the search; only the first reason counts.
func (s *search) halt(why explore.Stop) {
	s.stop.CompareAndSwap(int32(explore.Exhausted), int32(why))
	s.Halt()
}

func (s *search) why() explore.Stop { return explore.Stop(s.stop.Load()) }

// fail ends the search because the system has a transition that cannot be represented. All short vectors that it is
// asked for are parts of reachable states.
func (s *search) fail(err error) {
	if s.modelError != nil || s.invalid != nil {
		return
	}
	if errors.Is(err, model.ErrInvalid) {
		s.invalid = fmt.Errorf("expand a state: %w", err)
		s.halt(explore.Interrupted)
		return
	}
	s.modelError = model.AsError(err)
	s.halt(explore.ModelFailure)
}

// bytes returns the memory that the search holds.
func (s *search) bytes() int64 {
	n := s.Bytes() + s.rows.Bytes() + model.Bytes(s.sys)
	for _, r := range s.relations {
		n += r.bytes()
	}
	return n
}

// start computes the set of initial states.
func (s *search) start() error {
	if err := s.countLoops(); err != nil {
		s.fail(err)
	}
	err := s.unite()
	s.Pin(s.initial)
	s.Release(0)
	s.states.Store(s.count(s.initial))
	if err != nil {
		return fmt.Errorf("initial states: %w", err)
	}
	return nil
}

// unite sets s.initial to the set of initial states.
func (s *search) unite() error {
	vector := make([]model.Value, len(s.order))
	if values := model.InitialValues(s.sys); values != nil {
		byLevel := make([][]model.Value, len(values))
		for level, slot := range s.order {
			byLevel[level] = values[slot]
		}
		s.initial = s.Hold(s.Product(byLevel))
		return nil
	}
	var invalid error
	err := s.sys.Initial(func(state []model.Value) bool {
		if invalid = model.CheckInitial(state, len(vector)); invalid != nil {
			return false
		}
		for level, slot := range s.order {
			vector[level] = state[slot]
		}
		n := s.Hold(s.Vector(vector))
		s.initial = s.Union(s.initial, n)
		s.Release(0)
		s.Hold(s.initial)
		return !s.Halted()
	})
	return cmp.Or(invalid, err)
}

// countLoops counts the transitions of the groups without slots.
func (s *search) countLoops() error {
	for g, group := range s.sys.Groups() {
		if len(group.Slots) > 0 {
			continue
		}
		if err := model.Ask(s.sys, g, nil, &s.out); err != nil {
			return err
		}
		s.loops += int64(s.distinct())
		s.acting = s.acting || s.out.Len() > 0 && !group.Environment
	}
	return nil
}

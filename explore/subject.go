package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/internal/memo"
	"ringcheck/model"
)

// ErrBudget means that Options.Memory is too small for a search to begin.
var ErrBudget = errors.New("memory budget too small")

// smallest is the minimum memory budget of a search, in bytes.
const smallest = 1 << 20

// A subject is the system that is searched, with the options. It does not change during a search, except for the
// content of its tree.
type subject struct {
	sys           model.System
	quotient      model.Quotient // sys as a quotient, or nil
	opt           Options
	store         *tree.Store
	classes       *tree.Classes // nil without an observer
	sleeps        bool          // whether there are sleep sets: see tree.Sleep
	expansionSize int           // the number of states that a worker expands together
}

// newSubject checks the system and the options.
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
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.ProgressEvery <= 0 {
		opt.ProgressEvery = time.Second
	}
	s := &subject{sys: sys, opt: opt}
	s.expansionSize = max(1, min(statesPerExpansion, workPerExpansion/max(1, len(sys.Groups()))))
	s.quotient, _ = model.As[model.Quotient](sys)
	var codec model.Codec
	if opt.Store != nil {
		var ok bool
		if codec, ok = model.As[model.Codec](sys); !ok {
			return nil, fmt.Errorf("%w: see model.Codec", ErrUnnamed)
		}
	}
	s.store = tree.NewStore(ctx, sys, opt.Tag, codec)
	s.store.Map()
	s.sleeps = !opt.NoSleepSets && s.store.Sleeps()
	if opt.Observer != nil {
		s.classes = s.store.Classes(opt.Observer)
	}
	return s, nil
}

// bytes returns the memory of the tree, the system and the classes.
func (s *subject) bytes() int64 { return s.store.Bytes() + model.Bytes(s.sys) + s.classes.Bytes() }

// interruptible makes long work on one state call check, until the function that it returns is called.
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

// eachInitial calls do with the initial states until it returns false.
func (s *subject) eachInitial(do func(state []model.Value) bool) error {
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

// An Observer divides states into classes, part by part: the class of a part depends only on the classes of its halves.
// It is a bottom-up tree automaton. A class that was computed once costs a few memory reads afterwards. The functions
// that it returns are deterministic; many goroutines call them, mostly once for each argument.
type Observer interface {
	// Leaf returns the function from the values of a slot to classes.
	Leaf(slot int) func(v model.Value) uint32
	// Join returns the function from a class of the slots first to mid-1 and a class of the slots mid to end-1 to their
	// class together. The class of no slots is 0. Classes are below 2^32-1.
	Join(first, mid, end int) func(left, right uint32) uint32
}

// Chain returns the functions of an observer that reads a state from the last slot to the first. For each slot, leaves
// maps values to classes, and joins maps the class of the slot and the class of all later slots to their class
// together. The functions cache their results, because evaluating a formula takes long, and are for one goroutine.
func Chain(o Observer, slots int) (leaves []func(v model.Value) uint32, joins []func(left, right uint32) uint32) {
	for slot := range slots {
		join := o.Join(slot, slot+1, slots)
		known := memo.Of(func(pair uint64) uint32 { return join(intern.Split(pair)) })
		leaves = append(leaves, memo.Of(o.Leaf(slot)))
		joins = append(joins, func(left, right uint32) uint32 { return known(intern.Pair(left, right)) })
	}
	return leaves, joins
}

// An Observation has the number of states of one class that a search has found, and examples of them.
type Observation struct {
	All       Sighting // the states of the class
	Quiescent Sighting // those without transitions but the environment's, terminal ones included
}

// A Sighting counts states and holds one of the first. If Count is 0, Level and State have no meaning.
type Sighting struct {
	Count uint64
	Level int           // the first BFS level with such a state
	State []model.Value // of those on that level the least in readable form
	found bool
}

// sightings are the observations of one goroutine.
type sightings struct {
	of    *subject
	tree  *tree.Worker
	state []model.Value // the state that is examined
	// untilFlag is set when Options.Until returns true.
	untilFlag *atomic.Bool
	byClass   []Observation // by class
}

func newSightings(of *subject, w *tree.Worker, untilFlag *atomic.Bool) *sightings {
	return &sightings{of: of, tree: w, state: make([]model.Value, len(of.sys.Slots())), untilFlag: untilFlag}
}

// orbit returns the number of states of the original system that a stored state represents.
func (s *sightings) orbit(id tree.StateID) uint64 {
	if s.of.quotient == nil {
		return 1
	}
	if n, known := s.tree.OrbitSize(id); known {
		return n
	}
	s.tree.Vector(id, s.state)
	return s.of.quotient.OrbitSize(s.state)
}

// observe records the class of a state, which represents n states of a level, when it is new and again when it turns
// out to be quiescent.
func (s *sightings) observe(id tree.StateID, n uint64, level int, quiescent bool) {
	if s.of.classes == nil {
		return
	}
	class := s.of.classes.Of(id)
	for uint32(len(s.byClass)) <= class {
		s.byClass = append(s.byClass, Observation{})
	}
	g := &s.byClass[class].All
	if quiescent {
		g = &s.byClass[class].Quiescent
	}
	if !g.found && s.of.opt.Until != nil && s.of.opt.Until(class, level, quiescent) {
		s.untilFlag.Store(true)
	}
	s.add(g, id, n, level)
}

// add counts n states of a level, all represented by the one stored with this ID.
func (s *sightings) add(g *Sighting, id tree.StateID, n uint64, level int) {
	g.Count += n
	switch {
	case !g.found:
		g.Level, g.found = level, true
		g.State = make([]model.Value, len(s.state))
		s.tree.Vector(id, g.State)
	case g.Level == level:
		s.tree.Vector(id, s.state)
		if model.Compare(s.of.sys, s.state, g.State) < 0 {
			copy(g.State, s.state)
		}
	}
}

// merge adds the observations of another worker.
func (g *Sighting) merge(sys model.System, h *Sighting) {
	count := g.Count + h.Count
	if h.found && (!g.found || h.Level < g.Level || h.Level == g.Level && model.Compare(sys, h.State, g.State) < 0) {
		*g = *h
	}
	g.Count = count
}

// observations returns the merged observations of some workers, by class.
func observations(all ...*sightings) []Observation {
	var sum []Observation
	for _, s := range all {
		for class := range s.byClass {
			if class == len(sum) {
				sum = append(sum, Observation{})
			}
			sum[class].All.merge(s.of.sys, &s.byClass[class].All)
			sum[class].Quiescent.merge(s.of.sys, &s.byClass[class].Quiescent)
		}
	}
	return sum
}

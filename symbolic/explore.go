package symbolic

import (
	"cmp"
	"context"
	"math/big"
	"time"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/symbolic/internal/diagram"
)

// A Strategy says in which order transitions are taken. The set of reachable states is the same.
type Strategy int

// The strategies.
const (
	// Saturation takes transitions from the lowest level up, those of each part of a state until nothing is new before those
	// of a larger part. It takes the least memory, see docs/symbolic.md.
	Saturation Strategy = iota
	// Chaining takes all groups in turn, each from what the ones before have found, until nothing is new.
	Chaining
	// BreadthFirst takes one transition at a time, and so finds out the distance of each state.
	BreadthFirst
)

func (s Strategy) String() string {
	switch s {
	case Saturation:
		return "saturation"
	case Chaining:
		return "chaining"
	case BreadthFirst:
		return "breadth-first"
	}
	return "unknown"
}

// defaultMemory is the budget if none is given.
const defaultMemory = 4 << 30

// Options say how, and with what means, to search. The zero value saturates with all cores.
type Options struct {
	Strategy Strategy
	// Order is the slots from the highest level to the lowest; nil means as Order finds.
	Order []int
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
	// Memory is the budget in bytes; 0 means 4 GiB. What is not used of it takes none. The search stops there.
	Memory uint64
	// Progress, if not nil, is called every ProgressEvery (default: 1 s) from a goroutine of its own; never twice at once and
	// never after the search has returned.
	Progress      func(Progress)
	ProgressEvery time.Duration
}

// Progress is a snapshot of a running search.
type Progress struct {
	Level   int      // that is being made, with BreadthFirst
	States  *big.Int // at least
	Nodes   int64    // in memory, garbage included
	Bytes   uint64
	Elapsed time.Duration
}

// A Result is what a search found.
type Result struct {
	Stop        explore.Stop
	States      *big.Int // distinct reachable states
	Transitions *big.Int
	Deadlocks   *big.Int // states without transitions
	// EnvironmentOnly is the states that have transitions, all of which are the environment's.
	EnvironmentOnly *big.Int
	Levels          []*big.Int // states by distance from the initial ones, with BreadthFirst; else nil
	Nodes           int64      // of the set of reachable states
	Arcs            int64      // of these
	PeakNodes       int64      // the most in memory at any time, garbage that was not collected yet included
	Bytes           uint64     // held at the end
	Workers         int
	Order           []int
	Elapsed         time.Duration
	Fault           *model.Fault // why, if Stop is Faulted
}

// Complete reports whether the set of reachable states is complete.
func (r *Result) Complete() bool { return r.Stop == explore.Exhausted }

// Run finds the reachable states of sys and counts. A run that is stopped early is not an error: Result.Stop says why, and the
// counts are lower bounds. Only the states are counted then unless there is time for more. A panic of sys is handed on to the
// caller as a *crew.Panic.
func Run(ctx context.Context, sys model.System, opt Options) (*Result, error) {
	s, err := Explore(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Result(), nil
}

// A Space is a set of reachable states.
type Space struct {
	search *search
	result *Result
}

// Explore is Run and keeps the states. The caller closes the Space.
func Explore(ctx context.Context, sys model.System, opt Options) (*Space, error) {
	s, err := newSearch(sys, opt)
	if err != nil {
		return nil, err
	}
	space := &Space{search: s}
	done := false
	defer func() {
		if !done { // an error, or a panic of the system
			space.Close()
		}
	}()
	quiet := s.report()
	defer quiet()
	s.run(ctx, func(w *worker) {
		if err = w.start(); err == nil {
			w.explore()
		}
	})
	if err = cmp.Or(err, s.invalid); err != nil {
		return nil, err
	}
	space.result = s.finish(ctx)
	done = true
	return space, nil
}

// Close gives the memory back.
func (s *Space) Close() { s.search.store.Close() }

// Result returns what was found.
func (s *Space) Result() *Result { return s.result }

// explore finds the reachable states.
func (w *worker) explore() {
	switch w.opt.Strategy {
	case BreadthFirst:
		w.breadthFirst()
	case Chaining:
		w.chain()
	default:
		w.extend(w.closure(w.initial, 0))
	}
}

// extend notes that the states in n are reachable; those that were known are among them.
func (s *search) extend(n diagram.Node) {
	s.store.Pin(n)
	s.store.Unpin(s.reached)
	s.reached = n
}

// breadthFirst finds the states level by level.
func (w *worker) breadthFirst() {
	for w.deeper() {
		w.extend(w.seen)
		w.sizes = append(w.sizes, w.count(w.levels[len(w.levels)-1]))
		w.states.Store(new(big.Int).Add(w.states.Load(), w.sizes[len(w.sizes)-1]))
		w.level.Store(int64(len(w.levels)))
	}
}

// deeper works out one more level. It returns false if there is none, or the store is halted.
func (w *worker) deeper() bool {
	mark := w.Mark()
	defer w.Release(mark)
	next := w.initial
	if last := len(w.levels) - 1; last >= 0 {
		next = w.Difference(w.Hold(w.step(w.levels[last], 0)), w.seen)
	}
	if next == diagram.Empty {
		return false
	}
	w.levels = append(w.levels, w.store.Pin(next))
	seen := w.store.Pin(w.Union(w.seen, next))
	w.store.Unpin(w.seen)
	w.seen = seen
	return !w.store.Halted() || len(w.levels) == 1
}

// step returns where the relations that begin at the given level or below lead from the vectors in n.
func (w *worker) step(n diagram.Node, level int) diagram.Node {
	if level > w.lowest || n == diagram.Empty {
		return diagram.Empty
	}
	key := diagram.Key{Operation: opStep, Parameter: uint32(level), A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	if w.Poll() {
		return diagram.Empty
	}
	b := w.Builder()
	for _, a := range w.Arcs(n) {
		mark := w.Mark()
		b.Add(w.Worker, a.Value, w.Hold(w.step(a.To, level+1)))
		w.Release(mark)
	}
	for _, r := range w.tops[level] {
		for _, a := range w.Arcs(n) {
			w.after(b, r, a, false)
		}
	}
	result := b.Finish(w.Worker)
	w.Store(key, result)
	return result
}

// chain finds the states by going through all groups again and again.
func (w *worker) chain() {
	w.extend(w.initial)
	for before := diagram.Empty; before != w.reached && !w.store.Halted(); {
		before = w.reached
		w.extend(w.chained(w.reached, 0))
		if w.wanted() {
			w.survey(w.reached)
		}
	}
}

// chained returns the vectors in n and more that are reachable from them by the relations that begin at the given level or
// below, those that begin lower being taken first: whatever one of them leads to at least, and more.
func (w *worker) chained(n diagram.Node, level int) diagram.Node {
	if level > w.lowest || n == diagram.Empty {
		return n
	}
	key := diagram.Key{Operation: opChain, Parameter: uint32(level), A: n}
	if result, ok := w.Load(key); ok {
		return result
	}
	if w.Poll() {
		return n
	}
	b := w.Builder()
	for _, a := range w.Arcs(n) {
		mark := w.Mark()
		b.Add(w.Worker, a.Value, w.Hold(w.chained(a.To, level+1)))
		w.Release(mark)
	}
	for _, r := range w.tops[level] {
		for i := range len(b.Arcs) {
			mark := w.Mark()
			w.Hold(b.Arcs[i].To)
			w.after(b, r, b.Arcs[i], false)
			w.Release(mark)
		}
	}
	result := b.Finish(w.Worker)
	w.Store(key, result)
	return result
}

// finish counts.
func (s *search) finish(ctx context.Context) *Result {
	r := &Result{Workers: s.opt.Workers, Order: s.order, Levels: s.sizes, Fault: s.fault, PeakNodes: s.store.Peak()}
	r.Bytes = uint64(s.bytes())
	s.tally(ctx, r)
	r.Stop = s.why()
	r.Elapsed = time.Since(s.begin)
	return r
}

// A Size is that of a set of states.
type Size struct {
	States *big.Int
	Nodes  int64 // of its diagram
	Arcs   int64
}

// Prefix returns the size of the set of the states at a distance of at most i from the initial ones, for each i below levels, as
// far as there are more: how a diagram grows while the states do. It ends early, without an error, when it is stopped.
func Prefix(ctx context.Context, sys model.System, opt Options, levels int) ([]Size, error) {
	s, err := newSearch(sys, opt)
	if err != nil {
		return nil, err
	}
	defer s.store.Close()
	var sizes []Size
	s.run(ctx, func(w *worker) {
		if err = w.start(); err != nil {
			return
		}
		for len(sizes) < levels && w.deeper() {
			c := take(s.store, w.seen, len(s.order), s.store.Halted)
			if c == nil {
				return
			}
			sizes = append(sizes, Size{c.total(), c.nodes(), c.arcs})
		}
	})
	return sizes, err
}

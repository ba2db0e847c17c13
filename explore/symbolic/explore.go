package symbolic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/model"
)

// defaultMemory is the default of Options.Memory.
const defaultMemory = 4 << 30

// Options configure a search.
type Options struct {
	// Order lists the slots from the highest level to the lowest; nil means the result of the function Order.
	Order []int
	// Memory is the budget in bytes, allocated as needed; 0 means 4 GiB. The search stops when it is used up.
	Memory uint64
	// Progress, if not nil, is called every ProgressEvery (default: 1 s) from a goroutine of its own; never
	// concurrently and never after the search has returned.
	Progress      func(explore.Progress)
	ProgressEvery time.Duration
}

// Progress is a snapshot of a running search.
type Progress struct {
	States *big.Int // a lower bound
	Nodes  int64    // in memory, including garbage
	Bytes  uint64
	Time   time.Duration
}

// Elapsed returns the time since the search began.
func (p Progress) Elapsed() time.Duration { return p.Time }

func (p Progress) String() string {
	return fmt.Sprintf("states at least %s  nodes %s  memory %s",
		humanize.BigComma(p.States), humanize.Comma(p.Nodes), humanize.IBytes(p.Bytes))
}

// A Result has the counts of a symbolic search, the sizes of its diagrams, and how it ended.
type Result struct {
	Stop           explore.Stop
	States         *big.Int // distinct reachable states
	Transitions    *big.Int
	TerminalStates *big.Int // states without transitions
	// EnvironmentOnly is the number of states whose only transitions are the environment's.
	EnvironmentOnly *big.Int
	Nodes           int64  // the number of nodes of the set of reachable states
	Arcs            int64  // the number of arcs of these
	PeakNodes       int64  // the maximum number in memory, including garbage
	Bytes           uint64 // the memory at the end, in bytes
	Order           []int
	Elapsed         time.Duration
	ModelError      *model.Error // why, if Stop is ModelFailure
}

// Complete reports whether the set of reachable states is complete.
func (r *Result) Complete() bool { return r.Stop == explore.Exhausted }

// Run finds and counts the reachable states of sys. Stopping early is not an error: Result.Stop gives the reason, the
// counts are lower bounds, and transitions are counted only if time allows. A panic of sys propagates to the caller.
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

// Explore is like Run but keeps the states. The caller must close the Space.
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
	s.run(ctx, func() {
		if err = s.start(); err == nil {
			s.reachable = s.Pin(s.closure(s.initial, unconstrained, 0))
		}
	})
	if err = cmp.Or(err, s.invalid); err != nil {
		return nil, err
	}
	space.result = s.finish(ctx)
	done = true
	return space, nil
}

// Close frees the memory.
func (s *Space) Close() { s.search.Store.Close() }

// Result returns the counts of the search.
func (s *Space) Result() *Result { return s.result }

// addLevel computes the next level of a breadth-first search. It returns false if no state is new or the store is
// halted.
func (s *search) addLevel() bool {
	mark := s.Mark()
	defer s.Release(mark)
	next := s.initial
	if last := len(s.levels) - 1; last >= 0 {
		next = s.Difference(s.Hold(s.step(s.levels[last], 0)), s.levelsUnion)
	}
	if next == diagram.Empty {
		return false
	}
	s.levels = append(s.levels, s.Pin(next))
	seen := s.Pin(s.Union(s.levelsUnion, next))
	s.Unpin(s.levelsUnion)
	s.levelsUnion = seen
	return !s.Halted() || len(s.levels) == 1
}

// step returns the image of the vectors in n under the relations that begin at the given level or below.
func (s *search) step(n diagram.Node, level int) diagram.Node {
	if level > s.lowest || n == diagram.Empty {
		return diagram.Empty
	}
	key := diagram.Key{Operation: opStep, Parameter: uint32(level), A: n}
	if result, ok := s.LookUp(key); ok {
		return result
	}
	if s.Halted() {
		return diagram.Empty
	}
	b := s.Builder()
	for _, a := range s.Arcs(n) {
		mark := s.Mark()
		b.Add(s.Store, a.Value, s.Hold(s.step(a.To, level+1)))
		s.Release(mark)
	}
	for _, r := range s.tops[level] {
		for _, a := range s.Arcs(n) {
			s.addImage(b, r, a, false)
		}
	}
	result := b.Finish(s.Store)
	s.Cache(key, result)
	return result
}

// finish returns the result, with counts.
func (s *search) finish(ctx context.Context) *Result {
	r := &Result{Order: s.order, ModelError: s.modelError, PeakNodes: s.Peak()}
	r.Bytes = uint64(s.bytes())
	s.tally(ctx, r)
	r.Stop = s.why()
	r.Elapsed = time.Since(s.begin)
	return r
}

// A Size is the size of a set of states.
type Size struct {
	States *big.Int
	Nodes  int64 // the number of nodes of its diagram
	Arcs   int64
}

// Prefix returns, for i = 0, 1 and so on, the size of the set of states at a distance of at most i from the initial
// ones, until the set has many states or no longer grows. It shows how the diagram grows with the number of states. If
// it is stopped, it returns early, without an error.
func Prefix(ctx context.Context, sys model.System, opt Options, many int64) ([]Size, error) {
	s, err := newSearch(sys, opt)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var sizes []Size
	s.run(ctx, func() {
		if err = s.start(); err != nil {
			return
		}
		for s.addLevel() {
			c := s.take(s.levelsUnion, s.Halted)
			if c.late {
				return
			}
			sizes = append(sizes, Size{c.total, c.nodes(), c.arcs})
			if c.total.Cmp(big.NewInt(many)) >= 0 {
				return
			}
		}
	})
	return sizes, err
}

// watchEvery is the interval between checks of the memory outside the diagrams.
const watchEvery = 100 * time.Millisecond

// report watches the memory and periodically calls Options.Progress until the returned function is called.
func (s *search) report() (quiet func()) {
	meter := explore.NewProgressMeter(s.opt.Progress, s.opt.ProgressEvery)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		watch := time.NewTicker(watchEvery)
		defer watch.Stop()
		for {
			select {
			case <-end:
				return
			case <-watch.C:
				if uint64(s.bytes()) > s.opt.Memory {
					s.halt(explore.MemoryLimit)
				}
				if meter.Due(time.Since(s.begin)) {
					meter.Report(s.progress())
				}
			}
		}
	}()
	return func() { close(end); <-ended }
}

func (s *search) progress() Progress {
	s.sample.Store(true)
	return Progress{
		States: s.states.Load(),
		Nodes:  s.Nodes(),
		Bytes:  uint64(s.bytes()),
		Time:   time.Since(s.begin),
	}
}

// surveyShare limits counting for progress reports to about 1/surveyShare of the time.
const surveyShare = 20

// wanted reports whether a count was requested and is cheap enough.
func (s *search) wanted() bool {
	return s.sample.Load() && time.Since(s.lastSurvey) > surveyShare*s.surveyTime
}

// survey counts the states in n for progress reports.
func (s *search) survey(n diagram.Node) {
	begin := time.Now()
	s.sample.Store(false)
	if states := s.count(n); states.Cmp(s.states.Load()) > 0 {
		s.states.Store(states)
	}
	s.lastSurvey, s.surveyTime = time.Now(), time.Since(begin)
}

// The thresholds of Advise.
const (
	manyStates = 8    // the minimum number of states per node
	slowGrowth = 0.75 // the maximum exponent e if the number of nodes grows as states^e
)

// Advise predicts whether the symbolic engine is faster, from the growth of the diagram over the last levels in which
// the number of states grew by a factor of 16: a diagram of states that share many parts is small. Diagrams can grow
// differently in later levels.
func Advise(sizes []Size) (symbolic bool, why string) {
	last := len(sizes) - 1
	end := sizes[last]
	from := last - 1
	for from > 0 && ratio(end.States, sizes[from].States) < 16 {
		from--
	}
	states, nodes := ratio(end.States, sizes[from].States), float64(end.Nodes)/float64(sizes[from].Nodes)
	engine, slow := "explicit", math.Log(nodes) <= slowGrowth*math.Log(states)
	if slow && ratio(end.States, big.NewInt(end.Nodes)) >= manyStates {
		engine, symbolic = "symbolic", true
	}
	return symbolic, fmt.Sprintf("--engine %s is likely to be faster: "+
		"the first %d levels have %v states in a diagram of %d nodes; "+
		"over the last %d of them states grew by a factor of %.1f and nodes by %.1f",
		engine, len(sizes), end.States, end.Nodes, last-from, states, nodes)
}

func ratio(a, b *big.Int) float64 {
	r, _ := new(big.Rat).SetFrac(a, b).Float64()
	return r
}

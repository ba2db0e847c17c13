package hunt

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/crew"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// Options say how to hunt.
type Options struct {
	Workers   int    // at least 1
	Seed      uint64 // determines all random choices of one worker
	MaxStates uint64 // stop when so many states are visited; 0: no limit
	Memory    uint64 // budget in bytes; 0: no limit
}

// A Report says what was tried.
type Report struct {
	States     uint64       `json:"states"`  // visited, with repetitions
	Deepest    int          `json:"deepest"` // the length of the longest run that was followed
	Strategies []Tried      `json:"strategies"`
	By         string       `json:"by,omitempty"` // the strategy that found something
	Stop       explore.Stop `json:"-"`            // Matched or Faulted if something was found, never Exhausted
}

// Tried says how often a kind of strategy began, and how many states it visited.
type Tried struct {
	Name   string `json:"name"`
	Runs   int    `json:"runs"`
	States uint64 `json:"states"`
}

// A Find is a run from an initial state to one that breaks a property or, if that is nil, shows a fault of the model.
type Find struct {
	Property *ir.Property
	Fault    error
	Moves    []model.Move
}

// kinds are the kinds of strategies: what makes one for a hunter, to visit so many states and hold so many bytes.
var kinds = []kind{{"archive", newArchive}, {"random runs", newRuns}}

type kind struct {
	name string
	new  func(h *hunter, visits, bytes int) *archive
}

const (
	slice = 20_000  // the states that a strategy visits before it is the turn of the next
	life  = 200_000 // the least number of states that it visits in all

	mostHeld  = 4 << 30 // bytes that strategies hold in all, if there is as much memory
	mostGoals = 64
)

// A hunt is what the workers share.
type hunt struct {
	ctx    context.Context
	sys    *compile.System
	goals  []*ir.Property
	opt    Options
	starts [][]model.Value
	states atomic.Uint64
	over   atomic.Bool

	mu     sync.Mutex
	report Report
	found  *find
	err    error
}

// Run looks for a run that breaks one of some invariants and terminal properties, until ctx or a limit ends it. The
// result is nil if there is none among those it followed, which says nothing of others. One worker does the same each
// time with the same seed; with several, it depends on their speed which finds something first, and which numbers the
// system gives to values. The error is a *verify.EvalError, a fault of an initial state, or that there are too many
// properties.
func Run(ctx context.Context, sys *compile.System, goals []*ir.Property, opt Options) (*Find, *Report, error) {
	if len(goals) > mostGoals {
		return nil, nil, errors.New("a hunt is for 64 properties at most")
	}
	h := &hunt{ctx: ctx, sys: sys, goals: goals, opt: opt}
	for _, k := range kinds {
		h.report.Strategies = append(h.report.Strategies, Tried{Name: k.name})
	}
	defer context.AfterFunc(ctx, func() { h.over.Store(true) })()
	if err := h.begin(); err != nil {
		return nil, nil, err
	}
	c := crew.Crew{OnPanic: func() { h.over.Store(true) }}
	for w := range opt.Workers {
		c.Go(func() { h.end(h.work(uint64(w))) })
	}
	c.Wait()
	switch {
	case h.found != nil:
		h.report.Stop = explore.Matched
		if h.found.fault != nil {
			h.report.Stop = explore.Faulted
		}
		return &Find{h.found.goal, h.found.fault, h.moves(h.found)}, &h.report, nil
	case ctx.Err() != nil:
		h.report.Stop = explore.StopFor(ctx)
		return nil, &h.report, nil
	}
	return nil, &h.report, h.err
}

// begin chooses initial states: some of the first, each with the same probability.
func (h *hunt) begin() error {
	const among, most = 1 << 16, 1 << 10
	rng := rand.New(rand.NewPCG(h.opt.Seed, 0))
	n := 0
	return h.sys.Initial(func(s []model.Value) bool {
		if n++; len(h.starts) < most {
			h.starts = append(h.starts, slices.Clone(s))
		} else if i := rng.IntN(n); i < most {
			copy(h.starts[i], s)
		}
		return n < among && !h.over.Load()
	})
}

// work lets strategies of all kinds take turns. When one has come to its end, another one of its kind begins.
func (h *hunt) work(number uint64) (me *hunter) {
	me = newHunter(h, rand.New(rand.NewPCG(h.opt.Seed, number+1)))
	defer effort.Catch(&me.err)
	alive := make([]*archive, len(kinds))
	held := int(min(cmp.Or(h.opt.Memory, mostHeld), mostHeld)) / (2 * h.opt.Workers * len(kinds))
	for turn := 0; !h.over.Load(); turn++ {
		k := turn % len(kinds)
		tried := &me.tried[k]
		if alive[k] == nil {
			tried.Runs++
			me.focus, me.seen = (tried.Runs+int(number))%len(h.goals), nil
			alive[k] = kinds[k].new(me, life*luby(tried.Runs), held)
		}
		before := me.visited
		if !alive[k].search(slice) {
			alive[k] = nil
		}
		tried.States += me.visited - before
		if me.found != nil {
			me.by = kinds[k].name
			return me
		}
		h.limit(h.states.Add(me.visited - before))
	}
	return me
}

// luby returns element i of 1, 1, 2, 1, 1, 2, 4, …, the sequence of Luby, Sinclair, Zuckerman 1993: most
// strategies live shortly, few long.
func luby(i int) int {
	k := bits.Len(uint(i))
	if i == 1<<k-1 {
		return 1 << (k - 1)
	}
	return luby(i - 1<<(k-1) + 1)
}

// limit ends the hunt if a limit is reached.
func (h *hunt) limit(states uint64) {
	stop := explore.StateLimit
	if h.opt.MaxStates == 0 || states < h.opt.MaxStates {
		stop = explore.MemoryLimit
		if h.opt.Memory == 0 || uint64(h.sys.Bytes()) < h.opt.Memory/2 {
			return
		}
	}
	h.over.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Stop = stop
}

// end adds what a worker did to the report.
func (h *hunt) end(me *hunter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found == nil && me.found != nil {
		h.found, h.report.By = me.found, me.by
	}
	h.err = cmp.Or(h.err, me.err)
	if me.found != nil || me.err != nil {
		h.over.Store(true)
	}
	h.report.Deepest = max(h.report.Deepest, me.deepest)
	h.report.States += me.visited
	for k, t := range me.tried {
		h.report.Strategies[k].Runs += t.Runs
		h.report.Strategies[k].States += t.States
	}
}

// moves takes the run that was found again.
func (h *hunt) moves(f *find) []model.Move {
	w := newWalker(h.sys, nil)
	w.goTo(h.starts[f.start])
	moves := []model.Move{{State: slices.Clone(w.state)}}
	for _, e := range f.edges {
		step := w.step(e)
		w.take(e)
		moves = append(moves, model.Move{Step: step, State: slices.Clone(w.state)})
	}
	return moves
}

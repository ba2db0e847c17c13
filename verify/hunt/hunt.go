package hunt

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/workers"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
)

// Options configure a hunt.
type Options struct {
	Workers   int    // at least 1
	Seed      uint64 // determines all random choices if there is one worker
	MaxStates uint64 // stop when this many states have been visited, or somewhat more; 0: no limit
	Memory    uint64 // budget in bytes; 0: no limit
}

// Attempts describe the strategies that were tried.
type Attempts struct {
	States     uint64       `json:"states"`  // visited, with repetitions
	Deepest    int          `json:"deepest"` // the length of the longest run that was followed
	Strategies []Attempt    `json:"strategies"`
	By         string       `json:"by,omitempty"` // the strategy that found something
	Stop       explore.Stop `json:"-"`            // Matched or ModelFailure if something was found, never Exhausted
}

// An Attempt counts the runs of a kind of strategy, and the states they visited.
type Attempt struct {
	Name   string `json:"name"`
	Runs   int    `json:"runs"`
	States uint64 `json:"states"`
}

// A Find is a run from an initial state to a state that violates Property or, if that is nil, has a model error. If
// Invalid is not nil, Property has no value there.
type Find struct {
	Property   *ir.Property
	Invalid    error // an *ir.Error
	ModelError *model.Error
	Moves      []model.Move

	start int // the number of the initial state
	edges []edge
}

// kinds are the kinds of strategies, each with its constructor: for a hunter, a number of states to visit and of bytes
// to hold.
var kinds = []kind{{"archive", newArchive}, {"random runs", newRuns}}

type kind struct {
	name string
	new  func(h *hunter, visits, bytes int) *archive
}

const (
	slice    = 20_000  // the states that a strategy visits in one turn
	life     = 200_000 // the least visits of a strategy in all; every 2^k-th one has at least 2^k times as many
	mostHeld = 4 << 30 // the maximum memory of all strategies together, in bytes; less if the budget is smaller
)

// A hunt is the data shared by the workers.
type hunt struct {
	ctx    context.Context
	sys    *compile.System
	goals  []*ir.Property
	opt    Options
	starts [][]model.Value
	states atomic.Uint64
	over   atomic.Bool
	// invalid has, by goal, a run to a state in which it has no value.
	invalid []atomic.Pointer[Find]

	mu       sync.Mutex
	attempts Attempts
	result   *Find
	err      error
}

// Run looks for a run that breaks one of the first 64 of some invariants and terminal properties, until ctx or a limit
// ends it. The result is nil if none of the runs that it followed violates one; others may. If a property has no value
// in some state, Run goes on with the others, and returns a run to that state if it finds nothing else.
//
// With one worker, the same seed gives the same result; with several, the result depends on timing, as does the
// numbering of values by the system. The error is a model error of an initial state.
func Run(ctx context.Context, sys *compile.System, goals []*ir.Property, opt Options) (*Find, *Attempts, error) {
	h := &hunt{ctx: ctx, sys: sys, goals: goals[:min(len(goals), 64)], opt: opt}
	h.invalid = make([]atomic.Pointer[Find], len(h.goals))
	for _, k := range kinds {
		h.attempts.Strategies = append(h.attempts.Strategies, Attempt{Name: k.name})
	}
	defer context.AfterFunc(ctx, func() { h.over.Store(true) })()
	if err := h.begin(); err != nil {
		return nil, nil, err
	}
	c := workers.Group{OnPanic: func() { h.over.Store(true) }}
	for w := range opt.Workers {
		c.Go(func() { h.add(h.work(uint64(w))) })
	}
	c.Wait()
	switch {
	case h.result != nil:
		if h.attempts.Stop = explore.Matched; h.result.ModelError != nil {
			h.attempts.Stop = explore.ModelFailure
		}
		h.result.replay(h)
	case ctx.Err() != nil:
		h.attempts.Stop, h.err = explore.StopFor(ctx), nil
	}
	if h.result == nil && h.err == nil {
		h.result = h.firstInvalid()
	}
	return h.result, &h.attempts, h.err
}

// recordInvalid records a run to a state in which a goal has no value. The hunt ends if there is one for each goal.
func (h *hunt) recordInvalid(goal int, f *Find) {
	h.invalid[goal].CompareAndSwap(nil, f)
	for i := range h.invalid {
		if h.invalid[i].Load() == nil {
			return
		}
	}
	h.end(explore.ModelFailure)
}

// firstInvalid returns a run to a state in which a goal has no value, for the first such goal; nil if all have values.
func (h *hunt) firstInvalid() *Find {
	for i := range h.invalid {
		if f := h.invalid[i].Load(); f != nil {
			f.replay(h)
			return f
		}
	}
	return nil
}

// begin chooses initial states, uniformly among the first ones.
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

// work runs strategies of all kinds in turns. When one ends, another of the same kind begins.
func (h *hunt) work(number uint64) (me *hunter) {
	me = newHunter(h, rand.New(rand.NewPCG(h.opt.Seed, number+1)))
	defer effort.Catch(&me.err)
	alive := make([]*archive, len(kinds))
	held := int(min(cmp.Or(h.opt.Memory, mostHeld), mostHeld)) / (2 * h.opt.Workers * len(kinds))
	for turn := 0; !h.over.Load(); turn++ {
		k := turn % len(kinds)
		tried := &me.attempts[k]
		if alive[k] == nil {
			tried.Runs++
			me.actionCounts = nil
			alive[k] = kinds[k].new(me, life<<bits.TrailingZeros(uint(tried.Runs)), held)
		}
		before := me.visited
		if !alive[k].search(slice) {
			alive[k] = nil
		}
		tried.States += me.visited - before
		if me.result != nil {
			me.by = kinds[k].name
			return me
		}
		switch states := h.states.Add(me.visited - before); {
		case h.opt.MaxStates > 0 && states >= h.opt.MaxStates:
			h.end(explore.StateLimit)
		case h.opt.Memory > 0 && uint64(h.sys.Bytes()) >= h.opt.Memory/2:
			h.end(explore.MemoryLimit)
		}
	}
	return me
}

func (h *hunt) end(stop explore.Stop) {
	h.over.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempts.Stop = stop
}

// add adds the counts of a worker to the report.
func (h *hunt) add(me *hunter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.result == nil && me.result != nil {
		h.result, h.attempts.By = me.result, me.by
	}
	h.err = cmp.Or(h.err, me.err)
	if me.result != nil || me.err != nil {
		h.over.Store(true)
	}
	h.attempts.Deepest = max(h.attempts.Deepest, me.deepest)
	h.attempts.States += me.visited
	for k, t := range me.attempts {
		h.attempts.Strategies[k].Runs += t.Runs
		h.attempts.Strategies[k].States += t.States
	}
}

func (f *Find) replay(h *hunt) {
	w := newWalker(h.sys)
	w.goTo(h.starts[f.start])
	f.Moves = []model.Move{{State: slices.Clone(w.state)}}
	for _, e := range f.edges {
		step := w.step(e)
		w.take(e)
		f.Moves = append(f.Moves, model.Move{Step: step, State: slices.Clone(w.state)})
	}
}

// Shorten returns a run with the same violation as the given one but without unnecessary steps, as far as ctx allows.
// It need not be a shortest run.
func Shorten(ctx context.Context, sys *compile.System, p *ir.Property, moves []model.Move) ([]model.Move, error) {
	for ctx.Err() == nil {
		run, err := replay.FromMoves(sys, moves)
		if err != nil {
			return nil, err
		}
		run = run.Shorten(ctx, slices.Repeat([]bool{true}, len(run.Steps)), replay.Condition{
			End: p.Kind.OfEnds(),
			Is: func(s *replay.State) (bool, error) {
				v, err := p.Body.Eval(sys.Protocol().NewEnv(s))
				return err == nil && v == 0, nil
			},
		})
		shorter, err := run.Moves(ctx, sys)
		if ctx.Err() != nil || err == nil && len(shorter) == len(moves) {
			break
		}
		if err != nil {
			return nil, err
		}
		moves = shorter
	}
	return moves, nil
}

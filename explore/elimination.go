package explore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/graph"
	"ringcheck/model"
)

// A Trap says which states have no way to a goal.
type Trap struct {
	States uint64 // how many
	// Level is the first BFS level with such a state, State the one of them that is least in readable form;
	// void if there is none.
	Level int
	State []model.Value
}

// ErrIncomplete means that the question is one about all reachable states and not all are known.
var ErrIncomplete = errors.New("the search is incomplete")

// ErrMemory means that Options.Memory does not suffice.
var ErrMemory = errors.New("memory budget reached")

// Trap finds the states from which no state of a goal class can be reached: those that violate AG EF goal. The classes
// are those of o, which should distinguish goals only. There is no such state if and only if a goal is reached under
// global fairness in a finite system, and with probability one if a fair scheduler decides what is not drawn.
//
// Mostly the resting graph tells that there is none. If it does not, the states of which it does not know that they
// have a way to a goal are a candidate set, from which the states with a successor outside are taken, until nothing
// changes (elimination).
//
// The error is ErrIncomplete, ErrMemory, one of the disk, or that of the context.
func (s *Space) Trap(ctx context.Context, o Observer, goal func(class uint32) bool) (*Trap, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	classes := s.search.store.Classes(o)
	rests := s.search.rest(ctx, classes, goal)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rests != nil && rests.all {
		return &Trap{}, nil
	}
	g, err := s.search.graph(ctx, func(w *worker, id tree.StateID) uint32 {
		if rests.leads(w, id) || goal(classes.Of(id)) {
			return 0
		}
		return uint32(w.seen.orbit(id))
	})
	if err != nil {
		return nil, err
	}
	defer g.close()
	if g.Room() < (g.Places()+g.States())/8 {
		return nil, ErrMemory
	}
	e := &elimination{g, graph.NewSet(g.Places()), graph.NewSet(g.States())}
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	return e.trap(ctx, s.search.sys)
}

// An elimination takes the states out of a candidate set that have a successor outside, until nothing changes. It
// sweeps through the set from the last level to the first, since most transitions lead to the next level. Class 0 is
// that of the states that are none of the set from the beginning, that of the others is how many states of the system
// asked for they stand for.
type elimination struct {
	graph   Graph
	outside graph.Set[uint64] // by place
	left    graph.Set[uint64] // by number
}

func (e *elimination) run(ctx context.Context) error {
	for selected, n := (Selection{}), int64(1); n > 0; selected.Number = e.left.Has {
		var out atomic.Int64
		err := e.graph.Sweep(ctx, true, selected, func(v *Vertex) {
			switch {
			case v.Class == 0 || slices.ContainsFunc(v.To, e.outside.Has):
				e.outside.Add(v.Place)
				e.left.Remove(v.Number)
				out.Add(1)
			case selected.Number == nil:
				e.left.Add(v.Number)
			}
		})
		if err != nil {
			return err
		}
		n = out.Load()
	}
	return nil
}

// trap tells what is left.
func (e *elimination) trap(ctx context.Context, sys model.System) (*Trap, error) {
	t := &Trap{}
	var mu sync.Mutex
	var first []uint64 // the places of those on the first level
	err := e.graph.Sweep(ctx, false, Selection{Number: e.left.Has}, func(v *Vertex) {
		level := e.graph.level(v.Number)
		mu.Lock()
		defer mu.Unlock()
		if t.States += uint64(v.Class); len(first) == 0 || level < t.Level {
			t.Level, first = level, first[:0]
		}
		if level == t.Level {
			first = append(first, v.Place)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(first) // which is the order on disk
	for _, place := range first {
		state, err := e.graph.State(place)
		if err != nil {
			return nil, err
		}
		if t.State == nil || model.Compare(sys, state, t.State) < 0 {
			t.State = state
		}
	}
	return t, nil
}

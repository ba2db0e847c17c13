package explore

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/crew"
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

// Trap finds the states from which no state of a goal class can be reached: those that violate AG EF goal. The classes are those of
// o, which should distinguish goals only. There is no such state if and only if a goal is reached under global fairness in a
// finite system, and with probability one if a fair scheduler decides what is not drawn.
//
// Mostly the resting graph tells that there is none. If it does not, the states of which it does not know that they have a way to a goal
// are a candidate set, from which the states with a successor outside are taken, until nothing changes: by an elimination in
// memory, for a search that has spilled after passes over the disk (candidateSet).
//
// The error is ErrIncomplete, ErrMemory, or that of the context.
func (s *Space) Trap(ctx context.Context, o Observer, goal func(class uint32) bool) (*Trap, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	classes := s.search.store.Classes(o)
	g := s.search.rest(ctx, classes, goal)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if g != nil && g.all {
		return &Trap{}, nil
	}
	leads := func(w *worker, id tree.StateID) bool { return g.leads(w, id) || goal(classes.Of(id)) }
	if d, ok := s.search.storage.(*spilled); ok {
		return d.trap(ctx, leads)
	}
	r := s.search.storage.(*resident)
	words := r.set.Slots()/64 + 1
	if m := s.search.opt.Memory; m != 0 && uint64(s.search.bytes())+8*words > m {
		return nil, ErrMemory
	}
	e := &elimination{workers: s.search.workers, finder: func() finder { return r.set.Finder() }, outside: make([]atomic.Uint64, words)}
	for i := range s.result.Levels {
		e.left = append(e.left, slices.Clone(r.frontier.kept[i]))
	}
	e.sweep(ctx, func(m *eliminator, states []tree.StateID) { m.begin(states, leads) })
	return e.trap(ctx)
}

// An elimination takes the states out of a candidate set that have a successor outside, until nothing changes. A sweep goes
// through the set from the last level to the first, since most transitions lead to the next level.
type elimination struct {
	workers []*worker
	// finder returns access, for one goroutine, to the places of states: those of them that were taken out, and of all that never
	// were in the set, have a bit in outside.
	finder  func() finder
	outside []atomic.Uint64
	// left holds the states of the set by level, in batches: the first parts of the batches that were given, in
	// which states change places.
	left [][][]tree.StateID
}

// A finder tells the places of states.
type finder interface {
	Find(ids, places []uint64) []uint64
}

// trap eliminates until nothing changes, and tells what is left.
func (e *elimination) trap(ctx context.Context) (*Trap, error) {
	for e.sweep(ctx, (*eliminator).expand) > 0 {
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t := &Trap{}
	for level, batches := range e.left {
		for _, ids := range batches {
			t.addAll(e.workers[0], ids, level)
		}
	}
	return t, nil
}

// addAll adds states of a level, not below that of those before.
func (t *Trap) addAll(w *worker, states []tree.StateID, level int) {
	state := make([]model.Value, len(w.seen.state))
	for _, id := range states {
		t.States += w.seen.orbit(id)
		if t.State != nil && t.Level != level {
			continue
		}
		w.tree.Vector(id, state)
		if t.State == nil || model.Compare(w.search.sys, state, t.State) < 0 {
			t.Level, t.State = level, slices.Clone(state)
		}
	}
}

func (e *elimination) isOutside(place uint64) bool {
	return e.outside[place/64].Load()>>(place%64)&1 != 0
}

func (e *elimination) take(place uint64) { e.outside[place/64].Or(1 << (place % 64)) }

// A try puts those of some states that are to be taken out into eliminator.out, the others into rest.
type try func(m *eliminator, states []tree.StateID)

// sweep tries all states that are left, and returns how many it has taken out.
func (e *elimination) sweep(ctx context.Context, t try) int64 {
	out := int64(0)
	for i := len(e.left) - 1; i >= 0 && ctx.Err() == nil; i-- {
		out += e.sweepLevel(ctx, i, t)
	}
	return out
}

func (e *elimination) sweepLevel(ctx context.Context, level int, t try) int64 {
	batches := e.left[level]
	var next, out atomic.Int64
	var group crew.Crew
	for _, w := range e.workers[:min(len(e.workers), len(batches))] {
		group.Go(func() {
			m := &eliminator{elimination: e, worker: w, finder: e.finder()}
			for i := next.Add(1) - 1; i < int64(len(batches)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				rest := m.batch(batches[i], t)
				out.Add(int64(len(batches[i]) - len(rest)))
				batches[i] = rest
			}
		})
	}
	group.Wait()
	e.left[level] = slices.DeleteFunc(batches, func(rest []tree.StateID) bool { return len(rest) == 0 })
	return out.Load()
}

// An eliminator takes states of one level out for one goroutine.
type eliminator struct {
	*elimination
	worker    *worker
	finder    finder
	out, rest []tree.StateID // of what is tried
	open      []candidate
	ids       []tree.StateID // to be looked up
	places    []uint64
}

// A candidate is a state that was expanded, and the successors that have not been looked at.
type candidate struct {
	id         tree.StateID
	successors []tree.StateID
}

// batch tries some states, a few at a time, moves those that are left to the front and returns them.
func (m *eliminator) batch(states []tree.StateID, t try) []tree.StateID {
	rest := 0
	for first := 0; first < len(states); {
		some := states[first:min(first+stride, len(states))]
		m.out, m.rest = m.out[:0], m.rest[:0]
		t(m, some)
		m.places = m.finder.Find(m.out, m.places[:0])
		for _, place := range m.places {
			m.take(place)
		}
		copy(some[copy(some, m.rest):], m.out)
		for i := range m.rest {
			states[rest+i], some[i] = some[i], states[rest+i]
		}
		rest += len(m.rest)
		first += len(some)
	}
	return states[:rest]
}

// begin takes out the states that lead to a goal.
func (m *eliminator) begin(states []tree.StateID, leads func(w *worker, id tree.StateID) bool) {
	for _, id := range states {
		if leads(m.worker, id) {
			m.out = append(m.out, id)
		} else {
			m.rest = append(m.rest, id)
		}
	}
}

// expand takes out the states with a successor outside.
func (m *eliminator) expand(states []tree.StateID) {
	w := m.worker
	m.open = m.open[:0]
	// Every state was expanded without an error before.
	w.successors(states, func(i int, to []tree.StateID) { m.open = append(m.open, candidate{states[i], to}) })
	for len(m.open) > 0 {
		m.round()
	}
}

// round looks at one successor of each candidate.
func (m *eliminator) round() {
	m.ids = m.ids[:0]
	waiting := m.open[:0]
	for _, c := range m.open {
		if len(c.successors) == 0 {
			m.rest = append(m.rest, c.id)
			continue
		}
		m.ids = append(m.ids, c.successors[0])
		waiting = append(waiting, candidate{c.id, c.successors[1:]})
	}
	m.places = m.finder.Find(m.ids, m.places[:0])
	m.open = waiting[:0]
	for i, c := range waiting {
		if m.isOutside(m.places[i]) {
			m.out = append(m.out, c.id)
		} else {
			m.open = append(m.open, c)
		}
	}
}

package explore

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
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

// Inevitable finds the states from which no state of a goal class can be reached: those that violate AG EF
// goal. Exactly if there is none, a goal is reached under global fairness in a finite system, and with
// probability one if a scheduler that is fair decides what is not drawn.
//
// Transitions are not stored. Every state has a mark, a bit at its slot in the visited set. Goals are marked
// to begin with; a sweep goes through the states without a mark from the last level to the first and marks
// those with a marked successor. Most transitions lead to the next level, so that a few sweeps mark nearly
// everything. Most states also have a successor that is known without expanding them. A sweep looks at that
// one, and expands the states for which it has no mark, in each level as long as this is worthwhile: states
// that have to go back to an earlier level are for the next sweep. The last sweep expands all that are left
// and marks nothing.
//
// The error is ErrIncomplete, ErrMemory, or that of the context.
func (s *Space) Inevitable(ctx context.Context, goal func(class uint32) bool) (*Trap, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	if d, ok := s.search.storage.(*spilled); ok {
		return d.inevitable(ctx, goal)
	}
	b, err := s.newBackward()
	if err != nil {
		return nil, err
	}
	b.sweep(ctx, func(m *marker, states []tree.Root) { m.goals(states, goal) })
	for ctx.Err() == nil && b.open > 0 {
		if b.sweep(ctx, (*marker).hurry) > b.open/enough {
			continue
		}
		if b.sweep(ctx, (*marker).thorough) == 0 {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b.trap(), nil
}

// A sweep in a hurry is worth repeating if it marks more than one in enough of the states that it leaves.
const enough = 8

// A backwardSearch marks the states from which there is a way to a goal.
type backwardSearch struct {
	*search
	marks []atomic.Uint64 // a bit for each slot of the visited set
	// left holds the states without a mark, by level, in batches: the first parts of the batches that the
	// search kept, in which states change places.
	left [][][]tree.Root
	open int64 // their number
}

func (s *Space) newBackward() (*backwardSearch, error) {
	words := s.search.set.Slots()/64 + 1
	if m := s.search.opt.Memory; m != 0 && uint64(s.search.bytes())+8*words > m {
		return nil, ErrMemory
	}
	b := &backwardSearch{search: s.search, marks: make([]atomic.Uint64, words)}
	for i := range s.result.Levels {
		b.left = append(b.left, slices.Clone(s.search.frontier.kept[i]))
	}
	b.open = int64(s.result.Stored)
	return b, nil
}

func (b *backwardSearch) marked(slot uint64) bool { return b.marks[slot/64].Load()>>(slot%64)&1 != 0 }

func (b *backwardSearch) mark(slot uint64) { b.marks[slot/64].Or(1 << (slot % 64)) }

// A try marks some states and puts those that it cannot mark into marker.rest.
type try func(m *marker, states []tree.Root)

// sweep tries the states that have no mark, from the last level to the first, and returns how many it has
// marked.
func (b *backwardSearch) sweep(ctx context.Context, t try) int64 {
	before := b.open
	for i := len(b.left) - 1; i >= 0 && ctx.Err() == nil; i-- {
		b.sweepLevel(ctx, i, t)
	}
	return before - b.open
}

func (b *backwardSearch) sweepLevel(ctx context.Context, level int, t try) {
	batches := b.left[level]
	var next, marked atomic.Int64
	var group crew.Crew
	for _, w := range b.workers[:min(len(b.workers), len(batches))] {
		group.Go(func() {
			m := &marker{backwardSearch: b, worker: w, finder: b.set.Finder()}
			for i := next.Add(1) - 1; i < int64(len(batches)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				rest := m.batch(batches[i], t)
				marked.Add(int64(len(batches[i]) - len(rest)))
				batches[i] = rest
			}
		})
	}
	group.Wait()
	b.open -= marked.Load()
	b.left[level] = slices.DeleteFunc(batches, func(rest []tree.Root) bool { return len(rest) == 0 })
}

// trap collects what is left.
func (b *backwardSearch) trap() *Trap {
	t := &Trap{}
	for level, batches := range b.left {
		for _, roots := range batches {
			t.addAll(b.workers[0], roots, level)
		}
	}
	return t
}

// addAll adds states of a level, not below that of those before.
func (t *Trap) addAll(w *worker, states []tree.Root, level int) {
	state := make([]model.Value, len(w.state))
	for _, r := range states {
		t.States += w.orbit(r)
		if t.State != nil && t.Level != level {
			continue
		}
		w.tree.Vector(r, state)
		if t.State == nil || model.Compare(w.sys, state, t.State) < 0 {
			t.Level, t.State = level, slices.Clone(state)
		}
	}
}

// A marker marks states of one level for one goroutine.
type marker struct {
	*backwardSearch
	worker *worker
	finder *visited.Finder
	found  []tree.Root // of what is tried: to be marked
	rest   []tree.Root // not to be marked
	open   []candidate
	roots  []tree.Root // to be looked up
	slots  []uint64    // where they are

	expanded, gained int // states that were expanded, and of them marked
}

// A candidate is a state that is expanded, and the successors that have not been looked at.
type candidate struct {
	root       tree.Root
	successors []tree.Root
}

// batch tries to mark some states, a few at a time, moves the others to the front and returns them.
func (m *marker) batch(states []tree.Root, t try) []tree.Root {
	rest := 0
	for first := 0; first < len(states); {
		some := states[first:min(first+stride, len(states))]
		m.found, m.rest = m.found[:0], m.rest[:0]
		t(m, some)
		m.slots = m.finder.Find(m.found, m.slots[:0])
		for _, slot := range m.slots {
			m.mark(slot)
		}
		copy(some[copy(some, m.rest):], m.found)
		for i := range m.rest {
			states[rest+i], some[i] = some[i], states[rest+i]
		}
		rest += len(m.rest)
		first += len(some)
	}
	return states[:rest]
}

// goals marks the goals.
func (m *marker) goals(states []tree.Root, goal func(class uint32) bool) {
	for _, r := range states {
		if goal(m.worker.classes.Of(r)) {
			m.found = append(m.found, r)
		} else {
			m.rest = append(m.rest, r)
		}
	}
}

// In a hurry, a marker gives a level up when of patience states that it expanded, and some for each one that
// was marked, none could be marked.
const (
	patience = 1 << 10
	reward   = 32
)

// hurry marks states without expanding many.
func (m *marker) hurry(states []tree.Root) {
	m.hints(states)
	if m.expanded < patience+reward*m.gained {
		m.expand()
	}
}

// thorough marks all states that can be marked now.
func (m *marker) thorough(states []tree.Root) {
	m.hints(states)
	m.expand()
}

// hints looks at the successors that are at hand.
func (m *marker) hints(states []tree.Root) {
	m.roots = m.roots[:0]
	for _, r := range states {
		to, ok := m.worker.tree.Hint(r)
		if !ok {
			to = r // has no mark
		}
		m.roots = append(m.roots, to)
	}
	m.slots = m.finder.Find(m.roots, m.slots[:0])
	for i, r := range states {
		if m.marked(m.slots[i]) {
			m.found = append(m.found, r)
		} else {
			m.rest = append(m.rest, r)
		}
	}
}

// expand expands the rest.
func (m *marker) expand() {
	w := m.worker
	// Every state was expanded without an error before.
	w.found, w.ends, _ = w.tree.Successors(m.rest, w.found[:0], w.ends[:0])
	m.open = m.open[:0]
	first := 0
	for i, end := range w.ends {
		m.open = append(m.open, candidate{m.rest[i], w.found[first:end]})
		first = end
	}
	m.expanded += len(m.open)
	m.gained += len(m.open)
	m.rest = m.rest[:0]
	for len(m.open) > 0 {
		m.round()
	}
	m.gained -= len(m.rest)
}

// round looks at one successor of each candidate.
func (m *marker) round() {
	m.roots = m.roots[:0]
	waiting := m.open[:0]
	for _, c := range m.open {
		if len(c.successors) == 0 {
			m.rest = append(m.rest, c.root)
			continue
		}
		m.roots = append(m.roots, c.successors[0])
		waiting = append(waiting, candidate{c.root, c.successors[1:]})
	}
	m.slots = m.finder.Find(m.roots, m.slots[:0])
	m.open = waiting[:0]
	for i, c := range waiting {
		if m.marked(m.slots[i]) {
			m.found = append(m.found, c.root)
		} else {
			m.open = append(m.open, c)
		}
	}
}

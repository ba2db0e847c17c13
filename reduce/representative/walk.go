package representative

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/reduce/internal/distinct"
)

// A memory stores the known representatives for one numbering of states. It is safe for concurrent use.
type memory struct {
	*Reduced
	met      intern.Pairs                // states, by their halves
	known    intern.Array[atomic.Uint32] // by number in met: that of the representative plus one
	internal atomic.Uint64               // number of states whose representative was searched for
	begun    sync.Once
}

// In implements model.Representatives.
func (m *memory) In(space model.Space) model.Representer { return m.walker(space) }

func (m *memory) walker(space model.Space) *walker {
	return &walker{memory: m, Space: space, state: make([]model.Value, len(m.Slots())), places: make(map[uint32]bool)}
}

func (m *memory) bytes() int64 { return m.met.Bytes() + m.known.Bytes() }

// of returns the representative of a state, if known.
func (m *memory) of(state uint32) (uint32, bool) {
	known := m.known.At(state).Load()
	return known - 1, known != 0
}

// A walker looks for representatives, for one goroutine.
type walker struct {
	*memory
	model.Space
	arrows  []model.Arrow // transitions of the state being expanded
	targets []uint64      // targets of some arrows
	numbers []uint32      // numbers of targets
	lookup  intern.Lookup
	tags    []*tagged    // by weight of a tag; nil if not yet met
	found   distinct.Set // transitions of a group to representatives
	taus    []model.Arrow
	next    []uint32 // targets of the confluent τ's of a state
	path    []uint32
	steps   int
	places  map[uint32]bool // the states on a long path
	visited []uint32
	state   []model.Value
}

// begin copies the known representatives of the initial states.
func (w *walker) begin() {
	if w.memory == w.own {
		return
	}
	w.internal.Store(w.own.internal.Load())
	for i := range uint32(w.vectors.states.Len()) {
		if to, ok := w.own.of(w.own.met.Number(uint64(i))); ok {
			w.known.At(w.moved(i)).Store(1 + w.moved(uint32(w.own.met.At(to))))
		}
	}
}

// moved returns the number of a state of w.vectors.
func (w *walker) moved(id uint32) uint32 {
	w.vectors.states.Read(id, w.state)
	return w.met.Number(w.Number(w.state))
}

// Follow implements model.Representer.
func (w *walker) Follow(id uint64, visit func(step model.Step, to uint64)) error {
	w.begun.Do(w.begin)
	arrows, err := w.leading(id, false, w.arrows[:0])
	if w.arrows = arrows; err != nil {
		return err
	}
	choices := uint32(0)
	for len(arrows) > 0 {
		n, place := 1, w.tag(arrows[0]).place
		for n < len(arrows) && w.tag(arrows[n]).place == place {
			n++
		}
		if err := w.group(arrows[:n]); err != nil {
			return err
		}
		next := choices
		w.found.Each(func(step model.Step, to []model.Value) {
			step.Choice += choices
			next = step.Choice + 1
			visit(step, w.met.At(to[0]))
		})
		arrows, choices = arrows[n:], next
	}
	return nil
}

// tag returns the meaning of an arrow's tag.
func (w *walker) tag(a model.Arrow) *tagged {
	if weight := int(a.Tag.Weight()); weight < len(w.tags) && w.tags[weight] != nil {
		return w.tags[weight]
	}
	return w.meet(a.Tag)
}

// meet is the slow path of tag, for one of the few new tags.
func (w *walker) meet(tag model.SleepTag) *tagged {
	if n := int(tag.Weight()) + 1 - len(w.tags); n > 0 {
		w.tags = append(w.tags, make([]*tagged, n)...)
	}
	t := w.unreduced.of(tag)
	w.tags[tag.Weight()] = t
	return t
}

// leading appends the transitions of a state, or only the confluent ones, in the order of the places of their groups.
// Their targets are numbers in met.
func (w *walker) leading(id uint64, confluent bool, arrows []model.Arrow) ([]model.Arrow, error) {
	arrows, err := w.Space.Next(id, confluent, arrows)
	w.targets = w.targets[:0]
	for _, a := range arrows {
		w.targets = append(w.targets, a.To)
	}
	w.numbers = slices.Grow(w.numbers[:0], len(arrows))[:len(arrows)]
	w.met.NumberAll(&w.lookup, w.targets, w.numbers)
	for i, number := range w.numbers {
		arrows[i].To = uint64(number)
	}
	slices.SortStableFunc(arrows, func(a, b model.Arrow) int { return cmp.Compare(w.tag(a).place, w.tag(b).place) })
	return arrows, err
}

// group sets w.found to the transitions of a group, with targets replaced by representatives.
func (w *walker) group(arrows []model.Arrow) error {
	w.found.Reset(1)
	for i := range arrows {
		a := arrows[w.turn(arrows, i)]
		to, err := w.representative(uint32(a.To))
		if err != nil {
			return err
		}
		w.found.Add(w.tag(a).step, []model.Value{to})
	}
	if w.quotient && w.found.Len() < len(arrows) {
		return &model.Fault{Process: -1, Cause: ErrMerged, Message: ErrMerged.Error()}
	}
	return nil
}

// turn returns the index of the transition that comes at place i of the requested order.
func (w *walker) turn(arrows []model.Arrow, i int) int {
	if !w.lastFirst {
		return i
	}
	first, last, choice := i, i, w.tag(arrows[i]).step.Choice
	for first > 0 && w.tag(arrows[first-1]).step.Choice == choice {
		first--
	}
	for last+1 < len(arrows) && w.tag(arrows[last+1]).step.Choice == choice {
		last++
	}
	return first + last - i
}

// representative returns the representative of a state.
//
// It follows the first confluent successor of each state until one has a known representative or there is none. All
// states met, including successors that it did not follow, have the same representative, since by confluence their
// paths join.
func (w *walker) representative(id uint32) (uint32, error) {
	if known, ok := w.of(id); ok {
		return known, nil
	}
	w.visited, w.path = append(w.visited[:0], id), w.path[:0]
	for {
		if err := w.pause(); err != nil {
			return 0, err
		}
		w.path = append(w.path, id)
		w.internal.Add(1)
		if err := w.successors(id); err != nil {
			return 0, err
		}
		w.visited = append(w.visited, w.next...)
		if known, ok := w.knownAmong(w.next); ok {
			return w.settle(known), nil
		}
		if len(w.next) == 0 {
			return w.settle(id), nil
		}
		id = w.next[0]
		if w.onPath(id) {
			return w.component()
		}
	}
}

// pauseSteps is the number of steps of a walker between two checks for an interruption.
const pauseSteps = 16

// pause checks for an interruption from time to time.
func (w *walker) pause() error {
	if w.steps++; w.steps%pauseSteps != 0 {
		return nil
	}
	if check := w.check.Load(); check != nil {
		return (*check)()
	}
	return nil
}

// successors sets w.next to the confluent successors of a state.
func (w *walker) successors(id uint32) (err error) {
	w.next = w.next[:0]
	if w.taus, err = w.leading(w.met.At(id), true, w.taus[:0]); err != nil {
		return err
	}
	for _, a := range w.taus {
		w.next = append(w.next, uint32(a.To))
	}
	return nil
}

// knownAmong returns the representative of the first of some states that has one.
func (w *walker) knownAmong(states []uint32) (uint32, bool) {
	for _, id := range states {
		if known, ok := w.of(id); ok {
			return known, true
		}
	}
	return 0, false
}

// settle records the representative of all visited states.
func (w *walker) settle(representative uint32) uint32 {
	for _, id := range w.visited {
		w.known.At(id).Store(representative + 1)
	}
	return representative
}

// short is the length up to which onPath searches a path linearly.
const short = 32

// onPath reports whether a state is on the path.
func (w *walker) onPath(id uint32) bool {
	n := len(w.path)
	if n < short {
		return slices.Contains(w.path, id)
	}
	if n == short {
		clear(w.places)
		for _, p := range w.path {
			w.places[p] = true
		}
	}
	w.places[w.path[n-1]] = true
	return w.places[id]
}

package representative

import (
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/reduce/internal/distinct"
)

// A memory stores the known representatives for one numbering of states. It is safe for concurrent use.
type memory struct {
	*ReducedSystem
	numbering       intern.Numbering            // states, by their halves
	representatives intern.Array[atomic.Uint64] // by number in numbering: the representative plus one
	internalStates  atomic.Uint64               // number of states whose representative was searched for
	start           sync.Once
}

// walker returns a walker for one more goroutine.
func (m *memory) walker(space reduction.Space) *walker {
	state := make([]model.Value, len(m.Slots()))
	return &walker{memory: m, Space: space, state: state, pathStates: make(map[uint32]bool)}
}

func (m *memory) bytes() int64 { return m.numbering.Bytes() + m.representatives.Bytes() }

// representativeOf returns the representative of a state, if known.
func (m *memory) representativeOf(s numberedState) (uint64, bool) {
	known := m.representatives.At(s.number).Load()
	return known - 1, known != 0
}

// number returns the number of a state, assigning one if it has none.
func (m *memory) number(state uint64) uint32 { return m.numbering.LoadOrCreate(state, func(uint32) {}) }

// A numberedState is a state that was met, with its number in memory.numbering.
type numberedState struct {
	state  uint64
	number uint32
}

// An arrow is a transition to a state met.
type arrow struct {
	*tagMeaning
	to numberedState
}

// A walker looks for representatives, for one goroutine.
type walker struct {
	*memory
	reduction.Space
	outgoing         transitions // transitions of the states being expanded
	ahead            lookAhead   // confluent transitions of their targets, and of states after these
	single           transitions // confluent transitions of a state that is in neither
	oneState         []uint64    // a list of that state
	recent           recent
	calls            uint32 // the number of calls of numberAll
	lookup           intern.Lookup
	tags             []*tagMeaning // by weight of a tag; nil if not yet met
	groupTransitions distinct.Set  // transitions of a group to representatives
	targets          []uint64      // the representatives of the targets of a state of a quotient
	path             []uint32
	steps            int
	counted          uint64          // what count has not yet added to memory.internalStates
	pathStates       map[uint32]bool // the states on a long path
	visited          []uint32
	state            []model.Value
}

// begin copies the known representatives of the initial states.
func (w *walker) begin() {
	if w.memory == w.own {
		return
	}
	w.internalStates.Store(w.own.internalStates.Load())
	for i := range uint32(w.vectors.states.Len()) {
		if number, ok := w.own.numbering.Load(uint64(i)); ok {
			if to, ok := w.own.representativeOf(numberedState{uint64(i), number}); ok {
				w.representatives.At(w.fromVectors(i).number).Store(1 + w.fromVectors(uint32(to)).state)
			}
		}
	}
}

// fromVectors returns a state of w.vectors.
func (w *walker) fromVectors(id uint32) numberedState {
	w.vectors.states.Read(id, w.state)
	return w.numberedState(w.state)
}

// numberedState returns a state.
func (w *walker) numberedState(state []model.Value) numberedState {
	id := w.Number(state)
	return numberedState{id, w.number(id)}
}

// Follow implements reduction.Representer.
func (w *walker) Follow(states []uint64, visit func(i int, step model.Step, to uint64)) (int, error) {
	w.start.Do(w.begin)
	defer w.count()
	w.outgoing.reset()
	err := w.addTransitions(states, false, &w.outgoing)
	w.fillLookAhead(w.outgoing.arrows)
	for i := range w.outgoing.ends {
		if err := w.visitTransitions(states[i], w.outgoing.of(i), i, visit); err != nil {
			return i, err
		}
	}
	return len(w.outgoing.ends), err
}

// count adds to memory.internalStates the states whose representatives were searched for since the last call.
func (w *walker) count() {
	w.internalStates.Add(w.counted)
	w.counted = 0
}

// visitTransitions calls visit with the transitions of a representative with index i, with targets replaced by
// representatives.
func (w *walker) visitTransitions(
	state uint64, arrows []arrow, i int, visit func(i int, step model.Step, to uint64),
) error {
	if w.quotient != nil {
		return w.visitOrbits(state, arrows, i, visit)
	}
	choices := uint32(0)
	for len(arrows) > 0 {
		n := 1
		for n < len(arrows) && arrows[n].place == arrows[0].place {
			n++
		}
		if n == 1 {
			to, err := w.representative(arrows[0].to)
			if err != nil {
				return err
			}
			step := arrows[0].step
			step.Choice, step.Repeated = choices, false
			visit(i, step, to)
			arrows, choices = arrows[1:], choices+1
			continue
		}
		if err := w.group(arrows[:n]); err != nil {
			return err
		}
		next := choices
		w.groupTransitions.Each(func(step model.Step, to []model.Value) {
			step.Choice += choices
			next = step.Choice + 1
			visit(i, step, intern.Pair(to[0], to[1]))
		})
		arrows, choices = arrows[n:], next
	}
	return nil
}

// group sets w.found to the transitions of a group, with targets replaced by representatives.
func (w *walker) group(arrows []arrow) error {
	w.groupTransitions.Reset(2)
	for i := range arrows {
		a := &arrows[w.orderedIndex(arrows, i)]
		to, err := w.representative(a.to)
		if err != nil {
			return err
		}
		l, r := intern.Split(to)
		w.groupTransitions.Add(a.step, []model.Value{l, r})
	}
	return nil
}

// orderedIndex returns the index of the transition that comes at place i of the requested order.
func (w *walker) orderedIndex(arrows []arrow, i int) int {
	if !w.lastFirst {
		return i
	}
	first, last, choice := i, i, arrows[i].step.Choice
	for first > 0 && arrows[first-1].step.Choice == choice {
		first--
	}
	for last+1 < len(arrows) && arrows[last+1].step.Choice == choice {
		last++
	}
	return first + last - i
}

// representative returns the representative of a state.
//
// It follows the first confluent successor of each state until a state has a known representative or no confluent
// successor. All states met, including successors that it did not follow, have the same representative, since by
// confluence their paths join.
func (w *walker) representative(s numberedState) (uint64, error) {
	if known, ok := w.representativeOf(s); ok {
		return known, nil
	}
	begin := s
	w.visited, w.path = append(w.visited[:0], s.number), w.path[:0]
	for {
		w.path = append(w.path, s.number)
		w.counted++
		next, err := w.successors(s)
		if err != nil {
			return 0, err
		}
		if err := w.checkInterrupt(1 + len(next)); err != nil {
			return 0, err
		}
		w.visited = appendNumbers(w.visited, next)
		if known, ok := w.knownAmong(next); ok {
			return w.record(known), nil
		}
		if len(next) == 0 {
			return w.record(s.state), nil
		}
		s = next[0].to
		if w.onPath(s.number) {
			return w.component(begin)
		}
	}
}

// appendNumbers appends the numbers of the targets of arrows.
func appendNumbers(numbers []uint32, arrows []arrow) []uint32 {
	for i := range arrows {
		numbers = append(numbers, arrows[i].to.number)
	}
	return numbers
}

// interruptSteps is the number of states that a walker meets between two checks for an interruption.
const interruptSteps = 1 << 10

// checkInterrupt checks for an interruption every interruptSteps states.
func (w *walker) checkInterrupt(met int) error {
	if w.steps += met; w.steps < interruptSteps {
		return nil
	}
	w.steps = 0
	if check := w.check.Load(); check != nil {
		return (*check)()
	}
	return nil
}

// knownAmong returns the representative of the first of some targets that has one.
func (w *walker) knownAmong(arrows []arrow) (uint64, bool) {
	for i := range arrows {
		if known, ok := w.representativeOf(arrows[i].to); ok {
			return known, true
		}
	}
	return 0, false
}

// record records the representative of all visited states.
func (w *walker) record(representative uint64) uint64 {
	for _, number := range w.visited {
		w.representatives.At(number).Store(representative + 1)
	}
	return representative
}

// shortPath is the length up to which onPath searches a path linearly.
const shortPath = 32

// onPath reports whether a state is on the path.
func (w *walker) onPath(id uint32) bool {
	n := len(w.path)
	if n < shortPath {
		return slices.Contains(w.path, id)
	}
	if n == shortPath {
		clear(w.pathStates)
		for _, p := range w.path {
			w.pathStates[p] = true
		}
	}
	w.pathStates[w.path[n-1]] = true
	return w.pathStates[id]
}

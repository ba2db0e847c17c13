package representative

import (
	"cmp"
	"slices"

	"ringcheck/explore/reduction"
)

// transitions are the transitions of some states, the transitions of each state in the order of the places of their
// groups.
type transitions struct {
	arrows []arrow
	ends   []int // by state: the end of its transitions in arrows

	next       reduction.Arrows
	targets    []uint64         // the targets that are not in recent
	numbers    []uint32         // of these
	unnumbered []*numberedState // the targets of arrows that get these numbers
}

func (l *transitions) reset() { l.arrows, l.ends = l.arrows[:0], l.ends[:0] }

// of returns the transitions of state i.
func (l *transitions) of(i int) []arrow {
	begin := 0
	if i > 0 {
		begin = l.ends[i-1]
	}
	return l.arrows[begin:l.ends[i]]
}

// addTransitions adds the transitions of states, or only the confluent ones, to l. If there is an error for a state, it
// adds the transitions of the states before.
func (w *walker) addTransitions(states []uint64, confluent bool, l *transitions) error {
	err := w.Space.Next(states, confluent, &l.next)
	begin := 0
	for _, end := range l.next.Ends {
		first := len(l.arrows)
		for _, a := range l.next.All[begin:end] {
			l.arrows = append(l.arrows, arrow{w.tag(a.Tag), numberedState{state: a.To}})
		}
		sortArrows(l.arrows[first:])
		l.ends = append(l.ends, len(l.arrows))
		begin = end
	}
	w.numberAll(l, l.arrows[len(l.arrows)-begin:])
	return err
}

// sortArrows sorts arrows by the places of their groups. Arrows of one group keep their order. Most states have few.
func sortArrows(arrows []arrow) {
	if len(arrows) > 16 {
		slices.SortStableFunc(arrows, func(a, b arrow) int { return cmp.Compare(a.place, b.place) })
		return
	}
	for i := 1; i < len(arrows); i++ {
		a, j := arrows[i], i
		for ; j > 0 && arrows[j-1].place > a.place; j-- {
			arrows[j] = arrows[j-1]
		}
		if j < i {
			arrows[j] = a
		}
	}
}

// numberAll sets the numbers of the targets of arrows. It looks up all targets that are not in the cache of recent
// states together.
func (w *walker) numberAll(l *transitions, arrows []arrow) {
	l.targets, l.unnumbered = l.targets[:0], l.unnumbered[:0]
	w.calls++
	for i := range arrows {
		to := &arrows[i].to
		e := &w.recent[recentAt(to.state)]
		if e.state != to.state+1 || e.call != 0 && e.call != w.calls { // an earlier call may have been interrupted
			e.state, e.number, e.call = to.state+1, uint32(len(l.targets)), w.calls
			l.targets = append(l.targets, to.state)
		}
		to.number = e.number
		if e.call == w.calls {
			l.unnumbered = append(l.unnumbered, to)
		}
	}
	l.numbers = slices.Grow(l.numbers[:0], len(l.targets))[:len(l.targets)]
	w.lookup.Find(&w.numbering, l.targets, l.numbers, w.number)
	for _, to := range l.unnumbered {
		to.number = l.numbers[to.number]
	}
	for i, state := range l.targets {
		if e := &w.recent[recentAt(state)]; e.state == state+1 {
			e.number, e.call = l.numbers[i], 0
		}
	}
}

// recent caches the numbers of states met recently: see explore's cache of the same name.
type recent [1 << recentBits]struct {
	state  uint64 // plus one; 0 means no state
	number uint32 // in memory.numbering; in transitions.targets during the call that looks it up
	call   uint32
}

// recentBits is chosen so that recent fills an eighth of a second-level cache.
const recentBits = 13

// recentAt returns the index of a state in recent.
func recentAt(state uint64) int { return int(state * 0x9e3779b97f4a7c15 >> (64 - recentBits)) }

// tag returns the meaning of a tag.
func (w *walker) tag(tag reduction.SleepTag) *tagMeaning {
	if weight := int(tag.Weight()); weight < len(w.tags) && w.tags[weight] != nil {
		return w.tags[weight]
	}
	return w.decodeTag(tag)
}

// decodeTag is the slow path of tag, for one of the few new tags.
func (w *walker) decodeTag(tag reduction.SleepTag) *tagMeaning {
	if n := int(tag.Weight()) + 1 - len(w.tags); n > 0 {
		w.tags = append(w.tags, make([]*tagMeaning, n)...)
	}
	t := w.full.meaning(tag)
	w.tags[tag.Weight()] = t
	return t
}

// lookAhead has the confluent transitions of states that a walker will probably visit, found together so that memory
// reads overlap. The result does not depend on which states these are.
type lookAhead struct {
	transitions
	positions [1 << aheadBits]position
	states    []uint64
}

// A position is the position of the transitions of a state: the number of the state, plus one, and its index in
// transitions.
type position struct{ number, at uint32 }

const (
	// aheadBits is large enough for most targets of the states that are expanded together.
	aheadBits = 11
	// aheadSteps is the number of steps of the look-ahead.
	aheadSteps = 2
)

// fillLookAhead finds the confluent transitions of the targets without a known representative, and so on.
func (w *walker) fillLookAhead(from []arrow) {
	h := &w.ahead
	h.reset()
	clear(h.positions[:])
	h.states = h.states[:0]
	for i := range from {
		w.enqueue(from[i].to, 0)
	}
	for range aheadSteps {
		first := len(h.ends)
		if len(h.states) == 0 || w.addTransitions(h.states, true, &h.transitions) != nil {
			return
		}
		h.states = h.states[:0]
		last := len(h.ends)
		for i := first; i < last; i++ {
			if next := h.of(i); len(next) > 0 {
				if _, ok := w.knownAmong(next); !ok {
					w.enqueue(next[0].to, last)
				}
			}
		}
	}
}

// enqueue adds a state to the next step of the look-ahead. lookAhead.transitions has the transitions of after other
// states before that step.
func (w *walker) enqueue(s numberedState, after int) {
	p := &w.ahead.positions[s.number%(1<<aheadBits)]
	if p.number == s.number+1 {
		return
	}
	if _, ok := w.representativeOf(s); ok {
		return
	}
	*p = position{s.number + 1, uint32(after + len(w.ahead.states))}
	w.ahead.states = append(w.ahead.states, s.state)
}

// successors returns the confluent transitions of a state. The slice is valid until the next call.
func (w *walker) successors(s numberedState) ([]arrow, error) {
	h := &w.ahead
	if p := h.positions[s.number%(1<<aheadBits)]; p.number == s.number+1 && int(p.at) < len(h.ends) {
		return h.of(int(p.at)), nil
	}
	w.single.reset()
	w.oneState = append(w.oneState[:0], s.state)
	err := w.addTransitions(w.oneState, true, &w.single)
	return w.single.arrows, err
}

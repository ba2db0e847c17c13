package representative

import (
	"cmp"
	"slices"

	"ringcheck/model"
)

// Leads are the transitions of some states, the transitions of each state in the order of the places of their groups.
type leads struct {
	arrows []arrow
	ends   []int // by state: the end of its transitions in arrows

	next    model.Arrows
	targets []uint64 // the targets that are not in recent
	numbers []uint32 // of these
	late    []*spot  // the targets of arrows that get these numbers
}

func (l *leads) reset() { l.arrows, l.ends = l.arrows[:0], l.ends[:0] }

// of returns the transitions of state i.
func (l *leads) of(i int) []arrow {
	begin := 0
	if i > 0 {
		begin = l.ends[i-1]
	}
	return l.arrows[begin:l.ends[i]]
}

// lead adds the transitions of states, or only the confluent ones, to l. If there is an error for a state, it adds the
// transitions of the states before.
func (w *walker) lead(states []uint64, confluent bool, l *leads) error {
	err := w.Space.Next(states, confluent, &l.next)
	begin := 0
	for _, end := range l.next.Ends {
		first := len(l.arrows)
		for _, a := range l.next.All[begin:end] {
			l.arrows = append(l.arrows, arrow{w.tag(a.Tag), spot{state: a.To}})
		}
		order(l.arrows[first:])
		l.ends = append(l.ends, len(l.arrows))
		begin = end
	}
	w.numberAll(l, l.arrows[len(l.arrows)-begin:])
	return err
}

// order sorts arrows by the places of their groups. Arrows of one group keep their order. Most states have few.
func order(arrows []arrow) {
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
func (w *walker) numberAll(l *leads, arrows []arrow) {
	l.targets, l.late = l.targets[:0], l.late[:0]
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
			l.late = append(l.late, to)
		}
	}
	l.numbers = slices.Grow(l.numbers[:0], len(l.targets))[:len(l.targets)]
	w.lookup.Find(&w.met, l.targets, l.numbers, w.number)
	for _, to := range l.late {
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
	number uint32 // in memory.met; in leads.targets during the call that looks it up
	call   uint32
}

// recentBits is chosen so that recent fills an eighth of a second-level cache.
const recentBits = 13

// recentAt returns the index of a state in recent.
func recentAt(state uint64) int { return int(state * 0x9e3779b97f4a7c15 >> (64 - recentBits)) }

// tag returns the meaning of a tag.
func (w *walker) tag(tag model.SleepTag) *tagged {
	if weight := int(tag.Weight()); weight < len(w.tags) && w.tags[weight] != nil {
		return w.tags[weight]
	}
	return w.meet(tag)
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

// ahead has the confluent transitions of states that a walker will probably visit, found together so that memory reads
// overlap. The result does not depend on which states these are.
type ahead struct {
	leads
	places [1 << aheadBits]place
	states []uint64
}

// A place is the position of the transitions of a state: the number of the state, plus one, and its index in leads.
type place struct{ number, at uint32 }

const (
	// aheadBits is large enough for most targets of the states that are expanded together.
	aheadBits = 11
	// aheadSteps is the number of steps of the look-ahead.
	aheadSteps = 2
)

// lookAhead finds the confluent transitions of the targets without a known representative, and so on.
func (w *walker) lookAhead(from []arrow) {
	h := &w.ahead
	h.reset()
	clear(h.places[:])
	h.states = h.states[:0]
	for i := range from {
		w.expect(from[i].to, 0)
	}
	for range aheadSteps {
		first := len(h.ends)
		if len(h.states) == 0 || w.lead(h.states, true, &h.leads) != nil {
			return
		}
		h.states = h.states[:0]
		last := len(h.ends)
		for i := first; i < last; i++ {
			if next := h.of(i); len(next) > 0 {
				if _, ok := w.knownAmong(next); !ok {
					w.expect(next[0].to, last)
				}
			}
		}
	}
}

// expect adds a state to the next step of the look-ahead. Its transitions follow the transitions of after other states
// in leads.
func (w *walker) expect(s spot, after int) {
	p := &w.ahead.places[s.number%(1<<aheadBits)]
	if p.number == s.number+1 {
		return
	}
	if _, ok := w.of(s); ok {
		return
	}
	*p = place{s.number + 1, uint32(after + len(w.ahead.states))}
	w.ahead.states = append(w.ahead.states, s.state)
}

// successors returns the confluent transitions of a state. The slice is valid until the next call.
func (w *walker) successors(s spot) ([]arrow, error) {
	h := &w.ahead
	if p := h.places[s.number%(1<<aheadBits)]; p.number == s.number+1 && int(p.at) < len(h.ends) {
		return h.of(int(p.at)), nil
	}
	w.single.reset()
	w.one = append(w.one[:0], s.state)
	err := w.lead(w.one, true, &w.single)
	return w.single.arrows, err
}

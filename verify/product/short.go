package product

import (
	"errors"
	"math/bits"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// accepted returns, by position on a cycle of the system and state of the automaton, whether the automaton accepts a
// run that is there and goes round the cycle for ever. The word has the letters of the cycle. The result is nil if
// there is no room.
func (m *multiplication) accepted(word []uint64) ([][]bool, error) {
	width := uint32(len(m.accepting))
	nodes := uint32(len(word)) * width
	var good [][]bool
	e := &effort.Effort{Context: m.ctx, Limit: max(1, m.System.FreeBytes()-min(m.System.FreeBytes(), m.held))}
	err := effort.Do(m.ctx, func() error {
		e.Hold(8 * uint64(nodes))
		next := func(n, from uint32) (to, edge uint32, ok bool) {
			edges := m.Automaton.Edges[n%width]
			for ; from < uint32(len(edges)); from++ {
				if edges[from].Guard.Has(word[n/width]) {
					return (n/width+1)%uint32(len(word))*width + uint32(edges[from].To), from, true
				}
			}
			return 0, 0, false
		}
		search := graph.NewSearch(e, int(nodes), next)
		for n := range nodes {
			search.Visit(n)
		}
		of, count := search.Components()
		marks, accepts := make([]uint32, count), make([]bool, count)
		cyclic := graph.NewSet(uint32(count))
		each := func(do func(n, to uint32, accept uint32)) {
			for n := range nodes {
				for to, i, ok := next(n, 0); ok; to, i, ok = next(n, i+1) {
					do(n, to, uint32(m.Automaton.Edges[n%width][i].Accept))
				}
			}
		}
		each(func(n, to, accept uint32) {
			if of[n] == of[to] {
				marks[of[n]] |= accept
				cyclic.Add(of[n])
			}
		})
		leads := make([][]uint32, count)
		each(func(n, to, _ uint32) { leads[of[n]] = append(leads[of[n]], of[to]) })
		for c := range accepts { // edges lead to the same or a smaller component
			accepts[c] = cyclic.Has(uint32(c)) && marks[c] == uint32(m.Automaton.All()) ||
				slices.ContainsFunc(leads[c], func(d uint32) bool { return accepts[d] })
		}
		for i := range word {
			row := make([]bool, width)
			for q := range row {
				row[q] = accepts[of[uint32(i)*width+uint32(q)]]
			}
			good = append(good, row)
		}
		return nil
	})
	if errors.Is(err, effort.ErrMemory) {
		return nil, nil
	}
	return good, err
}

// word returns the letters of a cycle.
func (m *multiplication) word(cycle []hop) (word []uint64, err error) {
	places := make([]uint64, len(cycle))
	for i, h := range cycle {
		places[i] = m.place(h.from)
	}
	err = m.System.Expand(places, func(v *explore.Vertex) {
		word = append(word, m.Letters[v.Class]|m.events[cycle[len(word)].kind])
	})
	return word, err
}

// Bounds of the search for a shorter lasso: how many transitions it may look at, and how many states the automaton may
// have.
const (
	maxShorter = 1 << 16
	maxStates  = 64
)

// shorter returns a lasso with fewer steps than l, a shortest one; l if there is none, or if the search for one takes
// too long. The lasso l is a short one of the product, in which a run can close its cycle later than in the system.
//
// The search tries all cycles of the system that a stem leads to. Stems that lead to the same state and the same states
// of the automaton are alike.
func (m *multiplication) shorter(l *Lasso) (*Lasso, error) {
	if m.Chances || len(m.accepting) > maxStates {
		return l, nil
	}
	s := &shortening{multiplication: m, left: maxShorter, spots: make(map[uint64]*spot), met: make(map[beginning]bool)}
	for _, p := range m.starts {
		s.add(stem{beginning: beginning{p, 1 << m.Automaton.Initial}, before: -1})
	}
	s.levels = []int{0, len(s.stems)}
	for steps := 1; steps < len(l.Stem)+len(l.Cycle); steps++ {
		for before := range steps {
			found, err := s.try(before, steps-before)
			if errors.Is(err, errNoWay) {
				return l, nil
			}
			if found != nil || err != nil {
				return found, err
			}
		}
	}
	return l, nil
}

// A shortening is a search for a shorter lasso.
type shortening struct {
	*multiplication
	left   int // how many transitions may still be looked at
	spots  map[uint64]*spot
	met    map[beginning]bool
	stems  []stem // breadth first
	levels []int  // the index of the first stem with so many steps
	path   []way  // that is continued to a cycle
}

// A spot is a state with its transitions: a copy of what is read of a Vertex.
type spot struct {
	to      []uint64
	tags    []uint32
	letter  uint64 // without those of the transitions
	can     uint64 // the actions whose atom is true, as marks
	enabled uint64
}

// A beginning is where a cycle begins: a place, and the states of the automaton there, a bit each.
type beginning struct {
	place  uint64
	states uint64
}

// A stem is a path to a beginning: the index of the stem that is shorter by a step, and the tag of that step.
type stem struct {
	beginning
	before int
	tag    uint32
}

// A way is a transition on a cycle: where it begins, and its index there.
type way struct {
	place uint64
	from  *spot
	t     int
}

func (s *shortening) add(n stem) {
	if n.states != 0 && !s.met[n.beginning] {
		s.met[n.beginning] = true
		s.stems = append(s.stems, n)
	}
}

// spot returns the state at a place.
func (s *shortening) spot(place uint64) (*spot, error) {
	if p := s.spots[place]; p != nil {
		return p, nil
	}
	p := &spot{}
	err := s.System.Expand([]uint64{place}, func(v *explore.Vertex) {
		p.to, p.tags = slices.Clone(v.To), slices.Clone(v.Tags)
		p.letter, p.can, p.enabled = s.Letters[v.Class], s.can[v.Class], s.multiplication.enabled(v)
	})
	s.spots[place] = p
	return p, err
}

// after returns the states of the automaton after a letter.
func (s *shortening) after(states, letter uint64) (next uint64) {
	for ; states != 0; states &= states - 1 {
		for _, e := range s.Automaton.Edges[bits.TrailingZeros64(states)] {
			if e.Guard.Has(letter) {
				next |= 1 << e.To
			}
		}
	}
	return next
}

// each calls do with the transitions of a place, and the states of the automaton after them. The error is errNoWay if
// there are too many.
func (s *shortening) each(at beginning, do func(p *spot, t int, next beginning) error) error {
	p, err := s.spot(at.place)
	if err != nil {
		return err
	}
	if s.left -= len(p.to); s.left < 0 {
		return errNoWay
	}
	for t, to := range p.to {
		next := beginning{to, s.after(at.states, p.letter|s.events[p.tags[t]])}
		if next.states == 0 {
			continue
		}
		if err := do(p, t, next); err != nil {
			return err
		}
	}
	return nil
}

// try looks for a lasso with a stem and a cycle of some numbers of steps. Stems with fewer steps have been tried with
// this cycle.
func (s *shortening) try(before, cycle int) (*Lasso, error) {
	for len(s.levels) < before+2 {
		last := len(s.levels) - 1
		for i := s.levels[last-1]; i < s.levels[last]; i++ {
			err := s.each(s.stems[i].beginning, func(p *spot, t int, next beginning) error {
				s.add(stem{next, i, p.tags[t]})
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		s.levels = append(s.levels, len(s.stems))
	}
	for i := s.levels[before]; i < s.levels[before+1]; i++ {
		s.path = s.path[:0]
		if found, err := s.close(i, s.stems[i].beginning, cycle); found || err != nil {
			return s.lasso(i), err
		}
	}
	return nil, nil
}

// close reports whether a stem can be continued, from a place on, by some steps to a cycle.
func (s *shortening) close(stem int, at beginning, steps int) (found bool, err error) {
	if steps == 0 {
		if at.place != s.stems[stem].place {
			return false, nil
		}
		return s.closed(s.stems[stem].states)
	}
	err = s.each(at, func(p *spot, t int, next beginning) (err error) {
		if found {
			return nil
		}
		s.path = append(s.path, way{at.place, p, t})
		if found, err = s.close(stem, next, steps-1); !found {
			s.path = s.path[:len(s.path)-1]
		}
		return err
	})
	return found, err
}

// closed reports whether the cycle of the path is fair, and accepted by the automaton from one of some states.
func (s *shortening) closed(states uint64) (bool, error) {
	marks, enabled := uint64(s.Automaton.All()), uint64(0)
	var word []uint64
	for _, w := range s.path {
		tag := w.from.tags[w.t]
		marks |= s.does[tag]&w.from.can | s.weak&^w.from.enabled
		enabled |= w.from.enabled
		word = append(word, w.from.letter|s.multiplication.events[tag])
	}
	if s.missing(marks, enabled) != 0 {
		return false, nil
	}
	s.left -= len(word) * len(s.accepting)
	good, err := s.accepted(word)
	if good == nil {
		return false, err
	}
	for ; states != 0; states &= states - 1 {
		if good[0][bits.TrailingZeros64(states)] {
			return true, nil
		}
	}
	return false, nil
}

// lasso returns the stem with an index, and the cycle of the path.
func (s *shortening) lasso(at int) *Lasso {
	l := &Lasso{}
	for i := at; s.stems[i].before >= 0; i = s.stems[i].before {
		n := &s.stems[i]
		l.Stem = append(l.Stem, Step{s.stems[n.before].place, n.place, s.kinds[n.tag]})
	}
	slices.Reverse(l.Stem)
	for _, w := range s.path {
		l.Cycle = append(l.Cycle, Step{w.place, w.from.to[w.t], s.kinds[w.from.tags[w.t]]})
	}
	return l
}

package product

import (
	"errors"
	"math/bits"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// acceptingAt returns, by position on a cycle of the system and state of the automaton, whether the automaton accepts
// the run from there that repeats the cycle for ever. The word has the letters of the cycle. The result is nil if the
// memory is exhausted.
func (m *product) acceptingAt(word []uint64) ([][]bool, error) {
	width := uint32(len(m.accepting))
	nodes := uint32(len(word)) * width
	var good [][]bool
	e := &effort.Effort{Context: m.ctx, Limit: max(1, m.System.FreeBytes()-min(m.System.FreeBytes(), m.usedBytes))}
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

// wordOf returns the letters of a cycle.
func (m *product) wordOf(cycle []pathEdge) (word []uint64, err error) {
	places := make([]uint64, len(cycle))
	for i, h := range cycle {
		places[i] = m.placeOf(h.from)
	}
	err = m.System.Expand(places, func(v *explore.Vertex) {
		word = append(word, m.Letters[v.Class]|m.events[cycle[len(word)].kind])
	})
	return word, err
}

// Bounds of the search for a shorter lasso: the transitions that it visits, and the states of the automaton.
const (
	maxShorter = 1 << 16
	maxStates  = 64
)

// shorten returns a shortest lasso with fewer steps than l; l if no lasso is shorter, or if the search takes too long.
// A shortest lasso of the product need not be a shortest one of the system, where a run can close its cycle earlier.
//
// The search tries all cycles of the system that a stem leads to. Stems that lead to the same state and the same states
// of the automaton are equivalent.
func (m *product) shorten(l *Lasso) (*Lasso, error) {
	if m.Chances || m.follows() || len(m.accepting) > maxStates {
		return l, nil
	}
	s := &shortSearch{product: m, budget: maxShorter,
		vertices: make(map[uint64]*vertex), visited: make(map[cycleStart]bool)}
	for _, p := range m.starts {
		s.add(stem{cycleStart: cycleStart{p, 1 << m.Automaton.Initial}, parent: -1})
	}
	s.levels = []int{0, len(s.stems)}
	for steps := 1; steps < len(l.Stem)+len(l.Cycle); steps++ {
		for before := range steps {
			found, err := s.try(before, steps-before)
			if errors.Is(err, errNoPath) {
				return l, nil
			}
			if found != nil || err != nil {
				return found, err
			}
		}
	}
	return l, nil
}

// A shortSearch is a search for a shorter lasso.
type shortSearch struct {
	*product
	budget   int // the number of transitions that may still be visited
	vertices map[uint64]*vertex
	visited  map[cycleStart]bool
	stems    []stem      // breadth first
	levels   []int       // by number of steps: the index of the first stem
	path     []cycleEdge // a part of a cycle
}

// A vertex is a copy of an explore.Vertex: a state with its transitions.
type vertex struct {
	to           []uint64
	tags         []uint32
	permutations []uint32 // nil unless the system is a quotient by permutations
	atoms        uint64   // in the state, without the atoms of transitions
	possible     uint64   // the actions whose atom is true, as marks
	enabled      uint64
}

// A cycleStart is the start of a cycle: a place, and the states of the automaton there, a bit each.
type cycleStart struct {
	place  uint64
	states uint64
}

// A stem is a path to a cycleStart: the index of the stem without the last step, and the last step.
type stem struct {
	cycleStart
	parent int
	last   cycleEdge
}

// A cycleEdge is a transition, mostly on a cycle: its source, and its index there.
type cycleEdge struct {
	place uint64
	from  *vertex
	t     int
}

// step returns the step of a transition.
func (s *shortSearch) step(w cycleEdge) Step {
	v := explore.Vertex{Place: w.place, To: w.from.to, Tags: w.from.tags, Permutations: w.from.permutations}
	return stepOf(&v, w.t, s.kinds)
}

func (s *shortSearch) add(n stem) {
	if n.states != 0 && !s.visited[n.cycleStart] {
		s.visited[n.cycleStart] = true
		s.stems = append(s.stems, n)
	}
}

// vertexAt returns the state at a place.
func (s *shortSearch) vertexAt(place uint64) (*vertex, error) {
	if p := s.vertices[place]; p != nil {
		return p, nil
	}
	p := &vertex{}
	err := s.System.Expand([]uint64{place}, func(v *explore.Vertex) {
		p.to, p.tags, p.permutations = slices.Clone(v.To), slices.Clone(v.Tags), slices.Clone(v.Permutations)
		p.atoms, p.possible, p.enabled = s.Letters[v.Class], s.product.possible(v.Class), s.product.enabled(v)
	})
	s.vertices[place] = p
	return p, err
}

// successors returns the states of the automaton after a letter.
func (s *shortSearch) successors(states, letter uint64) (next uint64) {
	for ; states != 0; states &= states - 1 {
		for _, e := range s.Automaton.Edges[bits.TrailingZeros64(states)] {
			if e.Guard.Has(letter) {
				next |= 1 << e.To
			}
		}
	}
	return next
}

// transitions calls do with the transitions of a place, and the states of the automaton after them. The error is
// errNoPath if the budget is exceeded.
func (s *shortSearch) transitions(at cycleStart, do func(p *vertex, t int, next cycleStart) error) error {
	p, err := s.vertexAt(at.place)
	if err != nil {
		return err
	}
	if s.budget -= len(p.to); s.budget < 0 {
		return errNoPath
	}
	for t, to := range p.to {
		next := cycleStart{to, s.successors(at.states, p.atoms|s.events[p.tags[t]])}
		if next.states == 0 {
			continue
		}
		if err := do(p, t, next); err != nil {
			return err
		}
	}
	return nil
}

// try looks for a lasso with a stem and a cycle of given numbers of steps. Shorter stems have been tried with this
// cycle.
func (s *shortSearch) try(before, cycle int) (*Lasso, error) {
	for len(s.levels) < before+2 {
		last := len(s.levels) - 1
		for i := s.levels[last-1]; i < s.levels[last]; i++ {
			err := s.transitions(s.stems[i].cycleStart, func(p *vertex, t int, next cycleStart) error {
				s.add(stem{next, i, cycleEdge{s.stems[i].place, p, t}})
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
		if found, err := s.closeCycle(i, s.stems[i].cycleStart, cycle); found || err != nil {
			return s.lasso(i), err
		}
	}
	return nil, nil
}

// closeCycle reports whether a stem can be continued, from a place on, by a number of steps to a cycle.
func (s *shortSearch) closeCycle(stem int, at cycleStart, steps int) (found bool, err error) {
	if steps == 0 {
		if at.place != s.stems[stem].place {
			return false, nil
		}
		return s.isFairCycle(s.stems[stem].states)
	}
	err = s.transitions(at, func(p *vertex, t int, next cycleStart) (err error) {
		if found {
			return nil
		}
		s.path = append(s.path, cycleEdge{at.place, p, t})
		if found, err = s.closeCycle(stem, next, steps-1); !found {
			s.path = s.path[:len(s.path)-1]
		}
		return err
	})
	return found, err
}

// isFairCycle reports whether the cycle of the path is fair, and the automaton accepts it from one of some states.
func (s *shortSearch) isFairCycle(states uint64) (bool, error) {
	marks, enabled := uint64(s.Automaton.All()), uint64(0)
	var word []uint64
	for _, w := range s.path {
		tag := w.from.tags[w.t]
		marks |= s.actionMarks[tag]&w.from.possible | s.weak&^w.from.enabled
		enabled |= w.from.enabled
		word = append(word, w.from.atoms|s.product.events[tag])
	}
	if s.missingMarks(marks, enabled) != 0 {
		return false, nil
	}
	s.budget -= len(word) * len(s.accepting)
	good, err := s.acceptingAt(word)
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
func (s *shortSearch) lasso(at int) *Lasso {
	l := &Lasso{}
	for i := at; s.stems[i].parent >= 0; i = s.stems[i].parent {
		l.Stem = append(l.Stem, s.step(s.stems[i].last))
	}
	slices.Reverse(l.Stem)
	for _, w := range s.path {
		l.Cycle = append(l.Cycle, s.step(w))
	}
	return l
}

package product

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ringcheck/verify/ltl"
)

// A hop is an edge of the product that was taken.
type hop struct {
	from uint32
	pos  position
	to   uint32
}

// lasso returns a run from one of some nodes to the nearest of some parts and round a cycle in it.
func (m *multiplication) lasso(starts []uint32, good []*part) (*Lasso, error) {
	numbers := make(map[uint32]*part)
	for _, p := range good {
		numbers[p.number] = p
	}
	in := func(node uint32) *part { return numbers[good[0].owner[node]] }
	var stem []hop
	i := slices.IndexFunc(starts, func(n uint32) bool { return in(n) != nil })
	if i < 0 {
		var err error
		if stem, err = m.walk(starts, m.next, func(h hop) bool { return in(h.to) != nil }); err != nil {
			return nil, err
		}
	}
	entrance := starts[max(0, i)]
	if i < 0 {
		entrance = stem[len(stem)-1].to
	}
	p := in(entrance)
	cycle, err := p.cycle(entrance)
	if err != nil {
		return nil, err
	}
	return &Lasso{Stem: m.steps(stem), Cycle: m.steps(cycle), Component: len(p.nodes)}, nil
}

func (m *multiplication) steps(hops []hop) []Step {
	steps := make([]Step, len(hops))
	for i, h := range hops {
		steps[i] = Step{h.from / m.width, h.to / m.width, *m.kind(h.pos.transition)}
	}
	return steps
}

// walk returns a shortest way from one of some nodes that ends with an edge that is a goal.
func (m *multiplication) walk(starts []uint32, next func(uint32, *position) (uint32, bool), goal func(hop) bool) ([]hop, error) {
	if m.before == nil {
		m.before = make([]uint32, len(m.low))
	}
	clear(m.before) // else the node from which a node was met first, plus one; a start is met from itself
	queue := slices.Clone(starts)
	for _, n := range starts {
		m.before[n] = n + 1
	}
	for i := 0; i < len(queue); i++ {
		if m.interrupted() {
			return nil, m.ctx.Err()
		}
		from := queue[i]
		pos := m.start(from)
		for to, ok := next(from, &pos); ok; to, ok = next(from, &pos) {
			if h := (hop{from, pos, to}); goal(h) {
				return m.back(h, next), nil
			}
			if m.before[to] == 0 {
				m.before[to] = from + 1
				queue = append(queue, to)
			}
		}
	}
	return nil, errors.New("search for a cycle: there is no way")
}

// back returns the way that ends with an edge.
func (m *multiplication) back(last hop, next func(uint32, *position) (uint32, bool)) []hop {
	way := []hop{last}
	for to := last.from; m.before[to] != to+1; to = way[len(way)-1].from {
		from := m.before[to] - 1
		pos := m.start(from)
		for n, ok := next(from, &pos); ok && n != to; n, ok = next(from, &pos) {
		}
		way = append(way, hop{from, pos, to})
	}
	slices.Reverse(way)
	return way
}

// cycle returns a way from a node of the part back to it that has all marks. It goes to the nearest edge with a mark that is missing, again and
// again, and home.
func (p *part) cycle(home uint32) ([]hop, error) {
	m := p.m
	var way []hop
	var have marks
	var enabled uint64 // of the strongly fair actions, on the way
	need := func() marks {
		return marks{uint64(m.Automaton.All()) &^ have.sets, (m.weak | m.strong&enabled) &^ have.fair}
	}
	at := home
	for {
		missing := need()
		if missing == (marks{}) && at == home && len(way) > 0 {
			return way, nil
		}
		hops, err := m.walk([]uint32{at}, p.next, func(h hop) bool {
			k := m.marksOf(h.from, h.pos)
			return missing == (marks{}) && h.to == home || k.sets&missing.sets != 0 || k.fair&missing.fair != 0
		})
		if err != nil {
			return nil, err
		}
		for _, h := range hops {
			k := m.marksOf(h.from, h.pos)
			have.sets |= k.sets
			have.fair |= k.fair
			enabled |= m.enabled(h.from / m.width)
		}
		way = append(way, hops...)
		at = hops[len(hops)-1].to
	}
}

// Starved returns the actions to which a lasso is not fair: with weak fairness those that can be taken all the time on the cycle and are not,
// with strong fairness those that can be taken sometime on it.
func (s *Search) Starved(l *Lasso, strong bool) []int {
	m := &multiplication{Search: s, Graph: s.Graph, width: 1}
	m.prepare()
	always, sometimes, taken := ^uint64(0), uint64(0), uint64(0)
	for _, step := range l.Cycle {
		e := m.enabled(step.From)
		always &= e
		sometimes |= e
		taken |= m.does[slices.Index(m.Kinds, step.Kind)] & m.can[m.classes.at(uint64(step.From))]
	}
	if strong {
		always = sometimes
	}
	var starved []int
	for rest := always &^ taken; rest != 0; rest &= rest - 1 {
		starved = append(starved, bits.TrailingZeros64(rest))
	}
	return starved
}

// Word returns the letters of some steps.
func (s *Search) Word(steps []Step) []uint64 {
	word := make([]uint64, len(steps))
	for i, step := range steps {
		word[i] = s.Letters[s.Graph.classes.at(uint64(step.From))] | s.Events(step.Kind)
	}
	return word
}

// Check returns an error unless a lasso is a fair run of the graph of which a formula holds. It follows the definitions.
func (s *Search) Check(l *Lasso, f *ltl.Formula) error {
	if len(l.Cycle) == 0 {
		return errors.New("a lasso without a cycle")
	}
	run := slices.Concat(l.Stem, l.Cycle)
	if !slices.Contains(s.Graph.Initial, run[0].From) {
		return errors.New("a lasso does not begin in an initial state")
	}
	for i, step := range run {
		after := l.Cycle[0].From
		if i+1 < len(run) {
			after = run[i+1].From
		}
		if step.To != after || !s.Graph.has(step) {
			return fmt.Errorf("step %d of a lasso is not one of the system", i)
		}
	}
	for _, strong := range []bool{false, true} {
		for _, i := range s.Starved(l, strong) {
			if s.Actions[i].Strong == strong {
				return fmt.Errorf("a lasso is not fair to action %d", i)
			}
		}
	}
	if !f.Holds(s.Word(l.Stem), s.Word(l.Cycle)) {
		return errors.New("a lasso does not satisfy the formula")
	}
	return nil
}

func (g *Graph) has(step Step) bool {
	for t, end := g.transitions(step.From); t < end; t++ {
		if g.to.at(t) == step.To && *g.kind(t) == step.Kind {
			return true
		}
	}
	return false
}

package product

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"ringcheck/explore"
	"ringcheck/graph"
	"ringcheck/ltl"
)

// A hop is an edge of the product that was taken.
type hop struct {
	from, to node
	kind     uint32
	marks    uint64
	enabled  uint64 // of the strongly fair actions, where it begins
}

// A node is q * places + place.
type node = uint32

func (m *multiplication) node(q int, place uint64) node { return node(uint64(q)*m.places + place) }

func (m *multiplication) place(n node) uint64 { return uint64(n) % m.places }

// placesOf appends the places of some nodes.
func (m *multiplication) placesOf(nodes []node, places []uint64) []uint64 {
	for _, n := range nodes {
		places = append(places, m.place(n))
	}
	return places
}

func (m *multiplication) state(n node) int { return int(uint64(n) / m.places) }

// maxTried is how many nodes the search for the shortest stem may meet in vain.
const maxTried = 1 << 20

// lasso returns a run to a node that is alive and round a cycle from there. Its stem in the product is as short as
// possible, except in a large product with many nodes between its components: a node to which no cycle returns is not
// on one, and after many of these the run goes on from such a node until a cycle closes.
func (m *multiplication) lasso() (*Lasso, error) {
	err := m.fits(m.counting)
	if err == nil {
		err = m.cut()
	}
	if err != nil {
		return nil, err
	}
	var starts []node
	for _, p := range m.starts {
		starts = append(starts, m.node(m.Automaton.Initial, p))
	}
	s := &walker{m: m}
	between := make(map[node]bool)
	wanted := func(n node) bool { return m.isAlive(n) && !between[n] }
	for {
		var stem []hop
		entrance := starts[max(0, slices.IndexFunc(starts, wanted))]
		if !wanted(entrance) {
			var err error
			if stem, err = s.walk(starts, false, func(h hop) bool { return wanted(h.to) }); err != nil {
				return nil, err
			}
			entrance = stem[len(stem)-1].to
		}
		for {
			cycle, closed, err := s.cycle(entrance)
			if err != nil {
				return nil, err
			}
			if closed {
				return fold(m.steps(stem), m.steps(cycle)), nil
			}
			if between[entrance] = true; s.tried < maxTried {
				break
			}
			stem = append(stem, cycle...)
			entrance = stem[len(stem)-1].to
		}
	}
}

func (m *multiplication) isAlive(n node) bool {
	s := m.alive[m.state(n)]
	return s != nil && s.Has(m.place(n))
}

func (m *multiplication) steps(hops []hop) []Step {
	steps := make([]Step, len(hops))
	for i, h := range hops {
		steps[i] = Step{m.place(h.from), m.place(h.to), m.kinds[h.kind]}
	}
	return steps
}

// fold returns the lasso of the same run whose cycle does not repeat a shorter one and begins as early as possible. A
// run can close its cycle later in the product than in the system, since several nodes have the same place.
func fold(stem, cycle []Step) *Lasso {
	for period := 1; period < len(cycle); period++ {
		if len(cycle)%period == 0 && slices.Equal(cycle[period:], cycle[:len(cycle)-period]) {
			cycle = cycle[:period]
		}
	}
	again := 0 // the last steps of the stem, which go around the cycle backwards
	for again < len(stem) && stem[len(stem)-1-again] == cycle[len(cycle)-1-again%len(cycle)] {
		again++
	}
	turn := len(cycle) - again%len(cycle)
	return &Lasso{stem[:len(stem)-again], slices.Concat(cycle[turn:], cycle[:turn])}
}

// many is the count from which on edges to a node are no longer counted; up to as many workers may still add one.
const many = 1<<7 - 1

// cut eliminates nodes to which no edge leads from one that is alive, until there are none: those before the first
// cycles.
func (m *multiplication) cut() error {
	defer clear(m.counts)
	queue, err := m.sources()
	var next []uint64
	for ; len(queue) > 0 && err == nil; queue, next = next, queue {
		next = next[:0]
		for some := range slices.Chunk(queue, batch) {
			var full error
			err = m.System.Expand(some, func(v *explore.Vertex) {
				m.drop(v, func(place uint64) {
					full = cmp.Or(full, push(m, &next, place, m.counting+8*uint64(cap(queue))))
				})
			})
			if err = cmp.Or(full, err, m.ctx.Err()); err != nil {
				return err
			}
		}
	}
	return err
}

// drop eliminates the nodes of a state to which no edge leads, and calls lost with the places of others to which none
// leads any more.
func (m *multiplication) drop(v *explore.Vertex, lost func(place uint64)) {
	for q, s := range m.alive {
		if s == nil || !s.Has(v.Place) || m.counts[q].at(v.Place) > 0 {
			continue
		}
		m.inside(v, q, func(e edge) bool {
			if c := m.counts[e.To]; c.at(v.To[e.t]) < many {
				c.change(v.To[e.t], ^uint64(0))
				if c.at(v.To[e.t]) == 0 {
					lost(v.To[e.t])
				}
			}
			return true
		})
		s.Remove(v.Place)
	}
}

// push appends to a list. When the list is full, there must be room for a larger one beside it and for other bytes that
// are held.
func push[E any](m *multiplication, list *[]E, element E, others uint64) error {
	if n := len(*list); n == cap(*list) {
		larger := n + n/4 + batch
		if err := m.fits(others + uint64(n+larger)*uint64(unsafe.Sizeof(element))); err != nil {
			return err
		}
		*list = append(make([]E, 0, larger), *list...)
	}
	*list = append(*list, element)
	return nil
}

// sources counts the edges inside that lead to each node that is alive, and returns the places of those to which none
// does.
func (m *multiplication) sources() ([]uint64, error) {
	for q, s := range m.alive {
		if s != nil {
			m.counts[q] = newPacked(m.places, 8)
		}
	}
	living := explore.Selection{Number: m.left.Has, Place: m.living}
	err := m.System.Sweep(m.ctx, false, living, func(v *explore.Vertex) {
		for q, s := range m.alive {
			if s != nil && s.Has(v.Place) {
				m.inside(v, q, func(e edge) bool {
					if c := m.counts[e.To]; c.at(v.To[e.t]) < many {
						c.change(v.To[e.t], 1)
					}
					return true
				})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var places []uint64
	for p := range m.everywhere {
		for q, s := range m.alive {
			if s != nil && s.Has(p) && m.counts[q].at(p) == 0 {
				err = cmp.Or(err, push(m, &places, p, m.counting))
			}
		}
	}
	return places, cmp.Or(err, m.ctx.Err())
}

// batch is how many nodes are expanded together.
const batch = 256

// A walker searches the product breadth first.
type walker struct {
	m     *multiplication
	seen  graph.Set[uint64] // nodes
	met   []node
	turns []turn
	tried int // how many nodes all walks have met
}

// A turn is up to batch nodes that were expanded together: the index of the first, and how many nodes had been met.
type turn struct{ first, met int }

// expanded returns the nodes of a turn.
func (s *walker) expanded(t turn) []node { return s.met[t.first:min(t.first+batch, t.met)] }

// errNoWay means that a walk cannot reach its goal.
var errNoWay = errors.New("search for a cycle: there is no way")

// walk returns a shortest path from one of some nodes that ends with a goal, by edges inside if so asked.
func (s *walker) walk(starts []node, inside bool, goal func(hop) bool) ([]hop, error) {
	m := s.m
	if err := s.begin(starts); err != nil {
		return nil, err
	}
	var last *hop
	var end int // the index in met of where last begins
	var places []uint64
	for i := 0; i < len(s.met) && last == nil; {
		s.turns = append(s.turns, turn{i, len(s.met)})
		places = m.placesOf(s.expanded(s.turns[len(s.turns)-1]), places[:0])
		var full error
		err := m.System.Expand(places, func(v *explore.Vertex) {
			s.hops(v, s.met[i], inside, func(h hop) bool {
				if last == nil && goal(h) {
					last, end = &h, i
				}
				if last == nil && full == nil && !s.seen.Has(uint64(h.to)) {
					full = s.meet(h.to)
				}
				return last == nil
			})
			i++
		})
		if err := cmp.Or(full, err, m.ctx.Err()); err != nil {
			return nil, err
		}
	}
	s.tried += len(s.met)
	if last == nil {
		return nil, errNoWay
	}
	return s.back(*last, end, len(starts), inside)
}

// begin forgets what was met before.
func (s *walker) begin(starts []node) error {
	if s.seen == nil {
		nodes := s.m.places * uint64(len(s.m.accepting))
		if err := s.m.fits(nodes / 8); err != nil {
			return err
		}
		s.seen = graph.NewSet(nodes)
	}
	for _, n := range s.met {
		s.seen.Remove(uint64(n))
	}
	s.met, s.turns = s.met[:0], s.turns[:0]
	for _, n := range starts {
		if err := s.meet(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *walker) meet(n node) error {
	s.seen.Add(uint64(n))
	return push(s.m, &s.met, n, 8*uint64(len(s.seen)))
}

// hops calls do with the edges of a node until it returns false.
func (s *walker) hops(v *explore.Vertex, from node, inside bool, do func(hop) bool) {
	m, q := s.m, s.m.state(from)
	enabled := m.enabled(v)
	each := func(e edge) bool {
		return do(hop{from, m.node(e.To, v.To[e.t]), v.Tags[e.t], m.marksOf(v, e, enabled), enabled})
	}
	if inside {
		m.inside(v, q, each)
	} else {
		m.each(v, q, 0, len(v.To), each)
	}
}

// back returns the path that ends with an edge from node number at of those met, which begin with the starts. A node
// was first met from a node of the last turn before it.
func (s *walker) back(last hop, at, starts int, inside bool) ([]hop, error) {
	way := []hop{last}
	var places []uint64
	for at >= starts {
		i, _ := slices.BinarySearchFunc(s.turns, at+1, func(t turn, met int) int { return cmp.Compare(t.met, met) })
		to, found := s.met[at], false
		places = s.m.placesOf(s.expanded(s.turns[i-1]), places[:0])
		at = s.turns[i-1].first
		err := s.m.System.Expand(places, func(v *explore.Vertex) {
			if found {
				return
			}
			s.hops(v, s.met[at], inside, func(h hop) bool {
				if found = h.to == to; found {
					way = append(way, h)
				}
				return !found
			})
			if !found {
				at++
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(way)
	return way, nil
}

// cycle returns a path from a node that is alive back to it with all marks: to the nearest edge with a missing mark,
// again and again, and home. It is not closed if no path leads home.
func (s *walker) cycle(home node) (way []hop, closed bool, err error) {
	m := s.m
	have, enabled := uint64(0), uint64(0)
	for at := home; ; at = way[len(way)-1].to {
		missing := (m.every&^m.strong | m.strong&enabled) &^ have
		if missing == 0 && at == home && len(way) > 0 {
			return way, true, nil
		}
		goal := func(h hop) bool { return missing == 0 && h.to == home || h.marks&missing != 0 }
		hops, err := s.walk([]node{at}, true, goal)
		if errors.Is(err, errNoWay) {
			if len(way) == 0 { // a step further at least
				way, err = s.walk([]node{at}, true, func(hop) bool { return true })
				return way, false, err
			}
			return way, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		for _, h := range hops {
			have |= h.marks
			enabled |= h.enabled
		}
		way = append(way, hops...)
	}
}

// Starved returns the actions that are never taken on the cycle of a lasso though they are enabled in all of its states
// or, if strong, in one.
func (s *Search) Starved(l *Lasso, strong bool) ([]int, error) {
	always, sometimes, taken := ^uint64(0), uint64(0), uint64(0)
	i := 0
	err := s.System.Expand(froms(l.Cycle), func(v *explore.Vertex) {
		here := uint64(0)
		for j, a := range s.Actions {
			if a.At >= 0 && s.Letters[v.Class]>>a.At&1 == 0 {
				continue
			}
			if slices.ContainsFunc(v.Tags, func(k uint32) bool { return a.Is(s.System.Kinds()[k]) }) {
				here |= 1 << j
			}
			if a.Is(l.Cycle[i].Kind) {
				taken |= 1 << j
			}
		}
		always &= here
		sometimes |= here
		i++
	})
	if strong {
		always = sometimes
	}
	var starved []int
	for rest := always &^ taken; rest != 0; rest &= rest - 1 {
		starved = append(starved, bits.TrailingZeros64(rest))
	}
	return starved, err
}

// Fair reports whether a lasso is fair to the actions.
func (s *Search) Fair(l *Lasso) (bool, error) {
	for _, strong := range []bool{false, true} {
		starved, err := s.Starved(l, strong)
		if err != nil || slices.ContainsFunc(starved, func(i int) bool { return s.Actions[i].Strong == strong }) {
			return false, err
		}
	}
	return true, nil
}

// froms returns where some steps begin.
func froms(steps []Step) []uint64 {
	places := make([]uint64, len(steps))
	for i, s := range steps {
		places[i] = s.From
	}
	return places
}

// Check returns an error unless a lasso is a fair run of the system of which a formula holds. It follows the
// definitions.
func (s *Search) Check(l *Lasso, f *ltl.Formula) error {
	if len(l.Cycle) == 0 {
		return errors.New("a lasso without a cycle")
	}
	run := slices.Concat(l.Stem, l.Cycle)
	if !slices.Contains(s.System.Initial(), run[0].From) {
		return errors.New("a lasso does not begin in an initial state")
	}
	var word []uint64
	wrong := -1
	err := s.System.Expand(froms(run), func(v *explore.Vertex) {
		i := len(word)
		step, after := run[i], l.Cycle[0].From
		if i+1 < len(run) {
			after = run[i+1].From
		}
		has := false
		for t, to := range v.To {
			has = has || to == after && to == step.To && s.System.Kinds()[v.Tags[t]] == step.Kind
		}
		if !has && wrong < 0 {
			wrong = i
		}
		word = append(word, s.Letters[v.Class]|s.Events(step.Kind))
	})
	if err != nil {
		return err
	}
	if wrong >= 0 {
		return fmt.Errorf("step %d of a lasso is not one of the system", wrong)
	}
	if fair, err := s.Fair(l); err != nil || !fair {
		return cmp.Or(err, errors.New("a lasso is not fair"))
	}
	if !f.Holds(word[:len(l.Stem)], word[len(l.Stem):]) {
		return errors.New("a lasso does not satisfy the formula")
	}
	return nil
}

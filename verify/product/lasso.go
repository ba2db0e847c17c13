package product

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model/ltl"
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

// lasso returns a run to a node that is alive and round a cycle from there. The cycle is through the first entry that
// is on one, breadth first, except in a large product with many nodes between its components: a node to which no cycle
// returns is not on one, and after many of these the run goes on from such a node until a cycle closes. The stem is as
// short as possible, given the cycle.
func (m *multiplication) lasso() (*Lasso, error) {
	stems, cycles := &walker{m: m}, &walker{m: m}
	if err := stems.begin(m.initial()); err != nil {
		return nil, err
	}
	for {
		entry, err := stems.entry()
		for closed := false; err == nil; {
			var way []hop
			if way, closed, err = cycles.cycle(entry); closed {
				return stems.reach(way)
			}
			if cycles.tried < maxTried {
				break
			}
			entry = way[len(way)-1].to
		}
		if err != nil {
			return nil, err
		}
	}
}

// entry returns the next node met that is alive and to which an edge leads back.
func (s *walker) entry() (node, error) {
	for {
		for ; s.looked < len(s.met); s.looked++ {
			n := s.met[s.looked]
			q, place := s.m.state(n), s.m.place(n)
			if alive := s.m.alive[q]; alive != nil && alive.Has(place) && s.m.entries[q].Has(place) {
				s.looked++
				return n, nil
			}
		}
		if _, _, err := s.turn(false, func(hop) bool { return false }); err != nil {
			return 0, err
		}
	}
}

// reach returns the run that comes to a cycle on a shortest way from where the walker has begun, the initial nodes. The
// way may end in any node with a place of the cycle from which the automaton accepts the run round the cycle.
func (s *walker) reach(cycle []hop) (*Lasso, error) {
	on, err := s.m.around(cycle)
	if err != nil {
		return nil, err
	}
	for at := 0; ; at++ {
		for at == len(s.met) {
			if _, _, err := s.turn(false, func(hop) bool { return false }); err != nil {
				return nil, err
			}
		}
		if turn, ok := on[s.met[at]]; ok {
			stem, err := s.back(at, false)
			return fold(s.m.steps(stem), s.m.steps(slices.Concat(cycle[turn:], cycle[:turn]))), err
		}
	}
}

// around returns the nodes from which a run can go round a cycle, with their positions on it. With chances, these are
// only those of the cycle, in which a scheduler can stay.
func (m *multiplication) around(cycle []hop) (map[node]int, error) {
	on := make(map[node]int)
	for i, h := range cycle {
		on[h.from] = i
	}
	if m.Chances {
		return on, nil
	}
	word, err := m.word(cycle)
	if err != nil {
		return nil, err
	}
	good, err := m.accepted(word)
	for i, row := range good {
		for q, accepts := range row {
			if accepts {
				on[m.node(q, m.place(cycle[i].from))] = i
			}
		}
	}
	return on, err
}

// initial returns the nodes in which runs begin.
func (m *multiplication) initial() []node {
	var list []node
	for _, p := range m.starts {
		list = append(list, m.node(m.Automaton.Initial, p))
	}
	return list
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

// batch is how many nodes are expanded together.
const batch = 256

// A walker searches the product breadth first.
type walker struct {
	m      *multiplication
	seen   graph.Set[uint64] // nodes
	starts int               // how many nodes a walk begins with
	met    []node            // those first
	turns  []turn
	next   int // the index in met of the node to be expanded next
	looked int // how many of those met entry has looked at
	places []uint64
	most   int // how many nodes the walks may meet, if not 0
	tried  int // how many they have met
}

// A turn is up to batch nodes that were expanded together: the index of the first, and how many nodes had been met.
type turn struct{ first, met int }

// expanded returns the nodes of a turn.
func (s *walker) expanded(t turn) []node { return s.met[t.first:min(t.first+batch, t.met)] }

// errNoWay means that a walk cannot reach its goal, or has met too many nodes.
var errNoWay = errors.New("search for a cycle: there is no path")

// walk returns a shortest path from one of some nodes that ends with a goal, by edges inside if so asked.
func (s *walker) walk(starts []node, inside bool, goal func(hop) bool) ([]hop, error) {
	if err := s.begin(starts); err != nil {
		return nil, err
	}
	for {
		last, at, err := s.turn(inside, goal)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			way, err := s.back(at, inside)
			return append(way, last), err
		}
	}
}

// turn expands the nodes that were met next, until an edge is a goal, the last: it begins at the node with index at in
// met. If none is, at is negative.
func (s *walker) turn(inside bool, goal func(hop) bool) (last hop, at int, err error) {
	if s.next == len(s.met) || s.most > 0 && s.tried > s.most {
		return hop{}, -1, errNoWay
	}
	at = -1
	before := len(s.met)
	s.turns = append(s.turns, turn{s.next, before})
	i := s.next
	expanded := s.expanded(s.turns[len(s.turns)-1])
	s.next += len(expanded)
	s.places = s.m.placesOf(expanded, s.places[:0])
	var full error
	err = s.m.System.Expand(s.places, func(v *explore.Vertex) {
		s.m.hops(v, s.met[i], inside, func(h hop) bool {
			if at < 0 && goal(h) {
				last, at = h, i
			}
			if at < 0 && full == nil && !s.seen.Has(uint64(h.to)) {
				full = s.meet(h.to)
			}
			return at < 0
		})
		i++
	})
	s.tried += len(s.met) - before
	return last, at, cmp.Or(full, err, s.m.ctx.Err())
}

// begin forgets what was met before.
func (s *walker) begin(starts []node) error {
	if s.seen == nil {
		nodes := s.m.places * uint64(len(s.m.accepting))
		if err := s.m.fits(nodes / 8); err != nil {
			return err
		}
		s.m.held += nodes / 8
		s.seen = graph.NewSet(nodes)
	}
	for _, n := range s.met {
		s.seen.Remove(uint64(n))
	}
	s.starts, s.met, s.turns, s.next, s.looked = len(starts), s.met[:0], s.turns[:0], 0, 0
	for _, n := range starts {
		if err := s.meet(n); err != nil {
			return err
		}
	}
	return nil
}

// meet notes a node. When the list is full, there must be room for a larger one beside it.
func (s *walker) meet(n node) error {
	s.seen.Add(uint64(n))
	if met := len(s.met); met == cap(s.met) {
		larger := met + met/4 + batch
		if err := s.m.fits(4 * uint64(larger)); err != nil {
			return err
		}
		s.m.held += 4 * uint64(larger-met)
		s.met = append(make([]node, 0, larger), s.met...)
	}
	s.met = append(s.met, n)
	return nil
}

// hops calls do with the edges of a node until it returns false.
func (m *multiplication) hops(v *explore.Vertex, from node, inside bool, do func(hop) bool) {
	q := m.state(from)
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

// back returns the path on which the walk came to the node with index at in met. A node was first met from one of the
// last turn before it.
func (s *walker) back(at int, inside bool) (way []hop, err error) {
	for at >= s.starts {
		i, _ := slices.BinarySearchFunc(s.turns, at+1, func(t turn, met int) int { return cmp.Compare(t.met, met) })
		to, found := s.met[at], false
		s.places = s.m.placesOf(s.expanded(s.turns[i-1]), s.places[:0])
		at = s.turns[i-1].first
		err = s.m.System.Expand(s.places, func(v *explore.Vertex) {
			if found {
				return
			}
			s.m.hops(v, s.met[at], inside, func(h hop) bool {
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
		missing := m.missing(have, enabled)
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

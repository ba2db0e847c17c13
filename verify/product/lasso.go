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

// A pathEdge is an edge of the product on a path.
type pathEdge struct {
	from, to node
	kind     uint32
	by       uint32 // its permutation
	marks    uint64
	enabled  uint64 // the enabled actions in its source
}

// A node is q * places + place.
type node = uint32

func (m *product) nodeOf(q int, place uint64) node { return node(uint64(q)*m.places + place) }

func (m *product) placeOf(n node) uint64 { return uint64(n) % m.places }

// placesOf appends the places of some nodes.
func (m *product) placesOf(nodes []node, places []uint64) []uint64 {
	for _, n := range nodes {
		places = append(places, m.placeOf(n))
	}
	return places
}

func (m *product) stateOf(n node) int { return int(uint64(n) / m.places) }

// maxCycleNodes limits the nodes that the searches for a shortest cycle visit.
const maxCycleNodes = 1 << 20

// lasso returns a run to an alive node and around a cycle from there. The cycle is through the first entry,
// breadth-first, that is on a cycle. In a large product, many entries may be on no cycle. After many of them, the run
// goes on from such an entry until a cycle closes. The stem is as short as possible, given the cycle.
func (m *product) lasso() (*Lasso, error) {
	stems, cycles := &bfs{m: m}, &bfs{m: m}
	if err := stems.restart(m.initial()); err != nil {
		return nil, err
	}
	for {
		entry, err := stems.nextEntry()
		for closed := false; err == nil; {
			var way []pathEdge
			if way, closed, err = cycles.cycle(entry); closed {
				return stems.runTo(way)
			}
			if cycles.total < maxCycleNodes {
				break
			}
			entry = way[len(way)-1].to
		}
		if err != nil {
			return nil, err
		}
	}
}

// nextEntry returns the next node of the queue that is alive and to which an edge leads back.
func (s *bfs) nextEntry() (node, error) {
	for {
		for ; s.examined < len(s.queue); s.examined++ {
			n := s.queue[s.examined]
			q, place := s.m.stateOf(n), s.m.placeOf(n)
			if alive := s.m.alive[q]; alive != nil && alive.Has(place) && s.m.backTargets[q].Has(place) {
				s.examined++
				return n, nil
			}
		}
		if _, _, err := s.expandBatch(false, func(pathEdge) bool { return false }); err != nil {
			return 0, err
		}
	}
}

// runTo returns the run that reaches a cycle on a shortest path from the starts of the search, the initial nodes. The
// path may end in any node with a place of the cycle from which the automaton accepts the run around the cycle.
func (s *bfs) runTo(cycle []pathEdge) (*Lasso, error) {
	on, err := s.m.cycleEntries(cycle)
	if err != nil {
		return nil, err
	}
	for at := 0; ; at++ {
		for at == len(s.queue) {
			if _, _, err := s.expandBatch(false, func(pathEdge) bool { return false }); err != nil {
				return nil, err
			}
		}
		if turn, ok := on[s.queue[at]]; ok {
			stem, err := s.pathTo(at, false)
			return fold(s.m.steps(stem), s.m.steps(slices.Concat(cycle[turn:], cycle[:turn]))), err
		}
	}
}

// cycleEntries returns the nodes from which a run around a cycle is accepted, with their positions on it. With chances,
// these are only the nodes of the cycle, in which a scheduler can stay.
func (m *product) cycleEntries(cycle []pathEdge) (map[node]int, error) {
	on := make(map[node]int)
	for i, h := range cycle {
		on[h.from] = i
	}
	if m.Chances {
		return on, nil
	}
	word, err := m.wordOf(cycle)
	if err != nil {
		return nil, err
	}
	good, err := m.acceptingAt(word)
	for i, row := range good {
		for q, accepts := range row {
			if accepts {
				on[m.nodeOf(q, m.placeOf(cycle[i].from))] = i
			}
		}
	}
	return on, err
}

// initial returns the initial nodes.
func (m *product) initial() []node {
	var list []node
	for _, p := range m.starts {
		list = append(list, m.nodeOf(m.Automaton.Initial, p))
	}
	return list
}

func (m *product) steps(hops []pathEdge) []Step {
	steps := make([]Step, len(hops))
	for i, h := range hops {
		steps[i] = Step{m.placeOf(h.from), m.placeOf(h.to), m.kinds[h.kind], h.by}
	}
	return steps
}

// fold returns the lasso of the same run whose cycle does not repeat a shorter one and begins as early as possible. A
// run can close its cycle later in the product than in the system, because several nodes have the same place.
func fold(stem, cycle []Step) *Lasso {
	for period := 1; period < len(cycle); period++ {
		if len(cycle)%period == 0 && slices.Equal(cycle[period:], cycle[:len(cycle)-period]) {
			cycle = cycle[:period]
		}
	}
	again := 0 // the number of last steps of the stem that are on the cycle
	for again < len(stem) && stem[len(stem)-1-again] == cycle[len(cycle)-1-again%len(cycle)] {
		again++
	}
	turn := len(cycle) - again%len(cycle)
	return &Lasso{stem[:len(stem)-again], slices.Concat(cycle[turn:], cycle[:turn])}
}

// batchSize is the number of nodes that are expanded together.
const batchSize = 256

// A bfs is a breadth-first search of the product.
type bfs struct {
	m        *product
	visited  graph.Set[uint64] // nodes
	starts   int               // the number of nodes with which the search begins
	queue    []node            // all visited nodes, in the order of their visits
	batches  []nodeBatch
	next     int // the index in queue of the node that is expanded next
	examined int // the number of nodes of the queue that nextEntry has examined
	places   []uint64
	limit    int // on total, if not 0
	total    int // the number of nodes that this and earlier searches have visited
	// edges calls a function with the edges of a node until it returns false; nil means product.pathEdges.
	edges func(v *explore.Vertex, from node, do func(pathEdge) bool)
}

// eachEdge calls do with the edges of a node until it returns false. With inside, they are inner edges.
func (s *bfs) eachEdge(v *explore.Vertex, from node, inside bool, do func(pathEdge) bool) {
	if s.edges != nil {
		s.edges(v, from, do)
	} else {
		s.m.pathEdges(v, from, inside, do)
	}
}

// A nodeBatch is up to batchSize nodes that were expanded together: the index of the first, and the length of the queue
// then.
type nodeBatch struct{ first, end int }

// nodesOf returns the nodes of a batch.
func (s *bfs) nodesOf(t nodeBatch) []node { return s.queue[t.first:min(t.first+batchSize, t.end)] }

// errNoPath means that a search cannot reach its goal, or has exceeded its limit.
var errNoPath = errors.New("search for a cycle: there is no path")

// path returns a shortest path from one of some nodes that ends with a goal. With inside, it consists of inner edges.
func (s *bfs) path(starts []node, inside bool, goal func(pathEdge) bool) ([]pathEdge, error) {
	if err := s.restart(starts); err != nil {
		return nil, err
	}
	for {
		last, at, err := s.expandBatch(inside, goal)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			way, err := s.pathTo(at, inside)
			return append(way, last), err
		}
	}
}

// expandBatch expands the next nodes of the queue, until an edge is a goal. It returns that edge, and the index in
// queue of its source, which is negative if no edge is a goal.
func (s *bfs) expandBatch(inside bool, goal func(pathEdge) bool) (last pathEdge, at int, err error) {
	if s.next == len(s.queue) || s.limit > 0 && s.total > s.limit {
		return pathEdge{}, -1, errNoPath
	}
	at = -1
	before := len(s.queue)
	s.batches = append(s.batches, nodeBatch{s.next, before})
	i := s.next
	expanded := s.nodesOf(s.batches[len(s.batches)-1])
	s.next += len(expanded)
	s.places = s.m.placesOf(expanded, s.places[:0])
	var full error
	err = s.m.System.Expand(s.places, func(v *explore.Vertex) {
		s.eachEdge(v, s.queue[i], inside, func(h pathEdge) bool {
			if at < 0 && goal(h) {
				last, at = h, i
			}
			if at < 0 && full == nil && !s.visited.Has(uint64(h.to)) {
				full = s.add(h.to)
			}
			return at < 0
		})
		i++
	})
	s.total += len(s.queue) - before
	return last, at, cmp.Or(full, err, s.m.ctx.Err())
}

// restart begins a new search.
func (s *bfs) restart(starts []node) error {
	if s.visited == nil {
		nodes := s.m.places * uint64(len(s.m.accepting))
		if err := s.m.checkMemory(nodes / 8); err != nil {
			return err
		}
		s.m.usedBytes += nodes / 8
		s.visited = graph.NewSet(nodes)
	}
	for _, n := range s.queue {
		s.visited.Remove(uint64(n))
	}
	s.starts, s.queue, s.batches, s.next, s.examined = len(starts), s.queue[:0], s.batches[:0], 0, 0
	for _, n := range starts {
		if err := s.add(n); err != nil {
			return err
		}
	}
	return nil
}

// add adds a node to the queue. A full queue needs memory for a larger one beside it.
func (s *bfs) add(n node) error {
	s.visited.Add(uint64(n))
	if met := len(s.queue); met == cap(s.queue) {
		larger := met + met/4 + batchSize
		if err := s.m.checkMemory(4 * uint64(larger)); err != nil {
			return err
		}
		s.m.usedBytes += 4 * uint64(larger-met)
		s.queue = append(make([]node, 0, larger), s.queue...)
	}
	s.queue = append(s.queue, n)
	return nil
}

// pathEdges calls do with the edges of a node until it returns false.
func (m *product) pathEdges(v *explore.Vertex, from node, inside bool, do func(pathEdge) bool) {
	q := m.stateOf(from)
	enabled := m.enabled(v)
	each := func(e edge) bool {
		return do(pathEdge{from, m.nodeOf(e.To, v.To[e.t]), v.Tags[e.t], permutationOf(v, e.t),
			m.marksOf(v, e, enabled), enabled})
	}
	if inside {
		m.innerEdges(v, q, each)
	} else {
		m.edges(v, q, 0, len(v.To), each)
	}
}

// pathTo returns the path of the search to the node with index at in queue. A node was first reached from the last
// batch before it.
func (s *bfs) pathTo(at int, inside bool) (way []pathEdge, err error) {
	for at >= s.starts {
		byEnd := func(t nodeBatch, end int) int { return cmp.Compare(t.end, end) }
		i, _ := slices.BinarySearchFunc(s.batches, at+1, byEnd)
		to, found := s.queue[at], false
		s.places = s.m.placesOf(s.nodesOf(s.batches[i-1]), s.places[:0])
		at = s.batches[i-1].first
		err = s.m.System.Expand(s.places, func(v *explore.Vertex) {
			if found {
				return
			}
			s.eachEdge(v, s.queue[at], inside, func(h pathEdge) bool {
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

// cycle returns a path from an alive node back to it with all marks. It goes to the nearest edge with a missing mark,
// again and again, and home. It is not closed if no path leads home.
func (s *bfs) cycle(home node) (way []pathEdge, closed bool, err error) {
	m := s.m
	have, enabled := uint64(0), uint64(0)
	for at := home; ; at = way[len(way)-1].to {
		missing := m.missingMarks(have, enabled)
		if missing == 0 && at == home && len(way) > 0 {
			return way, true, nil
		}
		goal := func(h pathEdge) bool { return missing == 0 && h.to == home || h.marks&missing != 0 }
		hops, err := s.path([]node{at}, true, goal)
		if errors.Is(err, errNoPath) {
			if len(way) == 0 { // at least one step further
				way, err = s.path([]node{at}, true, func(pathEdge) bool { return true })
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

// StarvedActions returns the actions that are never taken on the cycle of a lasso although they are enabled in all of
// its states or, if strong, in one. In a quotient by permutations, they are actions of the first state of the cycle,
// and the cycle is repeated until no process is exchanged.
func (s *Search) StarvedActions(l *Lasso, strong bool) ([]int, error) {
	always, sometimes, taken := ^uint64(0), uint64(0), uint64(0)
	f, err := s.newFrames(l.Cycle)
	if err != nil {
		return nil, err
	}
	i := 0
	err = s.System.Expand(sources(l.Cycle), func(v *explore.Vertex) {
		here, does := uint64(0), uint64(0)
		for j, a := range s.Actions {
			if a.At >= 0 && s.Letters[v.Class]>>a.At&1 == 0 {
				continue
			}
			if slices.ContainsFunc(v.Tags, func(k uint32) bool { return a.Is(s.System.Kinds()[k]) }) {
				here |= 1 << j
			}
			if a.Is(l.Cycle[i].Kind) {
				does |= 1 << j
			}
		}
		here, does = f.atStart(i, here), f.atStart(i, does)
		always &^= f.withEquivalent(^here & (1<<len(s.Actions) - 1))
		sometimes |= f.withEquivalent(here)
		taken |= f.withEquivalent(does)
		i++
	})
	always &= sometimes
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
		starved, err := s.StarvedActions(l, strong)
		if err != nil || slices.ContainsFunc(starved, func(i int) bool { return s.Actions[i].Strong == strong }) {
			return false, err
		}
	}
	return true, nil
}

// sources returns the places at which steps begin.
func sources(steps []Step) []uint64 {
	places := make([]uint64, len(steps))
	for i, s := range steps {
		places[i] = s.From
	}
	return places
}

// Check returns an error unless a lasso is a fair run of the system that satisfies a formula. It follows the
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
	err := s.System.Expand(sources(run), func(v *explore.Vertex) {
		i := len(word)
		step, after := run[i], l.Cycle[0].From
		if i+1 < len(run) {
			after = run[i+1].From
		}
		has := false
		for t, to := range v.To {
			has = has || to == after && stepOf(v, t, s.System.Kinds()) == step
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

package symbolic

import (
	"context"
	"math/big"
	"math/bits"
	"time"

	"ringcheck/explore"
	"ringcheck/symbolic/internal/diagram"
)

// A census is how many vectors the nodes of a diagram stand for. A number takes as many words as the greatest can need, and
// two more for what it is multiplied with.
type census struct {
	store   *diagram.Store
	expired func() bool
	layers  [][]diagram.Node // by level
	arcs    int64
	index   map[diagram.Node]uint32
	counts  naturals // of the ways from a node down
	ways    naturals // from the root down to a node
}

// grace is how long counting may go on when the search has been cancelled.
const grace = 500 * time.Millisecond

// take counts the vectors of all nodes of a diagram with so many levels. It returns nil if it has expired.
func take(store *diagram.Store, root diagram.Node, levels int, expired func() bool) *census {
	c := &census{store: store, expired: expired, index: make(map[diagram.Node]uint32)}
	if !c.survey(root, levels) {
		return nil
	}
	c.index[diagram.Accept] = c.counts.add()
	c.of(diagram.Accept)[0] = 1
	for level := levels - 1; level >= 0; level-- {
		if c.expired() {
			return nil
		}
		for _, n := range c.layers[level] {
			i := c.counts.add()
			for _, a := range store.Arcs(n) {
				increase(c.counts.at(i), c.of(a.To), 1)
			}
			c.index[n] = i
		}
	}
	return c
}

// survey lists the nodes and finds out how wide numbers have to be: a vector chooses an arc at each level.
func (c *census) survey(root diagram.Node, levels int) bool {
	c.layers = make([][]diagram.Node, levels+1)
	if root != diagram.Empty {
		c.layers[0] = append(c.layers[0], root)
	}
	width := 0 // bits
	for level, nodes := range c.layers[:levels] {
		if c.expired() {
			return false
		}
		most := 0
		for _, n := range nodes {
			arcs := c.store.Arcs(n)
			most = max(most, len(arcs))
			c.arcs += int64(len(arcs))
			for _, a := range arcs {
				if _, seen := c.index[a.To]; !seen {
					c.index[a.To] = 0
					c.layers[level+1] = append(c.layers[level+1], a.To)
				}
			}
		}
		width += bits.Len(uint(most))
	}
	c.counts.width = width/64 + 3
	return true
}

// descend works out ways. It returns false if c has expired.
func (c *census) descend() bool {
	c.ways = naturals{c.counts.width, make([]uint64, len(c.counts.words))}
	for _, root := range c.layers[0] {
		c.ways.at(c.index[root])[0] = 1
	}
	for _, layer := range c.layers[:len(c.layers)-1] {
		if c.expired() {
			return false
		}
		for _, n := range layer {
			for _, a := range c.store.Arcs(n) {
				increase(c.ways.at(c.index[a.To]), c.ways.at(c.index[n]), 1)
			}
		}
	}
	return true
}

// of returns how many vectors a node stands for.
func (c *census) of(n diagram.Node) []uint64 { return c.counts.at(c.index[n]) }

// total returns how many vectors the diagram stands for.
func (c *census) total() *big.Int {
	n := new(big.Int)
	for _, root := range c.layers[0] {
		n = bigInt(c.of(root))
	}
	return n
}

// nodes returns how many there are.
func (c *census) nodes() (n int64) {
	for _, layer := range c.layers[:len(c.layers)-1] {
		n += int64(len(layer))
	}
	return n
}

// count returns how many states there are in n, 0 if there is no time left to count.
func (s *search) count(n diagram.Node) *big.Int {
	c := take(s.store, n, len(s.order), s.store.Halted)
	if c == nil {
		return new(big.Int)
	}
	return c.total()
}

// A departure is a part of a diagram together with what the slots of a relation above hold: how many transitions leave it?
type departure struct {
	n      diagram.Node
	prefix uint32
	depth  uint32
}

// An emigration counts the transitions of one relation from the vectors of a diagram.
type emigration struct {
	*worker
	*census
	r       *relation
	index   map[departure]uint32
	sums    naturals
	expires int // calls of expired
}

// transitions returns how many transitions of r there are from the vectors of a diagram: for each short vector, how many vectors
// match times how many transitions it has. It returns nil if it has expired. For each node at the highest level of r, it is the
// ways to get there times the transitions from there.
func (w *worker) transitions(c *census, r *relation) *big.Int {
	e := &emigration{worker: w, census: c, r: r, index: make(map[departure]uint32), sums: naturals{width: c.counts.width}}
	total := e.sums.add()
	for _, n := range c.layers[r.levels[0]] {
		sum := e.sums.at(e.from(departure{n: n}, r.levels[0]))
		for i, word := range c.ways.at(c.index[n]) {
			increase(e.sums.at(total)[i:], sum, word)
		}
	}
	if e.expires < 0 {
		return nil
	}
	return bigInt(e.sums.at(total))
}

// pollEvery is how many parts are counted between two looks at the clock.
const pollEvery = 1 << 12

// from returns the index in sums of how many transitions leave d at a level.
func (e *emigration) from(d departure, level int) uint32 {
	if i, ok := e.index[d]; ok {
		return i
	}
	sum := e.sums.add()
	if e.expires++; e.expires%pollEvery == 0 && e.census.expired() {
		e.expires = -1 << 62
	}
	for _, a := range e.census.store.Arcs(d.n) {
		switch {
		case e.expires < 0:
		case level < e.r.levels[d.depth]:
			i := e.from(departure{a.To, d.prefix, d.depth}, level+1)
			increase(e.sums.at(sum), e.sums.at(i), 1)
		case int(d.depth) < e.r.last():
			i := e.from(departure{a.To, extend(&e.r.prefixes, int(d.depth), d.prefix, a.Value), d.depth + 1}, level+1)
			increase(e.sums.at(sum), e.sums.at(i), 1)
		default:
			factor := e.row(e.r, d.prefix, a.Value).transitions
			increase(e.sums.at(sum), e.of(a.To), uint64(factor))
		}
	}
	e.index[d] = sum
	return sum
}

// tally counts the states, and if the search is complete or has time left, the transitions; if it is complete, the
// terminal states, too.
func (s *search) tally(ctx context.Context, r *Result) {
	begin := time.Now()
	expired := func() bool { return ctx.Err() != nil && time.Since(begin) > grace }
	r.States, r.Transitions, r.Deadlocks = s.states.Load(), new(big.Int), new(big.Int)
	s.run(ctx, func(w *worker) {
		c := take(s.store, s.reached, len(s.order), expired)
		if c == nil {
			return
		}
		r.States, r.Nodes, r.Arcs = c.total(), c.nodes(), c.arcs
		if !c.descend() {
			return
		}
		sums := make([]*big.Int, len(s.relations))
		w.Each(len(sums), func(other *diagram.Worker, i int) { sums[i] = s.like(other).transitions(c, s.relations[i]) })
		for _, n := range sums {
			if n != nil {
				r.Transitions.Add(r.Transitions, n)
			}
		}
		r.Transitions.Add(r.Transitions, new(big.Int).Mul(r.States, big.NewInt(s.loops)))
		if s.why() == explore.Exhausted {
			s.terminal = s.store.Pin(w.deadlocks())
			r.Deadlocks = s.count(s.terminal)
		}
	})
}

// deadlocks returns the reachable states without transitions.
func (w *worker) deadlocks() diagram.Node {
	if w.loops > 0 {
		return diagram.Empty
	}
	n := w.reached
	mark := w.Mark()
	defer w.Release(mark)
	for _, r := range w.relations {
		n = w.Hold(w.idle(r, 0, 0, n, 0))
	}
	return n
}

// idle returns the vectors in n, which begin at a level, from which r has no transition.
func (w *worker) idle(r *relation, depth int, prefix uint32, n diagram.Node, level int) diagram.Node {
	key := diagram.Key{Operation: r.operation(idling, depth), Parameter: prefix, A: n}
	if result, ok := w.Load(key); ok || n == diagram.Empty {
		return result
	}
	if w.Poll() {
		return diagram.Empty
	}
	base := w.Begin()
	for _, a := range w.Arcs(n) {
		switch {
		case level < r.levels[depth]:
			w.Append(a.Value, w.idle(r, depth, prefix, a.To, level+1))
		case depth < r.last():
			w.Append(a.Value, w.idle(r, depth+1, extend(&r.prefixes, depth, prefix, a.Value), a.To, level+1))
		case w.row(r, prefix, a.Value).transitions == 0:
			w.Append(a.Value, a.To)
		}
	}
	result := w.Finish(base)
	w.Store(key, result)
	return result
}

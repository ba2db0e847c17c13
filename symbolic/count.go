package symbolic

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/intern"
	"ringcheck/symbolic/internal/diagram"
)

// A census is the number of vectors of each node of a diagram. Every number has as many words as are needed for the
// total times a factor below 2^32.
type census struct {
	*diagram.Store
	expired  func() bool
	layers   [][]diagram.Node // by level
	arcCount int64
	index    map[diagram.Node]uint32
	counts   naturals // by node: the number of paths down from it, that is, of its vectors
	ways     naturals // by node: the number of paths from the root to it
}

// grace is how long counting may continue after the search was cancelled; lastGrace is how long a second, partial count
// of the states may take if that was not enough.
const (
	grace     = 250 * time.Millisecond
	lastGrace = 150 * time.Millisecond
)

// take counts the vectors of all nodes of a diagram with the given number of levels. It returns nil if expired returned
// true.
func take(store *diagram.Store, root diagram.Node, levels int, expired func() bool) *census {
	c := &census{Store: store, expired: expired, index: make(map[diagram.Node]uint32)}
	bits, ok := c.survey(root, levels)
	if !ok {
		return nil
	}
	if 64 < bits && bits < 1000 { // the range of a float64 ends at 2^1024
		_, bits = math.Frexp(c.estimate())
	}
	c.counts.width = (bits+1+32)/64 + 1
	c.counts.words = make([]uint64, c.counts.width*len(c.index))
	for _, n := range c.layers[levels] {
		c.of(n)[0] = 1
	}
	for _, layer := range slices.Backward(c.layers[:levels]) {
		for i, n := range layer {
			if i%pollEvery == 0 && c.expired() {
				return nil
			}
			sum := c.of(n)
			for _, a := range store.Arcs(n) {
				increase(sum, c.of(a.To), 1)
			}
		}
	}
	return c
}

// survey lists the nodes and numbers them. It returns an upper bound on the number of bits of the number of vectors:
// each vector chooses an arc at each level.
func (c *census) survey(root diagram.Node, levels int) (bits int, ok bool) {
	c.layers = make([][]diagram.Node, levels+1)
	add := func(n diagram.Node, level int) {
		if _, seen := c.index[n]; !seen {
			c.index[n] = uint32(len(c.index))
			c.layers[level] = append(c.layers[level], n)
		}
	}
	if root != diagram.Empty {
		add(root, 0)
	}
	bound := 1.0
	for level := range levels {
		most := 1
		for i, n := range c.layers[level] {
			if i%pollEvery == 0 && c.expired() {
				return 0, false
			}
			arcs := c.Arcs(n)
			most = max(most, len(arcs))
			c.arcCount += int64(len(arcs))
			for _, a := range arcs {
				add(a.To, level+1)
			}
		}
		bound += math.Log2(float64(most))
	}
	return int(bound) + 1, true
}

// estimate returns the number of vectors, with a relative rounding error far below one half.
func (c *census) estimate() float64 {
	counts := make([]float64, len(c.index))
	last := len(c.layers) - 1
	for _, n := range c.layers[last] {
		counts[c.index[n]] = 1
	}
	for _, layer := range slices.Backward(c.layers[:last]) {
		for _, n := range layer {
			for _, a := range c.Arcs(n) {
				counts[c.index[n]] += counts[c.index[a.To]]
			}
		}
	}
	return counts[c.index[c.layers[0][0]]]
}

// descend computes ways. It returns false if c has expired.
func (c *census) descend() bool {
	c.ways = naturals{c.counts.width, make([]uint64, len(c.counts.words))}
	for _, root := range c.layers[0] {
		c.ways.at(c.index[root])[0] = 1
	}
	for _, layer := range c.layers[:len(c.layers)-1] {
		for i, n := range layer {
			if i%pollEvery == 0 && c.expired() {
				return false
			}
			for _, a := range c.Arcs(n) {
				increase(c.ways.at(c.index[a.To]), c.ways.at(c.index[n]), 1)
			}
		}
	}
	return true
}

// of returns the number of vectors of a node.
func (c *census) of(n diagram.Node) []uint64 { return c.counts.at(c.index[n]) }

// total returns the number of vectors of the diagram.
func (c *census) total() *big.Int {
	n := new(big.Int)
	for _, root := range c.layers[0] {
		n = bigInt(c.of(root))
	}
	return n
}

// nodes returns the number of nodes.
func (c *census) nodes() (n int64) {
	for _, layer := range c.layers[:len(c.layers)-1] {
		n += int64(len(layer))
	}
	return n
}

// count returns the number of states in n, 0 if there is no time left to count.
func (s *search) count(n diagram.Node) *big.Int {
	c := take(s.Store, n, len(s.order), s.Halted)
	if c == nil {
		return new(big.Int)
	}
	return c.total()
}

// atLeast returns the number of states in n or a lower bound: the states after the first arcs of each node, as far as
// counted by the deadline.
func (s *search) atLeast(n diagram.Node, deadline time.Time) *big.Int {
	known := make(map[diagram.Node]*big.Int)
	late, steps := false, 0
	var count func(n diagram.Node, level int) *big.Int
	count = func(n diagram.Node, level int) *big.Int {
		if level == len(s.order) {
			return big.NewInt(1)
		}
		if sum := known[n]; sum != nil {
			return sum
		}
		sum := new(big.Int)
		for _, a := range s.Arcs(n) {
			if steps++; steps%pollEvery == 0 && time.Now().After(deadline) {
				late = true
			}
			if sum.Add(sum, count(a.To, level+1)); late {
				return sum
			}
		}
		known[n] = sum
		return sum
	}
	if n == diagram.Empty {
		return new(big.Int)
	}
	return count(n, 0)
}

// transitions returns the number of transitions of r from the vectors of a diagram: the sum over the short vectors of
// the number of matching vectors times the number of transitions. It returns nil if c has expired.
//
// It goes down from the highest level of r to the lowest and computes the number of paths to each node for each prefix
// of a short vector or, before the last slot, for each kind of prefix.
func (s *search) transitions(c *census, r *relation) *big.Int {
	k := s.kindsOf(r)
	front := newFront(c.counts.width)
	for _, n := range c.layers[r.levels[0]] {
		front.add(n, k.first(), c.ways.at(c.index[n]))
	}
	for level, depth := r.levels[0], 0; ; level++ {
		named := level == r.levels[depth]
		if named && depth == r.last() {
			return s.leaving(c, k, front)
		}
		next := newFront(c.counts.width)
		for i := range uint32(front.keys.Len()) {
			if i%pollEvery == 0 && c.expired() {
				return nil
			}
			n, prefix := intern.Split(front.keys.At(i))
			for _, a := range s.Arcs(diagram.Node(n)) {
				to := prefix
				if named {
					to = k.extend(depth, prefix, a.Value)
				}
				if !k.idle(level+1, to) {
					next.add(a.To, to, front.ways.at(i))
				}
			}
		}
		if front = next; named {
			depth++
		}
	}
}

// leaving implements transitions at the lowest level of a relation.
func (s *search) leaving(c *census, k *kinds, front *front) *big.Int {
	total, sum := make([]uint64, c.counts.width), make([]uint64, c.counts.width)
	for i := range uint32(front.keys.Len()) {
		if i%pollEvery == 0 && c.expired() {
			return nil
		}
		n, kind := intern.Split(front.keys.At(i))
		clear(sum)
		for _, a := range s.Arcs(diagram.Node(n)) {
			increase(sum, c.of(a.To), uint64(k.transitions[kind][a.Value]))
		}
		for j, word := range front.ways.at(i) {
			increase(total[j:], sum, word)
		}
	}
	return bigInt(total)
}

// pollEvery is the number of nodes counted between two checks of the clock.
const pollEvery = 1 << 12

// A front is a set of pairs of a node of a level and a prefix of a short vector, with the number of paths to each.
type front struct {
	keys intern.Pairs // pairs of a node and a prefix
	ways naturals     // by number of the pair: the number of paths
}

func newFront(width int) *front { return &front{ways: naturals{width: width}} }

// add adds paths to a node with a prefix.
func (f *front) add(n diagram.Node, prefix uint32, ways []uint64) {
	before := f.keys.Len()
	i := f.keys.Number(intern.Pair(uint32(n), prefix))
	if f.keys.Len() > before {
		f.ways.add()
	}
	increase(f.ways.at(i), ways, 1)
}

// tally counts the states and, if there is time, the transitions; if the search is complete, also the states in which a
// run can end.
func (s *search) tally(ctx context.Context, r *Result) {
	begin := time.Now()
	expired := func() bool { return ctx.Err() != nil && time.Since(begin) > grace }
	r.States, r.Transitions, r.Deadlocks, r.EnvironmentOnly = s.states.Load(), new(big.Int), new(big.Int), new(big.Int)
	s.run(ctx, func() {
		c := take(s.Store, s.reached, len(s.order), expired)
		if c == nil {
			if n := s.atLeast(s.reached, time.Now().Add(lastGrace)); n.Cmp(r.States) > 0 {
				r.States = n
			}
			return
		}
		r.States, r.Nodes, r.Arcs = c.total(), c.nodes(), c.arcCount
		if !c.descend() {
			return
		}
		for _, relation := range s.relations {
			if n := s.transitions(c, relation); n != nil {
				r.Transitions.Add(r.Transitions, n)
			}
		}
		r.Transitions.Add(r.Transitions, new(big.Int).Mul(r.States, big.NewInt(s.loops)))
		if s.why() == explore.Exhausted {
			s.quiescent = s.Pin(s.without(s.reached, false))
			r.Deadlocks = s.count(s.without(s.quiescent, true))
			r.EnvironmentOnly.Sub(s.count(s.quiescent), r.Deadlocks)
		}
	})
}

// without returns the states in n without transitions of the environment or, if environment is false, without others.
func (s *search) without(n diagram.Node, environment bool) diagram.Node {
	if s.acting || environment && s.loops > 0 {
		return diagram.Empty
	}
	mark := s.Mark()
	defer s.Release(mark)
	groups := s.sys.Groups()
	for _, r := range s.relations {
		if groups[r.group].Environment == environment {
			k := s.kindsOf(r)
			n = s.idle(k, 0, k.first(), n, 0)
			s.Release(mark)
			s.Hold(n)
		}
	}
	return n
}

// idle returns the vectors in n, which begin at a level, from which a relation has no transition.
func (s *search) idle(k *kinds, depth int, prefix uint32, n diagram.Node, level int) diagram.Node {
	if n == diagram.Empty || k.idle(level, prefix) {
		return n
	}
	key := diagram.Key{Operation: k.operation(idling, depth), Parameter: prefix, A: n}
	if result, ok := s.Cached(key); ok {
		return result
	}
	if s.Halted() {
		return diagram.Empty
	}
	base := s.Begin()
	for _, a := range s.Arcs(n) {
		switch {
		case level < k.levels[depth]:
			s.Append(a.Value, s.idle(k, depth, prefix, a.To, level+1))
		case depth < k.last():
			s.Append(a.Value, s.idle(k, depth+1, k.extend(depth, prefix, a.Value), a.To, level+1))
		case k.transitions[prefix][a.Value] == 0:
			s.Append(a.Value, a.To)
		}
	}
	result := s.Finish(base)
	s.Cache(key, result)
	return result
}

// Kinds classify the prefixes of a relation before its last slot by the numbers of transitions for the values of that
// slot.
type kinds struct {
	*relation
	of          map[uint32]uint32   // by prefix; 0 for those without transitions
	transitions []map[uint32]uint32 // by kind and value of the last slot
}

// kindsOf returns the kinds of the known rows of r.
func (s *search) kindsOf(r *relation) *kinds {
	if r.kinds != nil {
		return r.kinds
	}
	counts := make(map[uint32][]uint64) // by prefix: values of the last slot with the number of transitions
	for _, key := range r.known {
		prefix, value := intern.Split(key)
		if n := s.row(r, prefix, value).transitions; n > 0 {
			counts[prefix] = append(counts[prefix], intern.Pair(value, n))
		}
	}
	r.kinds = &kinds{relation: r, of: make(map[uint32]uint32), transitions: []map[uint32]uint32{nil}}
	numbers := make(map[string]uint32)
	for prefix, list := range counts {
		slices.Sort(list)
		text := fmt.Sprint(list)
		if numbers[text] == 0 {
			numbers[text] = uint32(len(r.kinds.transitions))
			kind := make(map[uint32]uint32)
			for _, x := range list {
				value, n := intern.Split(x)
				kind[value] = n
			}
			r.kinds.transitions = append(r.kinds.transitions, kind)
		}
		r.kinds.of[prefix] = numbers[text]
	}
	return r.kinds
}

// first returns the prefix, or its kind, before the first slot.
func (k *kinds) first() uint32 {
	if k.last() == 0 {
		return k.of[0]
	}
	return 0
}

// extend returns the number of a prefix that is longer by the slot at a depth, or its kind.
func (k *kinds) extend(depth int, prefix, value uint32) uint32 {
	prefix = extend(&k.prefixes, depth, prefix, value)
	if depth+1 == k.last() {
		return k.of[prefix]
	}
	return prefix
}

// idle reports whether the prefix at a level has all slots except the last and no transitions.
func (k *kinds) idle(level int, prefix uint32) bool {
	return prefix == 0 && (k.last() == 0 || level > k.levels[k.last()-1])
}

// naturals are numbers of a fixed number of 64-bit words, the lowest first, in one array.
type naturals struct {
	width int
	words []uint64
}

// add appends the number 0 and returns its index.
func (n *naturals) add() uint32 {
	i := len(n.words) / n.width
	n.words = append(n.words, make([]uint64, n.width)...)
	return uint32(i)
}

// at returns number i. It is valid until the next add.
func (n *naturals) at(i uint32) []uint64 { return n.words[int(i)*n.width:][:n.width:n.width] }

// increase adds factor times x to sum, which is at most as wide and does not overflow.
func increase(sum, x []uint64, factor uint64) {
	var carry uint64
	for i := range sum {
		hi, lo := bits.Mul64(x[i], factor)
		lo, c := bits.Add64(lo, carry, 0)
		hi += c
		sum[i], c = bits.Add64(sum[i], lo, 0)
		carry = hi + c
	}
}

// bigInt returns x as a big.Int.
func bigInt(x []uint64) *big.Int {
	n := new(big.Int)
	for i := len(x) - 1; i >= 0; i-- {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(x[i]))
	}
	return n
}

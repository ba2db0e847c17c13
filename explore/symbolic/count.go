package symbolic

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic/internal/diagram"
	"ringcheck/internal/intern"
)

// A census has the numbers of vectors of the nodes of a diagram.
type census struct {
	*diagram.Store
	layers    [][]diagram.Node // by level
	arcs      int64
	counts    map[diagram.Node]*big.Int // by node: the number of paths down from it, that is, of its vectors
	total     *big.Int                  // the number of vectors of the diagram
	isExpired func() bool
	polls     int
	late      bool // it has expired, so the counts are lower bounds
}

// grace is how long counting may continue after the search was cancelled.
const grace = 250 * time.Millisecond

// take counts the vectors of all nodes of a diagram until expired returns true.
func (s *search) take(root diagram.Node, expired func() bool) *census {
	c := &census{Store: s.Store, layers: make([][]diagram.Node, len(s.order)+1), total: new(big.Int),
		counts: map[diagram.Node]*big.Int{diagram.Accept: big.NewInt(1)}, isExpired: expired}
	if root != diagram.Empty {
		c.total = c.count(root, 0)
	}
	return c
}

// count returns the number of vectors of a node at a level. If c expires, that is a lower bound: the number of those
// that were counted, from the first arc of each node on.
func (c *census) count(n diagram.Node, level int) *big.Int {
	if sum := c.counts[n]; sum != nil {
		return sum
	}
	sum := new(big.Int)
	for _, a := range c.Arcs(n) {
		if sum.Add(sum, c.count(a.To, level+1)); c.poll() {
			return sum
		}
	}
	c.counts[n] = sum
	c.layers[level] = append(c.layers[level], n)
	c.arcs += int64(len(c.Arcs(n)))
	return sum
}

// pollEvery is the number of steps of counting between two checks of the clock.
const pollEvery = 1 << 12

// poll reports whether c has expired.
func (c *census) poll() bool {
	if c.polls++; c.polls%pollEvery == 0 && c.isExpired() {
		c.late = true
	}
	return c.late
}

// A front is a set of pairs of a node and a prefix of a short vector, with the number of paths to each.
type front struct {
	pairs intern.Pairs
	width int        // of a number, in words
	words []big.Word // of the numbers of all pairs
}

// front returns an empty front. No number of paths exceeds the number of vectors.
func (c *census) front() *front { return &front{width: len(c.total.Bits())} }

// paths returns the number of paths to pair i.
func (f *front) paths(i uint32) []big.Word { return f.words[int(i)*f.width:][:f.width] }

// add adds paths to a node with a prefix.
func (f *front) add(n diagram.Node, prefix uint32, paths []big.Word) {
	at := int(f.pairs.Number(intern.Pair(uint32(n), prefix))) * f.width
	if at == len(f.words) {
		f.words = append(f.words, paths...)
		return
	}
	carry := uint(0)
	for i, word := range paths {
		var sum uint
		sum, carry = bits.Add(uint(f.words[at+i]), uint(word), carry)
		f.words[at+i] = big.Word(sum)
	}
}

// allPaths returns the number of paths to each node, with prefix 0, nil if c has expired.
func (c *census) allPaths() *front {
	all := c.front()
	for level, layer := range c.layers {
		for _, n := range layer {
			if level == 0 {
				all.add(n, 0, append(big.NewInt(1).Bits(), make([]big.Word, all.width-1)...))
			}
			paths := all.paths(all.pairs.Number(intern.Pair(uint32(n), 0)))
			for _, a := range c.Arcs(n) {
				all.add(a.To, 0, paths)
			}
			if c.poll() {
				return nil
			}
		}
	}
	return all
}

// nodes returns the number of nodes.
func (c *census) nodes() int64 { return int64(len(c.counts) - 1) }

// count returns the number of states in n, a lower bound if the search is halted.
func (s *search) count(n diagram.Node) *big.Int { return s.take(n, s.Halted).total }

// transitions returns the number of transitions of a relation from the vectors of a diagram, given all paths: the sum
// over the short vectors of the number of matching vectors times the number of transitions. It returns 0 if c has
// expired.
//
// It goes down from the highest level of the relation to the lowest and computes the number of paths to each node for
// each prefix of a short vector or, before the last slot, for each kind of prefix.
func (c *census) transitions(k *kinds, all *front) *big.Int {
	now := c.front()
	for _, n := range c.layers[k.levels[0]] {
		now.add(n, k.first(), all.paths(all.pairs.Number(intern.Pair(uint32(n), 0))))
	}
	total, sum, product, factor := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for level, depth := k.levels[0], 0; level <= k.levels[k.last()]; level++ {
		named := level == k.levels[depth]
		next := c.front()
		for i := range uint32(now.pairs.Len()) {
			if c.poll() {
				return new(big.Int)
			}
			n, prefix := intern.Split(now.pairs.At(i))
			sum.SetInt64(0)
			for _, a := range c.Arcs(diagram.Node(n)) {
				to := prefix
				switch {
				case named && depth == k.last():
					if times := k.transitions[prefix][a.Value]; times > 0 {
						sum.Add(sum, product.Mul(c.counts[a.To], factor.SetUint64(uint64(times))))
					}
					continue
				case named:
					to = k.extend(depth, prefix, a.Value)
				}
				if !k.idle(level+1, to) {
					next.add(a.To, to, now.paths(i))
				}
			}
			total.Add(total, product.Mul(sum, new(big.Int).SetBits(now.paths(i))))
		}
		if now = next; named {
			depth++
		}
	}
	return total
}

// tally counts the states and, if there is time, the transitions; if the search is complete, also the states in which a
// run can end.
func (s *search) tally(ctx context.Context, r *Result) {
	begin := time.Now()
	expired := func() bool { return ctx.Err() != nil && time.Since(begin) > grace }
	r.States, r.Transitions = s.states.Load(), new(big.Int)
	r.TerminalStates, r.EnvironmentOnly = new(big.Int), new(big.Int)
	s.run(ctx, func() {
		c := s.take(s.reachable, expired)
		if c.late {
			if c.total.Cmp(r.States) > 0 {
				r.States = c.total
			}
			return
		}
		r.States, r.Nodes, r.Arcs = c.total, c.nodes(), c.arcs
		paths := c.allPaths()
		if paths == nil {
			return
		}
		for _, relation := range s.relations {
			r.Transitions.Add(r.Transitions, c.transitions(s.kindsOf(relation), paths))
		}
		r.Transitions.Add(r.Transitions, new(big.Int).Mul(r.States, big.NewInt(s.loops)))
		if s.why() == explore.Exhausted {
			s.quiescent = s.Pin(s.withoutTransitions(s.reachable, false))
			quiescent, terminal := s.count(s.quiescent), s.count(s.withoutTransitions(s.quiescent, true))
			if !s.Halted() {
				r.TerminalStates = terminal
				r.EnvironmentOnly.Sub(quiescent, terminal)
			}
		}
	})
}

// withoutTransitions returns the states in n without transitions of the environment or, if environment is false,
// without others.
func (s *search) withoutTransitions(n diagram.Node, environment bool) diagram.Node {
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
	if result, ok := s.LookUp(key); ok {
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
	for _, key := range r.keys {
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

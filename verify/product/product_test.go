package product_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/verify/ltl"
	. "ringcheck/verify/product"
)

// A system is a small transition system written out: transitions by state, in distributions.
type system struct {
	letters []uint64
	next    [][]edge
	initial []uint32
}

type edge struct {
	Kind
	to uint32
}

const atoms = 3 // the last is an event

// randomSystem returns a system with n states in which some transitions are in distributions of two.
func randomSystem(r *rand.Rand, n, actions int) *system {
	s := &system{initial: []uint32{0}}
	for range n {
		s.letters = append(s.letters, r.Uint64N(4))
		var edges []edge
		for range r.IntN(4) {
			k := Kind{Events: r.Uint64N(2) << 2, Takes: 1 << r.IntN(actions), Ends: true}
			if r.IntN(3) == 0 {
				k.Ends = false
				edges = append(edges, edge{k, r.Uint32N(uint32(n))})
				k.Ends = true
			}
			edges = append(edges, edge{k, r.Uint32N(uint32(n))})
		}
		s.next = append(s.next, edges)
	}
	return s.reachable()
}

// reachable leaves out what cannot be reached.
func (s *system) reachable() *system {
	number := map[uint32]uint32{0: 0}
	order := []uint32{0}
	t := &system{initial: []uint32{0}}
	for i := 0; i < len(order); i++ {
		t.letters = append(t.letters, s.letters[order[i]])
		t.next = append(t.next, nil)
		for _, e := range s.next[order[i]] {
			if _, ok := number[e.to]; !ok {
				number[e.to] = uint32(len(order))
				order = append(order, e.to)
			}
			e.to = number[e.to]
			t.next[i] = append(t.next[i], e)
		}
	}
	return t
}

func (s *system) graph(t *testing.T) *Graph {
	t.Helper()
	b := NewBuilder()
	for i, edges := range s.next {
		b.State(s.letters[i])
		for _, e := range edges {
			b.Transition(e.Kind, e.to)
		}
		b.Complete(0)
	}
	g, err := b.Graph(s.initial)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.next { // from here on nothing happens in terminal states
		if len(s.next[i]) == 0 {
			s.next[i] = []edge{{Kind{Process: -1, Ends: true, Over: true}, uint32(i)}}
		}
	}
	return g
}

func (s *system) enabled(state uint32, actions []Action) uint64 {
	all := uint64(0)
	for _, e := range s.next[state] {
		all |= s.taken(state, e, actions)
	}
	return all
}

func (s *system) taken(state uint32, e edge, actions []Action) uint64 {
	taken := e.Takes
	for i, a := range actions {
		if a.At >= 0 && s.letters[state]>>a.At&1 == 0 {
			taken &^= 1 << i
		}
	}
	return taken
}

// A node of the naive product.
type node struct {
	state uint32
	q     int
}

type arc struct {
	from, to node
	choice   int // arcs of one choice have the same
	sets     uint64
	enabled  uint64
	taken    uint64
}

// arcs returns the whole product.
func (s *system) arcs(a *ltl.Automaton, actions []Action) []arc {
	var all []arc
	choice := 0
	for state := range s.next {
		for q := range a.Edges {
			for _, f := range a.Edges[q] {
				for _, e := range s.next[state] {
					if f.Guard.Has(s.letters[state] | e.Events) {
						from := uint32(state)
						all = append(all, arc{node{from, q}, node{e.to, f.To}, choice, uint64(f.Accept), s.enabled(from, actions), s.taken(from, e, actions)})
					}
					if e.Ends {
						choice++
					}
				}
			}
		}
	}
	return all
}

// reach returns the nodes that arcs lead to.
func reach(all []arc, from node) map[node]bool {
	seen := map[node]bool{from: true}
	for changed := true; changed; {
		changed = false
		for _, a := range all {
			if seen[a.from] && !seen[a.to] {
				seen[a.to], changed = true, true
			}
		}
	}
	return seen
}

// connected reports whether arcs connect all of some nodes strongly, by one arc at least.
func connected(all []arc, nodes map[node]bool) bool {
	for n := range nodes {
		seen := reach(all, n)
		for m := range nodes {
			if !seen[m] {
				return false
			}
		}
	}
	return len(all) > 0
}

// exists decides by going through all sets of nodes whether there is a reachable one in which a run can stay: strongly connected by the choices that
// stay in it, with all marks.
func exists(t *testing.T, s *system, a *ltl.Automaton, actions []Action, chances bool) bool {
	t.Helper()
	all := s.arcs(a, actions)
	reachable := reach(all, node{0, a.Initial})
	var nodes []node
	for n := range reachable {
		nodes = append(nodes, n)
	}
	for set := 1; set < 1<<len(nodes); set++ {
		in := map[node]bool{}
		for i, n := range nodes {
			if set>>i&1 == 1 {
				in[n] = true
			}
		}
		leaves := map[int]bool{}
		for _, a := range all {
			if in[a.from] && !in[a.to] {
				leaves[a.choice] = true
			}
		}
		inside := slices.DeleteFunc(slices.Clone(all), func(a arc) bool {
			return !in[a.from] || !in[a.to] || chances && leaves[a.choice]
		})
		if connected(inside, in) && fairAndAccepted(inside, a, actions) {
			return true
		}
	}
	return false
}

func fairAndAccepted(arcs []arc, a *ltl.Automaton, actions []Action) bool {
	var sets, sometimes, taken uint64
	always := ^uint64(0)
	for _, a := range arcs {
		sets |= a.sets
		sometimes |= a.enabled
		always &= a.enabled
		taken |= a.taken
	}
	for i, action := range actions {
		enabled := always
		if action.Strong {
			enabled = sometimes
		}
		if enabled&^taken>>i&1 == 1 {
			return false
		}
	}
	return sets == uint64(a.All())
}

func randomFormula(r *rand.Rand, size int) *ltl.Formula {
	if size <= 0 {
		return ltl.Atom(r.IntN(atoms))
	}
	f, g := randomFormula(r, size-1), randomFormula(r, size-2)
	switch r.IntN(7) {
	case 0:
		return ltl.Not(f)
	case 1:
		return ltl.And(f, g)
	case 2:
		return ltl.Next(f)
	case 3:
		return ltl.Until(f, g)
	case 4:
		return ltl.Always(f)
	}
	return ltl.Eventually(f)
}

// TestFind compares with exists, and looks at the lassos.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found, missed := 0, 0
	for found+missed < 3000 {
		actions := make([]Action, 1+r.IntN(3))
		for i := range actions {
			actions[i] = Action{Strong: r.IntN(2) == 0, At: r.IntN(3) - 1}
		}
		s := randomSystem(r, 1+r.IntN(4), len(actions))
		if r.IntN(3) == 0 {
			actions = nil
		}
		chances := r.IntN(2) == 0
		f := randomFormula(r, 1+r.IntN(4))
		a := ltl.Translate(f)
		if chances {
			a = a.LimitDeterministic()
		}
		if a == nil || len(s.next)*len(a.Edges) > 9 {
			continue
		}
		g := s.graph(t)
		search := &Search{Graph: g, Automaton: a, Actions: actions, Chances: chances}
		lasso, err := search.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := exists(t, s, a, actions, chances); (lasso != nil) != want {
			t.Fatalf("%v, chances %v, actions %v in %+v: %v, want %v\n%+v", f, chances, actions, s, lasso, want, a)
		}
		if lasso == nil {
			missed++
			continue
		}
		found++
		if err := search.Check(lasso, f); err != nil {
			t.Fatalf("%v, actions %v in %+v: %+v: %v", f, actions, s, lasso, err)
		}
	}
	t.Logf("%d found, %d not", found, missed)
	if found < 500 || missed < 500 {
		t.Errorf("%d found, %d not", found, missed)
	}
}

package product_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/workers"
	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

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
					if f.Guard.Has(s.letters[state] | e.events) {
						from := uint32(state)
						all = append(all, arc{node{from, q}, node{e.to, f.To}, choice, uint64(f.Accept),
							s.enabled(from, actions), s.taken(from, e, actions)})
					}
					if e.ends {
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

// exists tries all sets of nodes for a reachable one in which a run can stay: strongly connected by the choices that
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

// TestFind compares with exists, and looks at the lassos, also at those that are found after an elimination.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found, missed := 0, 0
	for found+missed < 3000 {
		actions := randomActions(r)
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
		g := s.graph()
		search := &Search{System: g, Letters: s.letters, Events: eventsOf, Automaton: a, Actions: actions,
			Chances: chances}
		lasso, err := search.Find(t.Context())
		if dives := r.IntN(2) == 0; err == nil && !dives {
			_, lasso, err = search.Eliminate(t.Context())
		}
		if err != nil {
			t.Fatalf("%v, chances %v, actions %v in %+v: %v\n%+v", f, chances, actions, s, err, a)
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
		stem, cycle := lasso.Stem, lasso.Cycle
		if len(stem) > 0 && stem[len(stem)-1] == cycle[len(cycle)-1] {
			t.Fatalf("%v, actions %v in %+v: the cycle of %+v can begin earlier", f, actions, s, lasso)
		}
		for period := 1; period < len(cycle); period++ {
			if len(cycle)%period == 0 && slices.Equal(slices.Repeat(cycle[:period], len(cycle)/period), cycle) {
				t.Fatalf("%v, actions %v in %+v: the cycle of %+v is one of %d steps", f, actions, s, lasso, period)
			}
		}
	}
	t.Logf("%d found, %d not", found, missed)
	if found < 500 || missed < 500 {
		t.Errorf("%d found, %d not", found, missed)
	}
}

// almost reports whether a scheduler can make a formula true: with probability one if surely is set, else with positive
// probability.
func (s *system) almost(t *testing.T, f *ltl.Formula, surely bool) (yes, ok bool) {
	t.Helper()
	a := ltl.Translate(f)
	if surely {
		a = a.Suitable()
	} else {
		a = a.LimitDeterministic()
	}
	if a == nil || len(a.Edges) > 60 {
		return false, false
	}
	search := &Search{System: s.graph(), Letters: s.letters, Events: eventsOf, Automaton: a, Chances: true,
		Surely: surely}
	lasso, err := search.Find(t.Context())
	if err != nil {
		t.Fatalf("%v surely %v in %+v: %v %+v", f, surely, s, err, a)
	}
	return lasso != nil, true
}

// chains yields the Markov chains that schedulers without memory make of s.
func (s *system) chains(yield func(*system)) {
	chain := &system{letters: s.letters, initial: s.initial, next: make([][]edge, len(s.next))}
	var choose func(state int)
	choose = func(state int) {
		if state == len(s.next) {
			yield(chain.reachable())
			return
		}
		first := 0
		for i, e := range s.next[state] {
			if e.ends {
				chain.next[state] = s.next[state][first : i+1]
				choose(state + 1)
				first = i + 1
			}
		}
		if len(s.next[state]) == 0 {
			chain.next[state] = nil
			choose(state + 1)
		}
	}
	choose(0)
}

// TestSurely: in a Markov chain a formula has probability one if its negation has probability zero. What a scheduler
// without memory can do, some scheduler can; and what happens with probability one happens with a positive one.
func TestSurely(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	chains, sure, possible := 0, 0, 0
	for range 600 {
		s := randomSystem(r, 1+r.IntN(4), 1)
		f := randomFormula(r, 1+r.IntN(4))
		all, ok := s.almost(t, f, true)
		if some, ok2 := s.almost(t, f, false); ok && ok2 {
			if all && !some {
				t.Fatalf("%v in %+v: probability one, and none", f, s)
			}
			if all {
				sure++
			} else if some {
				possible++
			}
		}
		s.chains(func(c *system) {
			one, ok1 := c.almost(t, f, true)
			opposite, ok2 := c.almost(t, ltl.Not(f), false)
			if !ok1 || !ok2 {
				return
			}
			chains++
			if one == opposite {
				t.Fatalf("%v in the chain %+v: probability one %v, its negation has one above 0: %v", f, c, one,
					opposite)
			}
			if ok && one && !all {
				t.Fatalf("%v in %+v: the chain %+v has probability one", f, s, c)
			}
		})
	}
	t.Logf("%d chains, probability one %d times, between %d times", chains, sure, possible)
	if chains < 1000 || sure < 100 || possible < 5 {
		t.Errorf("%d chains, probability one %d times, between %d times", chains, sure, possible)
	}
}

// A pair is a memory whose last two states are visited by two goroutines at the same time.
type pair struct{ *memory }

func (p pair) Sweep(ctx context.Context, backward bool, selected explore.Selection,
	visit func(v *explore.Vertex)) error {
	first := len(p.vertices) - 2
	others := *p.memory
	others.vertices = p.vertices[:first]
	if err := others.Sweep(ctx, backward, selected, visit); err != nil {
		return err
	}
	var group workers.Group
	var ready atomic.Int32
	for i := range p.vertices[first:] {
		group.Go(func() {
			for ready.Add(1); ready.Load() < 2; {
				runtime.Gosched()
			}
			if is := uint64(first + i); (selected.Number == nil || selected.Number(is)) &&
				(selected.Place == nil || selected.Place(is)) {
				visit(&p.vertices[is])
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// TestEliminatedMeanwhile: a state goes as well if what it leads to is eliminated while another goroutine looks at it.
func TestEliminatedMeanwhile(t *testing.T) {
	for i := range 4000 {
		p := pair{&memory{initial: []uint64{1}, kinds: []Kind{{}}, vertices: []explore.Vertex{
			{To: []uint64{0}, Tags: []uint32{0}}, // here the atom is false
			{Number: 1, Place: 1, Class: 1, To: make([]uint64, 1000), Tags: make([]uint32, 1000)},
			{Number: 2, Place: 2, Class: 1, To: make([]uint64, 1+i), Tags: make([]uint32, 1+i)},
		}}}
		p.vertices[1].To[999] = 2
		s := &Search{System: p, Letters: []uint64{0, 1}, Events: func(Kind) uint64 { return 0 },
			Automaton: ltl.Translate(ltl.Always(ltl.Atom(0)))}
		if found, err := s.Exists(t.Context()); found || err != nil {
			t.Fatalf("something is left of a system without a lasso (%d), error %v", i, err)
		}
	}
}

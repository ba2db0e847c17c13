package product_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/internal/workers"
	"ringcheck/model/ltl"
	. "ringcheck/verify/product"
)

// layered returns a system, maybe with several initial states, most of whose transitions lead to states with greater
// numbers, and some to the same state or back.
func layered(r *rand.Rand, n, actions int) *system {
	s := &system{initial: []uint32{0}}
	for len(s.initial) < n && r.IntN(3) == 0 {
		s.initial = append(s.initial, r.Uint32N(uint32(n)))
	}
	back, self, draw, alike := r.Float64()*r.Float64()/2, r.Float64()/5, r.Float64()/2, r.IntN(4) == 0
	for i := range n {
		to := func() uint32 {
			switch x := r.Float64(); {
			case x < back:
				return r.Uint32N(uint32(i + 1))
			case x < back+self:
				return uint32(i)
			}
			return uint32(min(i+1+r.IntN(4), n-1))
		}
		letter := uint64(3)
		if !alike {
			letter = r.Uint64N(4)
		}
		var edges []edge
		for range r.IntN(4) {
			e := edge{r.Uint64N(2) << 2, 1 << r.IntN(actions), true, to()}
			for r.Float64() < draw {
				f := e
				f.ends, f.to = false, to()
				edges = append(edges, f)
			}
			edges = append(edges, e)
		}
		s.letters, s.next = append(s.letters, letter), append(s.next, edges)
	}
	return s.reachable()
}

// A crowd is a memory that several goroutines sweep level by level.
type crowd struct {
	*memory
	places  []uint64 // of vertices
	at      map[uint64]int
	levels  []int // where they end
	workers int
	seed    atomic.Uint64
}

func newCrowd(r *rand.Rand, m *memory, workers int) *crowd {
	n := len(m.vertices)
	c := &crowd{memory: m, at: map[uint64]int{}, workers: workers}
	for _, p := range r.Perm(2*n + 70)[:n] {
		c.at[uint64(p)] = len(c.places)
		c.places = append(c.places, uint64(p))
	}
	for i := range m.vertices {
		v := &m.vertices[i]
		v.Place = c.places[i]
		for t, to := range v.To {
			v.To[t] = c.places[to]
		}
	}
	for i, p := range m.initial {
		m.initial[i] = c.places[p]
	}
	for end := 0; end < n; {
		first := end
		end = min(n, end+1+r.IntN(12))
		for i := range m.vertices[first:end] {
			m.vertices[first+i].Level = len(c.levels)
		}
		c.levels = append(c.levels, end)
	}
	return c
}

func (c *crowd) Places() uint64        { return 2*c.States() + 70 }
func (c *crowd) States() uint64        { return uint64(len(c.vertices)) }
func (c *crowd) Has(place uint64) bool { _, ok := c.at[place]; return ok }

func (c *crowd) Sweep(ctx context.Context, backward bool, selected explore.Selection,
	visit func(v *explore.Vertex)) error {
	for i := range c.levels {
		if backward {
			i = len(c.levels) - 1 - i
		}
		first, end := 0, c.levels[i]
		if i > 0 {
			first = c.levels[i-1]
		}
		var next atomic.Int64
		next.Store(int64(first))
		var group workers.Group
		for range c.workers {
			group.Go(func() {
				r := rand.New(rand.NewPCG(c.seed.Add(1), 1))
				for j := next.Add(1) - 1; j < int64(end); j = next.Add(1) - 1 {
					if v := &c.vertices[j]; (selected.Number == nil || selected.Number(v.Number)) &&
						(selected.Place == nil || selected.Place(v.Place)) {
						if r.IntN(2) == 0 {
							runtime.Gosched()
						}
						visit(v)
					}
				}
			})
		}
		group.Wait()
	}
	return ctx.Err()
}

func (c *crowd) Expand(places []uint64, visit func(v *explore.Vertex)) error {
	for _, p := range places {
		visit(&c.vertices[c.at[p]])
	}
	return nil
}

// left returns the nodes in which a run can stay and from which, without leaving them, it can take each mark that it
// needs, and come back if it must. It removes the others one by one.
func (s *system) left(a *ltl.Automaton, actions []Action, chances, back bool) map[node]bool {
	all := s.arcs(a, actions)
	in := make(map[node]bool)
	for q, accepting := range a.Accepting() {
		for state := range s.next {
			in[node{uint32(state), q}] = accepting
		}
	}
	type mark func(a arc) bool
	marks := make([]mark, a.Sets)
	for i := range marks {
		marks[i] = func(a arc) bool { return a.sets>>i&1 == 1 }
	}
	for i, action := range actions {
		marks = append(marks, func(a arc) bool { return a.taken>>i&1 == 1 || !action.Strong && a.enabled>>i&1 == 0 })
	}
	marks = append(marks, func(arc) bool { return true })
	for changed := true; changed; {
		changed = false
		leaves := make(map[int]bool)
		for _, a := range all {
			if !in[a.to] {
				leaves[a.choice] = true
			}
		}
		inside := slices.DeleteFunc(slices.Clone(all), func(a arc) bool {
			return !in[a.from] || !in[a.to] || chances &&
				leaves[a.choice]
		})
		if back {
			inside = returning(inside)
		}
		for i, is := range marks {
			can := make(map[node]bool)
			for more := true; more; {
				more = false
				for _, a := range inside {
					if !can[a.from] && (is(a) || can[a.to]) {
						can[a.from], more = true, true
					}
				}
			}
			for n := range in {
				action := i - a.Sets
				exempt := action >= 0 && action < len(actions) && actions[action].Strong &&
					s.enabled(n.state, actions)>>action&1 == 0
				if in[n] && !can[n] && !exempt {
					in[n], changed = false, true
				}
			}
		}
	}
	return in
}

// returning returns the arcs that are on cycles.
func returning(arcs []arc) []arc {
	reached := make(map[node]map[node]bool)
	for _, a := range arcs {
		if reached[a.to] == nil {
			reached[a.to] = reach(arcs, a.to)
		}
	}
	return slices.DeleteFunc(slices.Clone(arcs), func(a arc) bool { return !reached[a.to][a.from] })
}

// TestEliminate compares what is left with what is if nodes are taken out one by one. The lasso does not depend on who
// is faster. With strong fairness it is only the fair components, if there is room to compute them.
func TestEliminate(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	some, none, swept, decomposed := 0, 0, 0, 0
	for some+none < 5000 {
		actions := randomActions(r)
		s := layered(r, 1+r.IntN(30), len(actions))
		if r.IntN(3) == 0 {
			actions = nil
		}
		chances := r.IntN(2) == 0
		f := randomFormula(r, 1+r.IntN(4))
		if r.IntN(3) == 0 {
			f = ltl.Always(ltl.Atom(0))
		}
		a := ltl.Translate(f)
		if chances {
			a = a.LimitDeterministic()
		}
		if a == nil || len(a.Edges) > 12 {
			continue
		}
		c := newCrowd(r, s.graph(), 1+r.IntN(3))
		search := &Search{System: c, Letters: s.letters, Events: eventsOf, Automaton: a, Actions: actions,
			Chances: chances}
		left, lasso, err := search.Eliminate(t.Context())
		if err == nil && lasso != nil {
			err = search.Check(lasso, f)
			_, again, _ := search.Eliminate(t.Context())
			if !reflect.DeepEqual(again, lasso) {
				t.Fatalf("%v, chances %v, actions %v in %+v: %+v, then %+v", f, chances, actions, s, lasso, again)
			}
		}
		search.System = limited{c, r.Uint64N(2000)}
		if little, _, err := search.Eliminate(t.Context()); !errors.Is(err, explore.ErrMemory) {
			left = little
		}
		if err != nil {
			t.Fatalf("%v, chances %v, actions %v in %+v: %v, %v\n%+v", f, chances, actions, s, lasso, err, a)
		}
		got, reached := c.nodes(left), s.reached(a, actions)
		strong := slices.ContainsFunc(actions, func(a Action) bool { return a.Strong })
		all := s.left(a, actions, chances, false)
		sweeps, components := common(reached, all), common(reached, s.left(a, actions, chances, strong && !chances))
		inside := maps.Equal(got, common(got, all))
		got = common(reached, got) // what is not reachable may be left
		switch {
		case !inside || !maps.Equal(got, sweeps) && !maps.Equal(got, components):
			t.Fatalf("%v, chances %v, actions %v in %+v: %v is left, want %v or %v\n%+v", f, chances, actions, s, got,
				sweeps, components, a)
		case maps.Equal(sweeps, components):
		case maps.Equal(got, sweeps):
			swept++
		default:
			decomposed++
		}
		if lasso != nil {
			some++
		} else {
			none++
		}
	}
	t.Logf("something is left %d times, nothing %d times; %d swept, %d decomposed", some, none, swept, decomposed)
	if min(some, none) < 200 || min(swept, decomposed) < 10 {
		t.Errorf("too few cases: %d with something left, %d with nothing, %d swept, %d decomposed", some, none, swept,
			decomposed)
	}
}

// nodes returns the nodes of some places, by state of the automaton.
func (c *crowd) nodes(places []graph.Set[uint64]) map[node]bool {
	all := make(map[node]bool)
	for q, s := range places {
		for place, state := range c.at {
			if s != nil && s.Has(place) {
				all[node{uint32(state), q}] = true
			}
		}
	}
	return all
}

// reached returns the nodes that are reachable.
func (s *system) reached(a *ltl.Automaton, actions []Action) map[node]bool {
	all := make(map[node]bool)
	for _, p := range s.initial {
		maps.Copy(all, reach(s.arcs(a, actions), node{p, a.Initial}))
	}
	return all
}

// common returns the nodes that are in both sets.
func common(x, y map[node]bool) map[node]bool {
	all := make(map[node]bool)
	for n := range x {
		if x[n] && y[n] {
			all[n] = true
		}
	}
	return all
}

package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// tags distinguishes steps by groups and choices.
func tags(group int, step model.Step) uint32 { return uint32(group)<<8 | uint32(step.Choice)&0xff }

// TestGraph: every state of a graph has the transitions that the simplest search finds, whether the search has spilled
// or not, and whether it holds them or not.
func TestGraph(t *testing.T) {
	spilled := 0
	for seed := range seeds(30) {
		sys, g := randomSystem(t, seed)
		if g == nil {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 12))
		opt := explore.Options{Observer: adder(5), Tag: tags, Workers: 1 + r.IntN(3)}
		for _, opt := range []explore.Options{opt, spilling(t, r, opt, len(g.States))} {
			space, err := explore.Keep(t.Context(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			if space.Result().Spilled > 0 {
				spilled++
			}
			graph, err := space.Graph(t.Context())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			compare(t, fmt.Sprintf("seed %d, %+v", seed, opt), sys, g, graph)
			if err := graph.Hold(t.Context()); err != nil {
				t.Fatal(err)
			}
			compare(t, fmt.Sprintf("seed %d, %+v, held", seed, opt), sys, g, graph)
			space.Close()
		}
	}
	if spilled < int(seeds(30))/2 {
		t.Errorf("%d searches spilled", spilled)
	}
}

func compare(t *testing.T, name string, sys model.System, g *systemtest.Graph, graph explore.Graph) {
	t.Helper()
	state := func(place uint64) []model.Value {
		s, err := graph.State(place)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if int(graph.States()) != len(g.States) {
		t.Fatalf("%s: %d states, want %d", name, graph.States(), len(g.States))
	}
	var initial []string
	places, err := graph.Initial()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		initial = append(initial, systemtest.Key(state(p)))
	}
	var want []string
	_ = sys.Initial(func(s []model.Value) bool { want = append(want, systemtest.Key(s)); return true })
	if !slices.Equal(initial, want) {
		t.Fatalf("%s: initial states %q, want %q", name, initial, want)
	}
	odd := explore.Selection{Number: func(n uint64) bool { return n%3 != 0 },
		Place: func(p uint64) bool { return p%5 != 0 }}
	for _, backward := range []bool{false, true} {
		all := swept(t, graph, backward, explore.Selection{})
		levels := make([]int, len(all))
		some := 0
		for _, v := range all {
			key := state(v.Place)
			if levels[v.Number] = g.Level[systemtest.Key(key)]; v.Class != adder(5).of(key) || !graph.Has(v.Place) {
				t.Fatalf("%s: a state at %d of class %d", name, v.Place, v.Class)
			}
			if odd.Number(v.Number) && odd.Place(v.Place) {
				some++
			}
			var next, wanted []string
			for _, to := range v.To {
				next = append(next, systemtest.Key(state(to)))
			}
			successors, _ := systemtest.Successors(sys, key)
			for _, s := range successors {
				wanted = append(wanted, systemtest.Key(s.Target))
			}
			slices.Sort(next)
			slices.Sort(wanted)
			if !slices.Equal(next, wanted) {
				t.Fatalf("%s: successors %q, want %q", name, next, wanted)
			}
			err := graph.Expand([]uint64{v.Place}, func(w *explore.Vertex) {
				if w.Place != v.Place || w.Class != v.Class || !slices.Equal(w.Tags, v.Tags) ||
					!slices.Equal(w.To, v.To) {
					t.Fatalf("%s: %+v, want %+v", name, w, v)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(all) != len(g.States) || !slices.IsSorted(levels) {
			t.Fatalf("%s: %d of %d states, levels %v", name, len(all), len(g.States), levels)
		}
		if got := swept(t, graph, backward, odd); len(got) != some {
			t.Fatalf("%s: %d states were selected, want %d", name, len(got), some)
		}
	}
}

// swept returns the states that a sweep visits.
func swept(t *testing.T, g explore.Graph, backward bool, selected explore.Selection) (all []explore.Vertex) {
	t.Helper()
	var mu sync.Mutex
	err := g.Sweep(t.Context(), backward, selected, func(v *explore.Vertex) {
		mu.Lock()
		defer mu.Unlock()
		w := *v
		w.To, w.Tags = slices.Clone(v.To), slices.Clone(v.Tags)
		all = append(all, w)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

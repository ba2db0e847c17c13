package hunt

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// Only restricts the kinds of strategies to one, or to all for "", until the result is called.
func Only(name string) (restore func()) {
	all := kinds
	if name != "" {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
		kinds = kinds[i : i+1]
	}
	return func() { kinds = all }
}

// Kinds returns the names of the kinds of strategies.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Fill runs an archive with the given memory limit to its end, and returns the memory that it holds, without the map.
func Fill(ctx context.Context, sys *compile.System, goals []*ir.Property, seed uint64, bytes int) int {
	h := &hunt{ctx: ctx, sys: sys, goals: goals, opt: Options{Seed: seed}}
	if err := h.begin(); err != nil {
		panic(err)
	}
	a := newArchive(newHunter(h, rand.New(rand.NewPCG(seed, 1))), 100_000, bytes)
	for a.search(50_000) {
	}
	return len(a.cells)*16 + len(a.states)*4 + len(a.trail)*12 + len(a.number)*40
}

// Compare checks, in the states of random runs, the verdicts of a judge and the transitions of a walker.
func Compare(t *testing.T, sys *compile.System, goals []*ir.Property, rng *rand.Rand) {
	j, w := newJudge(t.Context(), sys, goals), newWalker(sys)
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	var start []model.Value
	for range 20 {
		err := sys.Initial(func(s []model.Value) bool {
			start = slices.Clone(s)
			return rng.IntN(3) > 0
		})
		if err != nil {
			t.Fatal(err)
		}
		w.goTo(start)
		for range 50 {
			view.Show(w.state)
			for i, p := range goals {
				v, err := p.Body.Eval(env)
				if err != nil {
					t.Fatal(err)
				}
				if (v == 0) != (j.of(w.state).broken&(1<<i) != 0) {
					t.Fatalf("%s is %d", p.Name, v)
				}
			}
			n := 0
			if err := model.Each(sys, w.state, func(g int, step model.Step, to []model.Value) bool {
				e := w.enabled[n]
				got := w.cursors[g].Target(int(e.index), w.state)
				if int(e.group) != g || w.step(e) != step || !slices.Equal(got, to) {
					t.Fatalf("transition %d is %v", n, e)
				}
				n++
				return true
			}); err != nil || n != len(w.enabled) {
				t.Fatalf("%d transitions, %d are known, %v", n, len(w.enabled), err)
			}
			if n == 0 {
				break
			}
			w.take(w.enabled[rng.IntN(n)])
		}
	}
}

package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/spectest"
	"ringcheck/model/language/ir"
)

// TestWarnings compares warnings with what a look at every state shows.
func TestWarnings(t *testing.T) {
	compared, warned := 0, 0
	for seed := range uint64(100) {
		src := spectest.Any(rand.New(rand.NewPCG(seed, 11))) +
			"invariant undefined = forall p in node, q in node: there(p, 0) or not there(q, 1) or p.x < q.y\n" +
			"invariant empty = forall p in node, q in node: p.x = 1 and q.y = 0 => p.f or not q.f or p.c = q.c\n"
		p := spectest.Instantiate(t, src, nil)
		g := &naive{protocol: p}
		if !g.explore(100) {
			continue
		}
		compared++
		sys := spectest.Compile(t, p)
		c := &checker{subject: Subject{System: sys}}
		for i := range p.Properties {
			r, err := Subject{System: sys}.Check(t.Context(), p.Properties[i:i+1], explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := &r.Verdicts[0]
			list := watches(v.Property)
			if err := c.sample(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			for _, w := range list {
				if w.kind == mattered { // what does not matter in some runs at random is not asked for
					continue
				}
				for _, instance := range w.instances {
					for _, s := range g.states {
						if value, err := instance.expr.Eval(p.NewEnv(s)); err == nil && value != 0 {
							instance.seen.Store(true)
						}
					}
				}
			}
			want := slices.Clone(v.Property.Warnings)
			ends := slices.ContainsFunc(g.next, func(next []int) bool { return len(next) == 0 })
			if p := v.Property; p.Kind == ir.Terminal && !ends {
				want = append(want, ir.Warning{Pos: p.Pos, Text: "there is no terminal state, so that this says nothing"})
			}
			for _, w := range c.warnings(v, list) {
				if !slices.Contains(want, w) {
					want = append(want, w)
				}
			}
			if !slices.Equal(v.Warnings, want) {
				t.Fatalf("seed %d: property %s: %v, want %v\n%s", seed, v.Property.Name, v.Warnings, want, src)
			}
			warned += len(want)
		}
	}
	t.Logf("%d warnings of %d specs", warned, compared)
	if compared < 40 || warned < 50 {
		t.Errorf("only %d warnings of %d specs", warned, compared)
	}
}

package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/symmetry"
	"ringcheck/verify/product"
)

// unfold calls do with a checker of a property, the search of a quotient by permutations for it, and the graph of that,
// and returns true; false if the property is refused.
func unfold(
	t *testing.T, sys *compile.System, property *ir.Property,
	do func(c *checker, of *temporal, s *product.Search, g *graph) error,
) bool {
	t.Helper()
	q := permutedFor(t, sys, property)
	if q == nil {
		return false
	}
	searchGraph(t, Verifier{System: sys, Searched: q}, property, func(c *checker, g *graph) error {
		of := c.temporal[0]
		s := c.searchOf(of, g)
		if err := of.assume(s, of.property.Temporal); err != nil {
			return err
		}
		return do(c, of, s, g)
	})
	return true
}

// TestUnfolding compares the transitions and the letters of unfolded states with those of the full system.
func TestUnfolding(t *testing.T) {
	total := uint64(many(40))
	states, meetings, located := 0, 0, 0
	for seed := range total {
		w := &formulaWriter{Rand: rand.New(rand.NewPCG(seed, 93))}
		src := cyclicSpec(w, seed%3 == 0)
		fair := w.oneOf("fair", "fair of E0", "strongly fair of E0 and fair of E1", "fair of done")
		src += "ltl f = always eventually (exists p in node: p at E1) under " + fair + "\n"
		p := spectest.Instantiate(t, src, nil)
		sys := spectest.Compile(t, p)
		if !isSmall(t, sys, 1000) {
			continue
		}
		unfold(t, sys, p.Properties[0], func(c *checker, of *temporal, s *product.Search, g *graph) error {
			u, err := c.newUnfolding(g, of, s, nil, nil)
			for place := uint64(1); err == nil && place < u.States(); place++ {
				err = u.Expand([]uint64{place}, func(v *explore.Vertex) {
					states++
					located += len(of.locationAtoms)
					met, err := compareUnfolded(c, of, u, v)
					if err != nil {
						t.Fatalf("seed %d: %v\n%s", seed, err, src)
					}
					meetings += met
				})
			}
			return err
		})
	}
	t.Logf("%d states, %d transitions of two processes", states, meetings)
	if states < 20*int(total) || meetings < int(total) || located < states/4 {
		t.Error("too few states of some sort")
	}
}

// TestUnfoldingWithoutRoom checks that a search of an unfolding without memory for more states finds nothing.
func TestUnfoldingWithoutRoom(t *testing.T) {
	p := spectest.Instantiate(t, "protocol turns\ntopology complete graph of 3\nchannel unordered\n"+
		"shared last: node\nvar me: node\nprocess p = A(p)\nA(me) = when last != me: let last = me; skip; A(me)\n"+
		"ltl g = eventually always not (exists p in node: p at A) under fair\n", nil)
	sys := spectest.Compile(t, p)
	if !unfold(t, sys, p.Properties[0], func(c *checker, of *temporal, s *product.Search, g *graph) error {
		for _, room := range []bool{true, false} {
			u, err := c.newUnfolding(g, of, s, nil, nil)
			if err != nil {
				return err
			}
			if !room {
				u.bytes = g.FreeBytes()
			}
			found, err := u.search.Short(t.Context())
			if err != nil || (found != nil) != room {
				t.Errorf("with room %t: %v, %v", room, found, err)
			}
		}
		initial := g.Initial()[0]
		long := slices.Repeat([]product.Step{{From: initial, To: initial}}, maxUnfolded)
		for _, stem := range [][]product.Step{long[:1], long} {
			u, err := c.newUnfolding(g, of, s, stem, nil)
			if err != nil || (u == nil) != (len(stem) == maxUnfolded) {
				t.Errorf("after %d steps: %v, %v", len(stem), u, err)
			}
		}
		return nil
	}) {
		t.Error("the property is refused")
	}
}

// compareUnfolded compares a vertex of an unfolding with the state of the full system. It returns the number of
// transitions of two processes.
func compareUnfolded(c *checker, of *temporal, u *unfolding, v *explore.Vertex) (met int, err error) {
	sys := c.verifier.System
	state := u.states[v.Place].values
	view := sys.NewView()
	view.Show(state)
	letter, err := of.letter(view, of.protocol)
	if err != nil {
		return 0, err
	}
	if got := u.search.Letters[v.Class]; got != letter {
		return 0, fmt.Errorf("state %v: letter %b, want %b", state, got, letter)
	}
	var want, got []string
	text := func(k product.Kind, to []model.Value) string {
		k.Draw = 0
		return fmt.Sprint(k, to)
	}
	err = model.Each(sys, state, func(_ int, step model.Step, to []model.Value) bool {
		k := kindOf(sys.Label(step.Label))
		if k.Receiver > 0 {
			met++
		}
		want = append(want, text(k, to))
		return true
	})
	for i, to := range v.To {
		if k := u.kinds[v.Tags[i]]; k.Action != product.Over {
			got = append(got, text(k, u.states[to].values))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if err == nil && !slices.Equal(want, got) {
		err = fmt.Errorf("state %v: transitions %v, want %v", state, got, want)
	}
	return met, err
}

// TestShortLassos compares the lengths of runs by orbits with those of the full system, where the cycle of orbits must
// be repeated. Processes count before they share a lock, so that the cycle can be far from the initial state.
func TestShortLassos(t *testing.T) {
	for _, test := range []struct {
		n, count int
	}{{3, 0}, {4, 0}, {5, 0}, {4, 9}} {
		p := spectest.Instantiate(t, fmt.Sprintf(`protocol lock
param n: 2..9 = %d
topology complete graph of n
channel unordered
shared free: bool = true
var x: 0..9
process p = Count(0)
Count(x) = if x = %d then Outside else skip; Count(x + 1)
Outside = skip; Wait
Wait = when free: let free = false; skip; Inside
Inside = let free = true; skip; Outside
ltl free = eventually always exists p in node: p at Inside under strongly fair
ltl each = forall p in node: eventually always not p at Inside under strongly fair
`, test.n, test.count), nil)
		sys := spectest.Compile(t, p)
		for _, property := range p.Properties {
			q, err := symmetry.Permutation(t.Context(), sys, reduce.InvariantsOf(property)...)
			if err != nil {
				t.Fatal(err)
			}
			list := []*ir.Property{property}
			full, err := Verifier{System: sys}.Check(t.Context(), list, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			orbits, err := Verifier{System: sys, Searched: q}.Check(t.Context(), list, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, got := full.Judgments[0].Lasso, orbits.Judgments[0].Lasso
			if got.Cycle != 3*test.n || got.Cycle > want.Cycle || got.Stem > want.Stem+test.n {
				t.Errorf("n = %d, count = %d, %s: %d and %d steps, without symmetry %d and %d", test.n, test.count,
					property.Name, got.Stem, got.Cycle, want.Stem, want.Cycle)
			}
		}
	}
}

package verify

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/step"
)

// TestWarnings compares warnings with those found by evaluating every watched expression in every state.
func TestWarnings(t *testing.T) {
	compared, warned, silenced := 0, 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(many(35), 11) {
		src +=
			"invariant undefined = forall p in node, q in node: there(p, 0) or not there(q, 1) or p.x < q.y\n" +
				"invariant empty = forall p in node, q in node: p.x = 1 and q.y = 0 => p.f or not q.f or p.c = q.c\n" +
				"invariant few = (count p in node: there(p, 1)) <= 1 or (exists p in node: p.x = 1 and p.f)\n"
		p := spectest.Instantiate(t, src, nil)
		g := &naive{protocol: p}
		if !g.explore(200) {
			continue
		}
		compared++
		corpus.Use(t, src)
		sys := spectest.Compile(t, p)
		c := Verifier{System: sys}
		for i := range p.Properties {
			r, err := Verifier{System: sys}.Check(t.Context(), p.Properties[i:i+1], explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := r.Judgments[0]
			want := g.warnings(t, c, v)
			if !slices.Equal(v.Warnings, want) {
				t.Fatalf("seed %d: property %s: %v, want %v\n%s", seed, v.Property.Name, v.Warnings, want, src)
			}
			warned += len(want)
			silenced += g.silenced(t, c, &v, src)
		}
	}
	t.Logf("%d warnings of %d specs, %d of a part that says nothing", warned, compared, silenced)
	if compared < many(20) || warned < many(25) || silenced < many(10) {
		t.Errorf("only %d warnings of %d specs, %d of a part that says nothing", warned, compared, silenced)
	}
	corpus.Check(t)
}

// warnings returns the warnings about a property, found by evaluating every watched expression in every state.
func (g *naive) warnings(t *testing.T, c Verifier, v Judgment) []ir.Warning {
	t.Helper()
	ends := slices.Contains(g.ends, true)
	v.Warnings = slices.Clone(v.Property.Warnings)
	body, constant := v.Property.Body.(*ir.Const)
	if p := v.Property; p.Kind == property.Terminal && !ends && !(constant && body.Value == 0) {
		v.warn([]ir.Warning{{Pos: p.Pos, Text: "there is no terminal state, so this is vacuous"}})
	}
	list := c.vacuityChecks([]Judgment{v}, ends)
	v.warn(g.suspicion(list[0]).candidates(false))
	r := &Result{Search: new(explore.Result), Judgments: []Judgment{v}}
	if ends {
		r.Search.TerminalStates = 1
	}
	err := c.warnHollow(r, func(_ int, p *ir.Property) (bool, error) { return g.atEnds(p) == Holds, nil })
	if err != nil {
		t.Fatal(err)
	}
	return r.Judgments[0].Warnings
}

// atEnds returns the outcome for a terminal property.
func (g *naive) atEnds(p *ir.Property) Outcome {
	for i, state := range g.states {
		if value, err := p.Body.Eval(g.protocol.NewEnv(state)); g.ends[i] && (err != nil || value == 0) {
			return Violated
		}
	}
	return Holds
}

// suspicion records the observations in all states.
func (g *naive) suspicion(s *vacuityCheck) *vacuityCheck {
	for _, i := range s.all {
		i.seen.Store(false)
		for _, state := range g.states {
			if value, err := i.expr.Eval(g.protocol.NewEnv(state)); err != nil || value != 0 {
				i.seen.Store(true)
			}
		}
	}
	return s
}

// silenced returns the number of warnings that a part says nothing. For each, some part of the property can be replaced
// by true and by false without changing the verdict of any state, and the place of the warning has one value.
func (g *naive) silenced(t *testing.T, c Verifier, v *Judgment, src string) int {
	t.Helper()
	p := *v.Property
	p.Body = inlineDefinitions(p.Body)
	of := *v
	of.Property = &p
	s := g.suspicion(c.vacuityChecks([]Judgment{of}, true)[0])
	count := 0
	for _, w := range s.candidates(false) {
		if !strings.HasSuffix(w.Text, silent) {
			continue
		}
		count++
		idle := false
		for _, part := range s.root.all() {
			idle = idle || g.same(p.Body, replaced(p.Body, part.expr, truth(false))) &&
				g.same(p.Body, replaced(p.Body, part.expr, truth(true)))
		}
		if !idle {
			t.Errorf("property %s: %v: no vacuous part was found\n%s", p.Name, w, src)
		}
	}
	return count
}

// all returns a clause and those in it.
func (p *clause) all() []*clause {
	list := []*clause{p}
	for _, x := range p.parts {
		list = append(list, x.all()...)
	}
	return list
}

// replaced returns e with the first occurrence of a part replaced.
func replaced(e, part, by ir.Expr) ir.Expr {
	done := false
	var replace func(e ir.Expr) ir.Expr
	replace = func(e ir.Expr) ir.Expr {
		if e == part && !done {
			done = true
			return by
		}
		parts := ir.Children(e)
		for i, p := range parts {
			parts[i] = replace(p)
		}
		return ir.WithChildren(e, parts)
	}
	return replace(e)
}

// same reports whether two expressions have the same value in all states.
func (g *naive) same(x, y ir.Expr) bool {
	return !slices.ContainsFunc(g.states, func(s *step.State) bool {
		env := g.protocol.NewEnv(s)
		a, err := x.Eval(env)
		b, err2 := y.Eval(env)
		return a != b || (err == nil) != (err2 == nil)
	})
}

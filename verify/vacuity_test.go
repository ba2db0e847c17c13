package verify

import (
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// TestWarnings compares warnings with those found by evaluating every watched expression in every state, and vacuous
// parts with the definition.
func TestWarnings(t *testing.T) {
	compared, warned, vacuous, neverHold, unreported := 0, 0, 0, 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(many(50), 11) {
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
			vacuous += g.vacuities(t, c, &v, src)
		}
		neverHold, unreported = neverHold+g.vacuous, unreported+g.unreported
	}
	t.Logf("%d warnings of %d specs, %d vacuous parts, %d that never hold", warned, compared, vacuous, neverHold)
	if compared < many(20) || warned < many(25) || vacuous < many(10) {
		t.Errorf("only %d warnings of %d specs, %d vacuous parts", warned, compared, vacuous)
	}
	if neverHold < many(20) || unreported > neverHold/20 {
		t.Errorf("%d of %d vacuous parts that never hold are not reported", unreported, neverHold)
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

// vacuities returns the number of vacuous parts of a property that holds. It checks the definition for each: with true
// and with false in the place of the part, the property holds, too. Parts of counts and parts that are vacuous for some
// processes only are left out.
func (g *naive) vacuities(t *testing.T, c Verifier, v *Judgment, src string) (count int) {
	t.Helper()
	if v.Outcome != Holds || v.Property.Temporal != nil {
		return 0
	}
	p := *v.Property
	p.Body = inlineDefinitions(p.Body)
	of := *v
	of.Property = &p
	s := g.suspicion(c.vacuityChecks([]Judgment{of}, true)[0])
	outside := s.root.outsideCounts()
	list := s.vacuities(s.root, of.dependence())
	for _, found := range list {
		if found.processes != nil || !slices.Contains(outside, found.part) {
			continue
		}
		count++
		for _, value := range []bool{false, true} {
			with := p
			with.Body = replaced(t, p.Body, found.part.source, truth(value))
			if got := g.judge(t, &with); got.Outcome != Holds {
				t.Errorf("property %s: %v with %t in the place of the part at %v: %v\n%s",
					p.Name, got.Outcome, value, found.part.pos, found, src)
			}
		}
	}
	if p.Kind == property.Invariant {
		g.missing(t, s.root, list, &p)
	}
	return count
}

// missing counts the parts of an invariant that never hold and are vacuous by definition, and those among them that are
// not reported: no vacuous part that contains them or is in them, and no cause. It replaces some parts only.
func (g *naive) missing(t *testing.T, root *clause, found []vacuity, p *ir.Property) {
	t.Helper()
	outside := root.outsideCounts()
	for i := 0; i < len(outside); i += 3 {
		x := outside[i]
		with := *p
		if !x.constant(false) || x.isLiteral {
			continue
		}
		if with.Body = replaced(t, p.Body, x.source, truth(true)); g.judge(t, &with).Outcome != Holds {
			continue
		}
		g.vacuous++
		inside := x.outsideCounts()
		reported := func(y *clause) bool { return slices.Contains(inside, y) || slices.Contains(y.outsideCounts(), x) }
		if !slices.ContainsFunc(found, func(v vacuity) bool { return reported(v.part) || reported(v.cause) }) {
			g.unreported++
		}
	}
}

// outsideCounts returns a clause and the clauses in it, except those in the counts of atoms.
func (p *clause) outsideCounts() []*clause {
	list := []*clause{p}
	if p.op != ir.StateAtom {
		for _, x := range p.parts {
			list = append(list, x.outsideCounts()...)
		}
	}
	return list
}

// replaced returns e with another expression in the place of a part, which must occur in e.
func replaced(t *testing.T, e, part, by ir.Expr) ir.Expr {
	t.Helper()
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
	if e = replace(e); !done {
		t.Fatalf("%v does not occur in the property", part)
	}
	return e
}

package verify

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/step"
	"ringcheck/model/ltl"
	"ringcheck/reduce/symmetry"
)

// A naive search keeps all states and transitions, found by the untabulated semantics, and evaluates every property in
// every state.
type naive struct {
	protocol *ir.Protocol
	states   []*step.State
	level    []int
	next     [][]int
	ends     []bool // whether a run can end there: it is terminal, or only the environment can act

	vacuous, unreported int // parts that are vacuous and never hold, and those without a warning: see missing
}

// explore returns false if there are too many states or the protocol has a model error.
func (g *naive) explore(limit int) bool {
	in := step.New(g.protocol, step.Options{})
	index := make(map[string]int)
	level := 0
	find := func(s *step.State) int {
		key := s.Key()
		i, ok := index[key]
		if !ok {
			i = len(g.states)
			index[key] = i
			g.states, g.level = append(g.states, s), append(g.level, level)
		}
		return i
	}
	if err := in.Initial(func(s *step.State) bool { find(s); return true }); err != nil {
		return false
	}
	for i := 0; i < len(g.states); i++ {
		if len(g.states) > limit {
			return false
		}
		transitions, err := spectest.Successors(in, g.states[i])
		if err != nil {
			return false
		}
		level = g.level[i] + 1
		g.next = append(g.next, nil)
		g.ends = append(g.ends, true)
		for _, t := range transitions {
			g.next[i] = append(g.next[i], find(t.Target))
			g.ends[i] = g.ends[i] && t.Environment
		}
	}
	return true
}

// judge returns the verdict on a property, without State, which may be any of several.
func (g *naive) judge(t *testing.T, p *ir.Property) Judgment {
	t.Helper()
	v := Judgment{Property: p, Outcome: Holds}
	no, yes := make([]bool, len(g.states)), make([]bool, len(g.states)) // no value: neither
	maybe := make([]bool, len(g.states))
	for i, s := range g.states {
		value, err := p.Body.Eval(g.protocol.NewEnv(s))
		no[i], yes[i] = err == nil && value == 0, err == nil && value != 0
		maybe[i] = !no[i]
		if err != nil && v.EvalError == nil && (p.Kind != property.Terminal || g.ends[i]) {
			v.EvalError = &EvalError{Property: p, Err: err, Level: g.level[i]}
		}
	}
	speaks := func(i int) bool { return no[i] }
	switch p.Kind {
	case property.Terminal:
		speaks = func(i int) bool { return no[i] && g.ends[i] }
	case property.Reachable:
		speaks = func(i int) bool { return yes[i] }
	case property.Recoverable:
		escapes := g.backward(maybe)
		speaks = func(i int) bool { return !escapes[i] }
	case property.Invariant, property.LTL:
	default:
		t.Fatalf("add the meaning of %s to this judge", p.Kind)
	}
	for i := range g.states {
		if speaks(i) {
			if v.Count == 0 {
				v.Level = g.level[i]
			}
			v.Count++
		}
	}
	switch {
	case v.Count == 0 && v.EvalError != nil:
		v.Outcome = Unknown
	case (v.Count > 0) != (p.Kind == property.Reachable):
		v.Outcome = Violated
	}
	return v
}

// backward returns the states from which one of the goals is reachable.
func (g *naive) backward(goal []bool) []bool {
	reaches := slices.Clone(goal)
	for changed := true; changed; {
		changed = false
		for i, next := range g.next {
			if !reaches[i] && slices.ContainsFunc(next, func(j int) bool { return reaches[j] }) {
				reaches[i], changed = true, true
			}
		}
	}
	return reaches
}

// compare checks a protocol both ways and, if it is symmetric, also by orbits. It returns false if the naive search
// does not complete.
func compare(t *testing.T, p *ir.Protocol, limit int) (compared, symmetric bool) {
	t.Helper()
	g := &naive{protocol: p}
	if !g.explore(limit) {
		return false, false
	}
	sys := spectest.Compile(t, p)
	if err := g.check(t, Verifier{System: sys}); err != nil {
		t.Fatal(err)
	}
	orbits, err := symmetry.Rotation(t.Context(), sys)
	if err != nil {
		return true, false
	}
	err = g.check(t, Verifier{System: sys, Searched: orbits})
	if err != nil && !errors.Is(err, ErrAsymmetric) {
		t.Fatal(err)
	}
	return true, err == nil
}

// check compares the verdicts on all properties.
func (g *naive) check(t *testing.T, s Verifier) error {
	t.Helper()
	r, err := s.Check(t.Context(), g.protocol.Properties, explore.Options{Workers: 2})
	if err != nil {
		return err
	}
	if r.Search.States != uint64(len(g.states)) {
		t.Errorf("%d states, want %d", r.Search.States, len(g.states))
	}
	for i, v := range r.Judgments {
		want := g.judge(t, g.protocol.Properties[i])
		if v.Outcome != want.Outcome || v.Count != want.Count || v.Count > 0 && v.Level != want.Level {
			t.Errorf("%s: %v, %d states from level %d on; want %v, %d from %d on",
				v.Property.Name, v.Outcome, v.Count, v.Level, want.Outcome, want.Count, want.Level)
		}
		if (v.EvalError == nil) != (want.EvalError == nil) ||
			v.EvalError != nil && v.EvalError.Level != want.EvalError.Level {
			t.Errorf("%s: error %v, want %v", v.Property.Name, v.EvalError, want.EvalError)
		}
		if v.Outcome == Violated {
			g.replay(t, s, v)
		}
	}
	return nil
}

// replay checks that there is a run to a violation, of the right length.
func (g *naive) replay(t *testing.T, s Verifier, v Judgment) {
	t.Helper()
	run, _, err := s.Counterexample(t.Context(), []*ir.Property{v.Property}, explore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if run == nil || v.Property.Kind != property.Reachable && len(run.Moves) != v.Level+1 {
		t.Fatalf("%s: run %v, want one of %d steps", v.Property.Name, run, v.Level)
	}
	if err := Replay(s.System, run); err != nil {
		t.Errorf("%s: %v", v.Property.Name, err)
	}
	if v.State != nil && v.Property.Kind != property.Recoverable {
		if _, err := Explain(s.System, v.Property, v.State); err != nil {
			t.Error(err)
		}
		if last := run.Moves[len(run.Moves)-1].State; !slices.Equal(last, v.State) {
			t.Errorf("%s: the run ends in another state than Check shows", v.Property.Name)
		}
	}
}

// operator returns the operator of a formula: 1, 0, &, |, X, U or R; p for a literal.
func operator(f *ltl.Formula) string { return strings.TrimLeft(f.String(), "(")[:1] }

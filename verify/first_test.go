package verify

import (
	"sync"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

const several = `
invariant none = forall p in node: not p at Leader
invariant calm = forall p in node: p at A1 or p at A2 or p at A3 or p at P
terminal never = false
`

// TestMet checks that the violations reported during a search are those that the whole search finds, and that a search
// that stops at the first violation reports it.
func TestMet(t *testing.T) {
	src := string(spectest.Source(t, "franklin")) + several
	for _, settings := range []string{"n=2 k=2", "n=3 k=2", "n=2 k=3 bits=false"} {
		p := spectest.Instantiate(t, src, spectest.Settings(settings))
		var mu sync.Mutex
		met := make(map[*ir.Property]int)
		s := Verifier{System: spectest.Compile(t, p), OnViolation: func(p *ir.Property, level int) {
			mu.Lock()
			defer mu.Unlock()
			if _, twice := met[p]; twice {
				t.Errorf("%s: %s is reported twice", settings, p.Name)
			}
			met[p] = level
		}}
		whole, err := s.Check(t.Context(), p.Properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		first := -1
		for _, v := range whole.Judgments {
			level, ok := met[v.Property]
			about := v.Property.Kind == property.Invariant || v.Property.Kind == property.Terminal
			if ok != (about && v.Outcome == Violated) || ok && level != v.Level {
				t.Errorf("%s: %s is %v after %d steps, and told (%v) after %d", settings, v.Property.Name, v.Outcome,
					v.Level, ok, level)
			}
			if ok && (first < 0 || level < first) {
				first = level
			}
		}
		s.StopFirst, s.OnViolation = true, nil
		stopped, err := s.Check(t.Context(), p.Properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if stopped.Search.Stop != explore.Matched || len(stopped.Search.Levels) >= len(whole.Search.Levels) {
			t.Errorf("%s: %v after %d of %d levels", settings, stopped.Search.Stop, len(stopped.Search.Levels),
				len(whole.Search.Levels))
		}
		shortest := stopped.shortest()
		if shortest == nil || shortest.Level != first {
			t.Errorf("%s: stopped at %+v, want a violation after %d steps", settings, shortest, first)
		}
		for i, v := range stopped.Judgments {
			if w := whole.Judgments[i]; v.Outcome != Unknown && (v.Outcome != w.Outcome || v.Outcome == Violated &&
				v.Level != w.Level) {
				t.Errorf("%s: %s is %v, in all states %v", settings, v.Property.Name, v.Outcome, w.Outcome)
			}
		}
	}
}

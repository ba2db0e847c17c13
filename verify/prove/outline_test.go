package prove

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
	"ringcheck/verify/prove/sat"
)

// TestNeeds tests the steps that show why a proof needs its patterns. Before the step, only the one pattern occurs; the
// step is one of a rule; and another pattern occurs afterwards.
func TestNeeds(t *testing.T) {
	t.Parallel()
	type source struct {
		spec     *reduce.Spec
		property string
	}
	var sources []source
	for _, test := range proved[:cases()] {
		if test.set == nil {
			spec, err := loadtest.Open(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, source{spec, property(test.spec)})
		}
	}
	for i, c := range claims {
		if i > 1 && !testlevel.Gate() {
			break
		}
		spec, err := loadtest.Parse(filepath.Base(c.spec), []byte(c.read(t)))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source{spec, c.property})
	}
	needed := 0
	for _, s := range sources {
		lemmas, p := lemmasOf(t, s.spec, s.property)
		for _, l := range lemmas {
			switch {
			case p.isGoal(l.pattern):
				if l.need() != nil {
					t.Errorf("%s: %s is forbidden, and has a step", s.spec.Name, p.describe(l.pattern))
				}
			case l.without == nil:
				t.Errorf("%s: %s has no step", s.spec.Name, p.describe(l.pattern))
			default:
				needed++
				if err := l.without.check(l, lemmas); err != nil {
					t.Errorf("%s: %s: %v", s.spec.Name, p.describe(l.pattern), err)
				}
			}
		}
	}
	t.Logf("%d patterns are needed", needed)
	if needed < 30 {
		t.Error("too few")
	}
}

// lemmasOf returns an inductive set of lemmas for a property of a spec.
func lemmasOf(t *testing.T, spec *reduce.Spec, property string) ([]*lemma, *proof) {
	task, err := newTask(t.Context(), spec.Declarations, nil, Options{Property: property})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range task.attempts() {
		x, protocol, err := task.translate(a.abstraction)
		if err != nil {
			t.Fatal(err)
		}
		goals, _, err := task.goalsAndHints(x, protocol)
		if err != nil && a.coarse {
			continue // the property is about values that this abstraction forgets
		}
		if err != nil {
			t.Fatal(err)
		}
		m := newMiner(x, a.width)
		if err := task.mineRuns(t.Context(), m, 100, 100); err != nil {
			t.Fatal(err)
		}
		if lemmas, broken := newSearcher(m, x.largestRing()).prove(goals, nil); broken == nil {
			return lemmas, &proof{translation: x, goals: goals}
		}
	}
	t.Fatalf("%s of %s is not proved", property, spec.Name)
	return nil, nil
}

// check returns an error unless a step leads from a state in which only one of some lemmas occurs to the lemma of the
// step.
func (f *counterexample) check(one *lemma, lemmas []*lemma) error {
	if f.lemma == one || !slices.Contains(lemmas, f.lemma) {
		return fmt.Errorf("the step leads to no other lemma of the proof: %s", f.x.describe(f.lemma.pattern))
	}
	occurs := func(l *lemma, state []atom) bool {
		return l.width <= f.n && f.x.patternFinder([]pattern{l.pattern}, f.n)(state) != ""
	}
	for _, l := range lemmas {
		if occurs(l, f.state) != (l == one) {
			return fmt.Errorf("before the step, this occurs, or does not: %s", f.x.describe(l.pattern))
		}
	}
	there := make(map[atom]bool)
	trueBefore := make(map[sat.Lit]bool)
	for _, a := range f.state {
		if !a.absent {
			there[a], trueBefore[f.lit(a)] = true, true
		}
	}
	c := &transition{ring: f.ring, from: there, trueBefore: trueBefore}
	after := maps.Clone(there)
	for a, l := range f.effects {
		if delete(after, a); l == alwaysTrue || l != -alwaysTrue && c.holds(l) {
			after[a] = true
		}
	}
	state := f.x.withNegations(slices.Collect(maps.Keys(after)), f.n)
	switch v := (&validator{abstractor: &abstractor{translation: f.x}, ring: f.ring}); {
	case !v.isStep(f.state, state, 0):
		return fmt.Errorf("no rule leads from %v to %v", f.state, state)
	case !occurs(f.lemma, state):
		return fmt.Errorf("afterwards, this does not occur: %s", f.x.describe(f.lemma.pattern))
	}
	return nil
}

// TestOutline: a report has its patterns in the order of what they are about, each in one sentence. Two searches have
// the same result.
func TestOutline(t *testing.T) {
	t.Parallel()
	r := prove(t, test{"chang-roberts", nil})
	var order []string
	described := make(map[int]bool)
	for _, s := range r.Sentences {
		if order = append(order, s.About); len(s.Patterns) == 0 {
			t.Errorf("%s describes no pattern", s.Text)
		}
		for _, i := range s.Patterns {
			if described[i] || r.Patterns[i].About != s.About {
				t.Errorf("%s is described twice, or is about %s", r.Patterns[i].Text, s.About)
			}
			described[i] = true
		}
	}
	want := []string{"the property", "two processes", "one process and one message"}
	if order = slices.Compact(order); len(described) != len(r.Patterns) || !slices.Equal(order, want) {
		t.Errorf("%d of %d patterns are described; sentences are about %q", len(described), len(r.Patterns), order)
	}
	for i, p := range r.Patterns {
		switch {
		case (p.About == theProperty) != (p.Without == nil):
			t.Errorf("%s: %+v", p.Text, p.Without)
		case p.Without == nil:
		case p.Without.Action == "" || len(p.Without.Processes) != p.Without.Ring ||
			p.Without.Before == "" || p.Without.Before == p.Without.Pattern:
			t.Errorf("%s: %+v", p.Text, p.Without)
		}
		if text := r.proof.describe(r.proof.patterns[i]); text != p.Text {
			t.Errorf("pattern %d of the certificate: %s, want %s", i, text, p.Text)
		}
	}
	spec, err := loadtest.Open("chang-roberts")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Prove(t.Context(), spec, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := func(r *Report) string {
		var list []string
		for _, p := range r.Patterns {
			list = append(list, p.Text)
			if p.Without != nil {
				list = append(list, fmt.Sprintf("%s %+v", p.Without.Before, *p.Without.Counterexample))
			}
		}
		return strings.Join(append(list, fmt.Sprint(r.Sentences, r.Places)), "\n")
	}
	if text(r) != text(again) {
		t.Errorf("two searches differ:\n%s\n%s", text(r), text(again))
	}
}

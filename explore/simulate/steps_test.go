package simulate_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A source is one that another one can replace.
type source struct{ rand.Source }

// A take is a step as a test compares it.
type take struct{ label, target string }

// takes returns the steps of the semantics, and the least probability of one within its choice.
func takes(all []spectest.Transition) (set map[take]bool, least float64) {
	set, least = make(map[take]bool), 1
	for _, x := range all {
		weight, _ := x.Weight.Float64()
		set[take{x.Label, x.Target.Key()}], least = true, min(least, weight)
	}
	return set, least
}

// TestStepSets compares, in each state of random runs, all steps that a run can take with those of the small-step
// semantics.
func TestStepSets(t *testing.T) {
	states, largest := 0, 0
	for name, p := range protocols(t) {
		m := step.New(p, step.Options{})
		sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{})
		if err != nil {
			t.Fatal(name, err)
		}
		for seed := range uint64(2) {
			for length := range 20 {
				n, on := compareSteps(t, name, m, sys.NewRun(), seed, length)
				if !on || t.Failed() {
					break
				}
				states, largest = states+1, max(largest, n)
			}
		}
	}
	t.Logf("%d states, up to %d steps", states, largest)
	if states < 1000 || largest < 20 {
		t.Errorf("only %d states with up to %d steps were compared", states, largest)
	}
}

// compareSteps compares the steps in the state of a run after a number of steps. It returns how many there are; not on
// if the run ends there, or before, or with a model error.
func compareSteps(t *testing.T, name string, m *step.Machine, r *simulate.Run, seed uint64, length int) (n int,
	on bool) {
	t.Helper()
	random := &source{}
	begin := func() bool {
		random.Source = rand.NewPCG(seed, 3)
		if err := r.Reset(rand.New(random)); err != nil {
			t.Fatal(name, err)
		}
		for range length {
			if ok, err := r.Step(); !ok || err != nil {
				return false
			}
		}
		return true
	}
	if !begin() {
		return 0, false
	}
	state := r.State()
	all, err := spectest.Successors(m, state)
	if err != nil {
		return 0, false
	}
	want, least := takes(all)
	got := make(map[take]bool)
	// Each round takes each choice once, with other draws.
	for round := uint64(0); round == 0 || len(got) < len(want) && float64(round)*least < 30; round++ {
		for i := range r.Choices() {
			if round > 0 || i > 0 {
				begin()
			}
			random.Source = rand.NewPCG(round, uint64(i))
			if err := r.Choose(i); err != nil {
				t.Fatal(name, err)
			}
			got[take{r.Text(), r.State().Key()}] = true
		}
		begin()
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: steps %v, want %v, from\n%s", name, labelsOf(got), labelsOf(want), spectest.Format(m, state))
	}
	return len(want), len(want) > 0
}

// labelsOf returns the labels of steps in order.
func labelsOf(steps map[take]bool) []string {
	var all []string
	for s := range steps {
		all = append(all, s.label)
	}
	return slices.Sorted(slices.Values(all))
}

// TestTimedBeginnings compares the first steps of processes with a Timed schedule, which delays messages beforehand,
// with those of the semantics, over many runs.
func TestTimedBeginnings(t *testing.T) {
	compared := 0
	for name, p := range protocols(t) {
		if !p.Time.Ticks {
			continue
		}
		sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{Schedule: simulate.Timed})
		if err != nil {
			t.Fatal(name, err)
		}
		if beginnings(t, name, p, sys) {
			compared++
		}
	}
	if compared < 20 {
		t.Errorf("only %d protocols were compared", compared)
	}
}

// beginnings compares the first steps of a protocol, unless it has very many initial states.
func beginnings(t *testing.T, name string, p *ir.Protocol, sys *simulate.System) bool {
	t.Helper()
	m := step.New(p, step.Options{})
	want := make(map[take]bool)
	rare, states := 1.0, 0
	if err := m.Initial(func(s *step.State) bool {
		states++
		all, err := spectest.Successors(m, s)
		if err != nil {
			states = 1000
			return false
		}
		all = slices.DeleteFunc(all, func(x spectest.Transition) bool { return x.Environment || x.Process < 0 })
		set, least := takes(all)
		maps.Copy(want, set)
		rare = min(rare, least/float64(max(1, len(all))))
		return states < 100
	}); err != nil || states >= 100 {
		return false
	}
	r := sys.NewRun()
	got := make(map[take]bool)
	for seed := uint64(0); len(got) < len(want) && float64(seed)*rare/float64(states) < 60; seed++ {
		if err := r.Reset(rand.New(rand.NewPCG(seed, 7))); err != nil {
			t.Fatal(name, err)
		}
		ok, err := r.Step()
		if err != nil {
			t.Fatal(name, err)
		}
		crashed := r.Last.Kind == model.CrashAction && !r.Last.Own
		if ok && r.Process >= 0 && !crashed && r.Last.Kind != model.RecoverAction {
			got[take{r.Text(), r.State().Key()}] = true
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: first steps %v, want %v", name, labelsOf(got), labelsOf(want))
	}
	return true
}

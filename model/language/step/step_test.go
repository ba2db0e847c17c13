package step_test

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/step"
)

func machine(t *testing.T, src string, opt step.Options) *step.Machine {
	t.Helper()
	return step.New(spectest.Instantiate(t, src, nil), opt)
}

func TestExploreCounts(t *testing.T) {
	g, err := spectest.Explore(machine(t, coin, step.Options{}), 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.States) != 4 || g.Transitions != 3 || g.TerminalStates != 2 || len(g.Levels) != 3 {
		t.Errorf("%d states, %d transitions, %d terminal states, levels %v; want 4, 3, 2 on 3 levels",
			len(g.States), g.Transitions, g.TerminalStates, g.Levels)
	}
}

func TestExploreStopsAtLimit(t *testing.T) {
	g, err := spectest.Explore(machine(t, coin, step.Options{}), 2)
	if err == nil || !strings.Contains(err.Error(), "more than 2 states") {
		t.Errorf("error %v, want one about more than 2 states", err)
	}
	if len(g.States) != 3 {
		t.Errorf("%d states, want the 2 of the limit and the one beyond", len(g.States))
	}
}

func TestExploreReportsError(t *testing.T) {
	g, err := spectest.Explore(machine(t, `protocol counter ""
topology directed ring of 2
var x: nat
process p = if p = 1 then A(0) else stop
A(x) = when x >= 0: skip; A(x + 1)
`, step.Options{MaxNat: 3}), 100)
	var f *model.Error
	if !errors.As(err, &f) || !f.Growth || f.Process != 1 {
		t.Errorf("error %v, want the growth of process 1", err)
	}
	if len(g.States) != 4 {
		t.Errorf("%d states before the error, want 4", len(g.States))
	}
}

// TestOutcomes: draws and choices of a step may have so many outcomes together, and no more.
func TestOutcomes(t *testing.T) {
	for most, fine := range map[int]bool{15: false, 16: true, 0: true} {
		_, err := spectest.Explore(machine(t, `protocol draws ""
topology directed ring of 2
var x, y: 1..4
process p = if p = 1 then A else stop
A = choose x; draw y; skip; stop
`, step.Options{MaxOutcomes: most}), 100)
		var f *model.Error
		if fine && err != nil || !fine && (!errors.As(err, &f) || !f.Growth || f.Process != 1) {
			t.Errorf("at most %d outcomes: %v", most, err)
		}
	}
}

// TestKeyTellsStatesApart checks that keys are equal exactly if states are.
func TestKeyTellsStatesApart(t *testing.T) {
	in := machine(t, coin, step.Options{})
	g, err := spectest.Explore(in, 100)
	if err != nil {
		t.Fatal(err)
	}
	again, err := spectest.Explore(in, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range g.States {
		for j, r := range again.States {
			if (s.Key() == r.Key()) != (i == j) {
				t.Errorf("states %s and %s have keys %q and %q", spectest.Format(in, s), spectest.Format(in, r),
					s.Key(), r.Key())
			}
		}
	}
}

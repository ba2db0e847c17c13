package symmetry_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// TestUnrotated checks that a search, which rotates the targets of the unrotated system, finds the successors of the
// quotient, and a walk their steps, too.
func TestUnrotated(t *testing.T) {
	compared, specs := 0, seeds(200)
	corpus := spectest.NewCorpus(spectest.Asymmetric...)
	for seed, source := range corpus.Specs(int(specs), 12) {
		source = spectest.Anonymous(source)
		q, err := symmetry.Rotation(t.Context(), compiled(t, source, nil))
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared += systemtest.CompareExpander(t, q)
		compareWalk(t, q)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
		corpus.Use(t, source)
	}
	if compared < 5*int(specs) {
		t.Errorf("only %d states are compared", compared)
	}
	corpus.Check(t)
}

// compareWalk compares the transitions of a walk with those of Next.
func compareWalk(t *testing.T, q model.System) {
	t.Helper()
	var states [][]model.Value
	state := func(_ uint64, _ int, state []model.Value) error {
		states = append(states, slices.Clone(state))
		return nil
	}
	compare := func(from uint64, list []explore.Transition) error {
		var got []systemtest.Transition
		for _, n := range list {
			got = append(got, systemtest.Transition{Group: n.Group, Step: n.Step, Target: states[n.To]})
		}
		want, err := systemtest.Successors(q, states[from])
		if !reflect.DeepEqual(numberChoices(got), numberChoices(want)) {
			t.Errorf("from %v\n%v\nwant\n%v", states[from], got, want)
		}
		return err
	}
	opt := explore.Options{MaxStates: 200, Workers: 2}
	if _, err := explore.Walk(t.Context(), q, opt, explore.Visitor{State: state, Transitions: compare}); err != nil {
		t.Error(err)
	}
}

// numberChoices numbers the choices of each group from 0 on.
func numberChoices(list []systemtest.Transition) []systemtest.Transition {
	out := slices.Clone(list)
	for i := range list {
		switch {
		case i == 0 || list[i].Group != list[i-1].Group:
			out[i].Step.Choice = 0
		case list[i].Step.Choice == list[i-1].Step.Choice:
			out[i].Step.Choice = out[i-1].Step.Choice
		default:
			out[i].Step.Choice = out[i-1].Step.Choice + 1
		}
	}
	return out
}

package compile_test

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
)

// TestOwned compares the two implementations on specs with variables of one kind of process, and these specs with
// others in which all processes have them.
func TestOwned(t *testing.T) {
	sizable := 0
	for seed := range uint64(randomSpecs()) {
		owned, common := spectest.Owned(seed, 1)
		p := spectest.Instantiate(t, owned, nil)
		p.Name = owned
		compare(t, p, compile.Options{}, 300)
		var results [2]*explore.Result
		for i, text := range []string{owned, common} {
			sys := spectest.Compile(t, spectest.Instantiate(t, text, nil), compile.Options{})
			r, err := explore.Run(t.Context(), sys, explore.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			results[i] = r
		}
		a, b := results[0], results[1]
		if a.States != b.States || a.Transitions != b.Transitions || a.TerminalStates != b.TerminalStates ||
			a.Levels[0] != b.Levels[0] {
			t.Fatalf("%d states, %d transitions, %d terminal, %d initial; with variables of all processes %d, %d, %d, "+
				"%d:\n%s", a.States, a.Transitions, a.TerminalStates, a.Levels[0], b.States, b.Transitions,
				b.TerminalStates, b.Levels[0], owned)
		}
		if a.States > 50 {
			sizable++
		}
	}
	if sizable < randomSpecs()/3 {
		t.Errorf("%d of %d specs are of some size", sizable, randomSpecs())
	}
}

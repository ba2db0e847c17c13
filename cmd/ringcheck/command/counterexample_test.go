package command

import (
	"testing"

	"ringcheck"
)

// TestUndecided: a complete search that does not decide all properties gives the reason.
func TestUndecided(t *testing.T) {
	known := ringcheck.Verdict{Name: "known", Holds: new(true), Why: []string{"nothing"}}
	for want, v := range map[string]ringcheck.Verdict{
		"unknown: sure: it takes more memory": {Name: "sure",
			Why: []string{"it takes more memory"}},
		"unknown: all 3 states are known, but the time did not suffice to decide more": {Name: "sure"},
	} {
		verdicts := &ringcheck.Verdicts{Properties: []ringcheck.Verdict{known, v}}
		i := &instance{States: ringcheck.Count(3).Number(), report: &ringcheck.Report{Verdicts: verdicts}}
		if got := i.outcome(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

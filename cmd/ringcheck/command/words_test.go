package command

import (
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/bisim"
)

func TestInWords(t *testing.T) {
	truth := &bisim.Formula{Op: bisim.True}
	of := func(op bisim.Op, label string, args ...*bisim.Formula) *bisim.Formula {
		return &bisim.Formula{Op: op, Label: label, Args: args}
	}
	next := func(label string, f *bisim.Formula) *bisim.Formula { return of(bisim.Next, label, f) }
	not := func(f *bisim.Formula) *bisim.Formula { return of(bisim.Not, "", f) }
	for _, test := range []struct {
		f    *bisim.Formula
		want string
	}{
		{truth, "anything holds"},
		{not(truth), "nothing holds"},
		{next("a", truth), "it can do a"},
		{not(next("tau", truth)), "it cannot do τ"},
		{next("a", not(next("b", truth))), "it can do a to a state where\n  it cannot do b"},
		{of(bisim.Diverge, "", truth), "it can do τ for ever"},
		{of(bisim.Diverge, "", next("a", truth)), "it can do τ for ever, always in a state where\n  it can do a"},
		{of(bisim.Until, "a", truth, truth), "it can do a, perhaps after τ's"},
		{not(of(bisim.Until, "tau", truth, next("a", truth))), "it cannot come, by τ's or none, to a state where\n  it can do a"},
		{
			of(bisim.Until, "a", next("b", truth), next("c", truth)),
			"it can do a, perhaps after τ's, through states, its own included, where\n  it can do b\nto a state where\n  it can do c",
		},
		{
			of(bisim.And, "", next("a", next("b", truth)), not(next("c", truth))),
			"all of this:\n- it can do a to a state where\n    it can do b\n- it cannot do c",
		},
		{not(of(bisim.And, "", next("a", truth), next("b", truth))), "not all of this:\n- it can do a\n- it can do b"},
	} {
		if got := strings.Join(inWords(test.f), "\n"); got != test.want {
			t.Errorf("%v:\n%s\nwant\n%s", test.f, got, test.want)
		}
	}
	long := truth
	for range wordsLimit + 1 {
		long = next("a", long)
	}
	if inWords(long) != nil {
		t.Error("a long formula was put in words")
	}
}

// TestUndecided: of a complete search that does not decide all properties, the reason is said.
func TestUndecided(t *testing.T) {
	known := ringcheck.Verdict{Name: "known", Holds: new(true), Why: []string{"nothing"}}
	for want, v := range map[string]ringcheck.Verdict{
		"unknown: sure: it takes more memory":                                   {Name: "sure", Why: []string{"it takes more memory"}},
		"unknown: all 3 states are known, and there was no time to decide more": {Name: "sure"},
	} {
		verdicts := &ringcheck.Verdicts{Properties: []ringcheck.Verdict{known, v}}
		i := &instance{States: ringcheck.Count(3).Number(), report: &ringcheck.Report{Verdicts: verdicts}}
		if got := i.outcome(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package specs_test

import (
	"errors"
	"strings"
	"testing"

	exploration "ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
	"ringcheck/verify"
)

// TestTutorial checks what docs/language.md says of its examples.
func TestTutorial(t *testing.T) {
	steps := tutorial(t)
	if len(steps) != 10 {
		t.Fatalf("%d specs, want 10", len(steps))
	}
	token := reachable(t, instantiate(t, steps[0], "n=3", compile.Options{}))
	if token.transitions != 7 || len(token.states) != 8 {
		t.Errorf("the token takes %d transitions and %d states, want 7 and 8", token.transitions, len(token.states))
	}
	tests := []struct {
		step               int
		settings, violated string
	}{
		{2, "n=2", "unique decided"},
		{3, "n=2 again=false", "unique decided"},
		{3, "n=2", ""},
		{3, "n=3", ""},
		{4, "", "served"},
		{5, "", "once"},
		{6, "", "sure"},
		{6, "disk=false", "once sure"},
		{7, "", "done"},
		{7, "room=2", ""},
		{8, "", ""},
		{9, "", ""},
		{9, "n=5", ""},
	}
	for _, test := range tests {
		if got := violated(t, instantiate(t, steps[test.step], test.settings,
			compile.Options{})); got != test.violated {
			t.Errorf("step %d, %s: violated properties %q, want %q", test.step+1, test.settings, got, test.violated)
		}
	}
}

// violated returns the names of the properties that the checker finds violated.
func violated(t *testing.T, sys *compile.System) string {
	t.Helper()
	r, err := verify.Verifier{System: sys}.Check(t.Context(), sys.Protocol().Properties, exploration.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range r.Judgments {
		if v.Outcome != verify.Holds {
			names = append(names, v.Property.Name)
		}
	}
	return strings.Join(names, " ")
}

// TestTutorialRange: over unordered channels the last step leaves a range.
func TestTutorialRange(t *testing.T) {
	g := &graph{system: instantiate(t, tutorial(t)[3], "n=3 channel=unordered", compile.Options{})}
	var modelError *model.Error
	if err := g.generate(); !errors.As(err, &modelError) || !strings.Contains(err.Error(),
		"argument hop of Ticket: 4 is not in 1..3") {
		t.Errorf("generating gave %v", err)
	}
}

// tutorial returns the specs in docs/language.md.
func tutorial(t *testing.T) []*check.Spec {
	t.Helper()
	page := filetest.Read(t, "../docs/language.md")
	var specs []*check.Spec
	for _, part := range strings.Split(string(page), "```ring\n")[1:] {
		src, _, _ := strings.Cut(part, "```")
		f, err := syntax.Parse("language.md", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		spec, err := check.File(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Warnings) > 0 {
			t.Errorf("%v", spec.Warnings)
		}
		specs = append(specs, spec)
	}
	return specs
}

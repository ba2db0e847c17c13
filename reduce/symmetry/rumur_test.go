package symmetry_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce/symmetry"
)

// TestRumur compares the numbers of orbits and of their transitions with those that Rumur finds in a model with a
// scalarset, and the numbers of states and transitions without symmetry.
func TestRumur(t *testing.T) {
	for _, tool := range []string{"rumur", "cc"} {
		if _, err := exec.LookPath(tool); err != nil || !testlevel.Gate() {
			t.Skip("needs rumur and a compiler, and takes seconds")
		}
	}
	text, err := os.ReadFile("testdata/two-phase-commit.m")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{"2", "3"} {
		model := strings.Replace(string(text), "M: 4;", "M: "+m+";", 1)
		sys := spectest.Compile(t, spectest.Open(t, "../../examples/two-phase-commit.ring",
			"ordered=false crashes=0 m="+m))
		full := systemtest.Run(t, sys, explore.Options{})
		if states, rules := rumur(t, model, "off"); states != fmt.Sprint(full.States) ||
			rules != fmt.Sprint(full.Transitions) {
			t.Errorf("m = %s: Rumur finds %s states and %s transitions, want %d and %d", m, states, rules, full.States,
				full.Transitions)
		}
		q, err := symmetry.Permutation(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		orbits := systemtest.Run(t, q, explore.Options{})
		if states, _ := rumur(t, model, "exhaustive"); states != fmt.Sprint(orbits.Stored) {
			t.Errorf("m = %s: Rumur stores %s states, want %d", m, states, orbits.Stored)
		}
	}
}

// rumur returns the numbers of states and of fired rules that Rumur finds with a kind of symmetry reduction.
func rumur(t *testing.T, model, symmetry string) (states, rules string) {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("model.m"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, command := range [][]string{
		{"rumur", path("model.m"), "--output", path("model.c"), "--threads", "1", "--deadlock-detection", "off",
			"--symmetry-reduction", symmetry},
		{"cc", "-O2", "-mcx16", path("model.c"), "-o", path("model"), "-lpthread"},
		{path("model")},
	} {
		var err error
		if out, err = exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	found := regexp.MustCompile(`(\d+) states, (\d+) rules fired in`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("Rumur has not counted:\n%s", out)
	}
	return string(found[1]), string(found[2])
}

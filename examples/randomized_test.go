package examples

import (
	"testing"

	"ringcheck/internal/spectest"
	"ringcheck/model/language/step"
)

// TestRandomizedSecond: under the readings of the paper that docs/randomized.md lists, Theorems 8 and 10 hold or fail.
func TestRandomizedSecond(t *testing.T) {
	for _, tt := range []struct{ settings, violated string }{
		{"", ""},
		{"m=2", ""},
		{"m=3 sets=shifted", ""},
		{"c=3", ""},
		{"start=free", ""},
		{"c=3 m=2 sets=shifted", "one elected"},
		{"m=2 race=true", "soon elected"},
	} {
		if got := verdicts(t, "randomized-second", tt.settings); got != tt.violated {
			t.Errorf("%s: violated: %s; want %s", tt.settings, got, tt.violated)
		}
	}
}

// TestRandomizedUntabulated compares its counts with those of a search that uses neither tables nor the tree.
func TestRandomizedUntabulated(t *testing.T) {
	for _, settings := range []string{"", "c=3", "start=free"} {
		m := step.New(instance(t, "randomized-second", settings), step.Options{})
		g, err := spectest.Explore(m, 100_000)
		if err != nil {
			t.Fatal(err)
		}
		want := count{len(g.States), g.Transitions, g.Deadlocks}
		if got := searched(t, "randomized-second", settings); got != want {
			t.Errorf("%s: %v, without tables %v", settings, got, want)
		}
	}
}

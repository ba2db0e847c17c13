package spectest_test

import (
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/step"
)

// Random specs show what they are for: without these, comparing on them would say little.
func TestRandomIsVaried(t *testing.T) {
	var terminal, large, unfinished int
	words := map[string]int{
		"draw ": 0, "choose ": 0, "let ": 0, "when ": 0, " where ": 0, "uid[": 0, "fifo": 0, "complete": 0, "ping;": 0,
		"with [": 0,
	}
	const specs = 150
	for seed := range uint64(specs) {
		src := spectest.Random(seed, 2)
		for w := range words {
			if strings.Contains(src, w) {
				words[w]++
			}
		}
		g, err := spectest.Explore(step.New(spectest.Instantiate(t, src, nil), step.Options{}), 500)
		switch {
		case err != nil:
			unfinished++
		case len(g.States) >= 50:
			large++
		}
		if g.TerminalStates > 0 {
			terminal++
		}
	}
	for w, n := range words {
		if n < specs/20 {
			t.Errorf("%q is in only %d of %d specs", w, n, specs)
		}
	}
	if terminal < specs/4 || large < specs/8 || unfinished > specs/4 {
		t.Errorf("of %d specs %d have terminal states, %d at least 50 states; %d are too large, grow or fail",
			specs, terminal, large, unfinished)
	}
}

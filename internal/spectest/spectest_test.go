package spectest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/internal/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Random specs are well formed under all settings.
func TestRandomIsWellFormed(t *testing.T) {
	for seed := range uint64(300) {
		src := spectest.Random(rand.New(rand.NewPCG(seed, 1)))
		for _, n := range []string{"2", "3"} {
			for _, flag := range []string{"true", "false"} {
				p := spectest.Instantiate(t, src, map[string]string{"n": n, "flag": flag})
				if err := ir.Check(p); err != nil {
					t.Fatalf("seed %d, n=%s, flag=%s: %v\n%s", seed, n, flag, err, src)
				}
			}
		}
	}
}

// So are varied ones, and there is everything among them.
func TestVariedIsWellFormed(t *testing.T) {
	words := map[string]int{
		"lossy": 0, "duplicating": 0, "delay": 0, "racing": 0, "crash at most": 0, "crash else": 0, "recover E": 0, "register": 0, "left.r": 0, "1.r": 0,
		"ghost": 0, "timer": 0, "t = 0": 0, "for i": 0, "ignore": 0, "initially": 0, "zero[p": 0, "anonymous torus": 0, "anonymous complete": 0,
		"uid[q]": 0, "subsets": 0, "permutations": 0, "{w1 in": 0, "s w1 in 0..high": 0, "max(": 0,
	}
	for seed := range uint64(600) {
		src := spectest.Varied(rand.New(rand.NewPCG(seed, 1)))
		for w := range words {
			if strings.Contains(src, w) {
				words[w]++
			}
		}
		for _, text := range []string{src, spectest.Anonymous(src)} {
			for _, n := range []string{"2", "3"} {
				p := spectest.Instantiate(t, text, map[string]string{"n": n})
				if err := ir.Check(p); err != nil {
					t.Fatalf("seed %d, n=%s: %v\n%s", seed, n, err, text)
				}
			}
		}
	}
	for w, n := range words {
		if n < 10 {
			t.Errorf("%q is in only %d specs", w, n)
		}
	}
}

// Random specs show what they are for: without these, comparing on them would say little.
func TestRandomIsVaried(t *testing.T) {
	var deadlocks, large, unfinished int
	words := map[string]int{
		"draw ": 0, "choose ": 0, "let ": 0, "when ": 0, " where ": 0, "uid[": 0, "fifo": 0, "complete": 0, "ping;": 0, "with [": 0,
	}
	const specs = 150
	for seed := range uint64(specs) {
		src := spectest.Random(rand.New(rand.NewPCG(seed, 2)))
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
		if g.Deadlocks > 0 {
			deadlocks++
		}
	}
	for w, n := range words {
		if n < specs/20 {
			t.Errorf("%q is in only %d of %d specs", w, n, specs)
		}
	}
	if deadlocks < specs/4 || large < specs/8 || unfinished > specs/4 {
		t.Errorf("of %d specs %d have deadlocks, %d at least 50 states; %d are too large, grow or fail",
			specs, deadlocks, large, unfinished)
	}
}

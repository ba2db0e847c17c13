package compile_test

import (
	"regexp"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/step"
)

// plain returns a spec with simpler texts of the same meaning: without loops that go through known values, conditions
// that definitions of constants decide, and choices behind which nothing is possible.
func plain(src string) string {
	increasing, each := "skip; ", "skip; "
	pings := "ping; ping; ping; " // of i = 0 and i = 1
	if strings.Contains(src, "\nconst high = 2\n") {
		increasing, each, pings = "skip; skip; skip; ", "skip; skip; ", pings+"ping; ping; ping; "
	}
	src = strings.NewReplacer(
		"for i in 1..0: ping; ", "", "for j in 1..0: skip; ", "", "for i in 1..0: skip; ", "",
		"for i in 0..0: skip; ", "skip; ", "for i in 0..1: skip; ", "skip; skip; ",
		"for i in 0..1: ping; ", "ping; ping; ",
		"for i in 0..high: (for j in 1..i: skip); ", increasing, "for i in 0..high: (for j in i..0: ping); ", "ping; ",
		"for i in 0..high: (for j in {i} minus {0}: skip); ", each,
		"for i in 0..high: (ping; for j in 1..i: ping); ", pings,
		"for i in 0..1: (for j in 1..i: ping); ", "ping; ",
		"for i in 0..1: (for j in 0..i: (for l in 1..j: pong(l, true))); ", "pong(1, true); ",
		"for i in 0..1: (for j in 1..i: (for l in 0..j: ping)); ", "ping; ping; ",
		"for i in 0..high: (if i < high then (for j in high..i: skip) else skip); ", "skip; ",
		"odd(0)", "false", "odd(1)", "true", "odd(high)", "high = 1", "(exists w9 in {1}: odd(w9))", "true",
		"hot(mode)", "mode = fast", "hot(fast)", "true",
		"choose x; stop", "stop", "choose x in {0, 1}; stop", "stop", "choose x; when false: ping; stop", "stop",
		"let x = 0; when false: ping; stop", "stop",
	).Replace(src)
	return impossible.ReplaceAllString(src, "stop")
}

var impossible = regexp.MustCompile(`choose x; recv [^;|]* where false; stop`)

// TestEqualTexts checks that simpler texts of the same meaning have the same states and transitions.
func TestEqualTexts(t *testing.T) {
	const limit = 500
	corpus := spectest.NewCorpus()
	changed := 0
	for seed, src := range corpus.Specs(randomSpecs(), 17) {
		simple := plain(src)
		corpus.Use(t, src)
		if simple == src {
			continue
		}
		changed++
		var graphs []*spectest.Graph
		var errs []error
		for _, text := range []string{src, simple} {
			p := spectest.Instantiate(t, text, nil)
			g, err := spectest.Explore(step.New(p, step.Options{MaxMessages: 2}), limit)
			graphs, errs = append(graphs, g), append(errs, err)
		}
		a, b := graphs[0], graphs[1]
		if (errs[0] == nil) != (errs[1] == nil) || errs[0] == nil && sizes(a) != sizes(b) {
			t.Fatalf("seed %d: %v, %v; simpler %v, %v\n%s\nsimpler:\n%s", seed, sizes(a), errs[0], sizes(b), errs[1],
				src, simple)
		}
	}
	if changed < randomSpecs()/4 {
		t.Errorf("only %d specs have a simpler text", changed)
	}
	corpus.Check(t)
}

// sizes returns the numbers of states, transitions, terminal states, and states in which only the environment acts.
func sizes(g *spectest.Graph) [4]int {
	return [4]int{len(g.States), g.Transitions, g.TerminalStates, g.EnvironmentOnly}
}

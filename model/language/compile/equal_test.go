package compile_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/step"
)

// equalTexts are parts of random specs with simpler texts of the same meaning: without loops that go through known
// values, conditions that definitions of constants decide, and choices behind which nothing is possible.
var equalTexts = []struct {
	text, simpler string
	ofThree       string // what is simpler if high is 2; "" if it is the same
}{
	{"for i in 1..0: ping; ", "", ""},
	{"for j in 1..0: skip; ", "", ""},
	{"for i in 1..0: skip; ", "", ""},
	{"for i in 0..0: skip; ", "skip; ", ""},
	{"for i in 0..1: skip; ", "skip; skip; ", ""},
	{"for i in 0..1: ping; ", "ping; ping; ", ""},
	{"for i in 0..high: (for j in 1..i: skip); ", "skip; ", "skip; skip; skip; "},
	{"for i in 0..high: (for j in i..0: ping); ", "ping; ", ""},
	{"for i in 0..high: (for j in {i} minus {0}: skip); ", "skip; ", "skip; skip; "},
	{"for i in 0..high: (ping; for j in 1..i: ping); ", "ping; ping; ping; ", "ping; ping; ping; ping; ping; ping; "},
	{"for i in 0..1: (for j in 1..i: ping); ", "ping; ", ""},
	{"for i in 0..1: (for j in 0..i: (for l in 1..j: pong(l, true))); ", "pong(1, true); ", ""},
	{"for i in 0..1: (for j in 1..i: (for l in 0..j: ping)); ", "ping; ping; ", ""},
	{"for i in 0..high: (if i < high then (for j in high..i: skip) else skip); ", "skip; ", ""},
	{"for i in 0..high: (let i = high; pong(i, true)); ", "pong(high, true); ", ""},
	{"for i in 0..1: (let i = 1; ping); ", "ping; ", ""},
	{"for i in 1..1: (let i = 0; let i = 1; ping); ", "ping; ", ""},
	{"for i in 0..1: (choose i in {1}; pong(i, true)); ", "pong(1, true); ", ""},
	{"for i in 0..1: (for i in 1..1: ping); ", "ping; ", ""},
	{"for i in 0..1: (for i in 0..high: pong(i, true)); ",
		"pong(0, true); pong(1, true); ", "pong(0, true); pong(1, true); pong(2, true); "},
	{"for i in 0..1: (ping; for i in 1..0: skip); ", "ping; ping; ", ""},
	{"for i in 1..0: (for j in 0..high: (for l in 0..j: ping)); ", "", ""},
	{"for i in 0..1: (for j in 0..1: (for l in 1..i: ping; skip)); ", "skip; skip; ping; skip; ping; skip; ", ""},
	{"for i in 0..1: (for j in 0..i: (for l in 1..j: ping; pong(j, true))); ",
		"pong(0, true); pong(0, true); ping; pong(1, true); ", ""},
	{"for i in 0..1: (for j in 0..1: (skip; for l in 1..i: ping)); ", "skip; skip; skip; ping; skip; ping; ", ""},
	{"for i in 0..1: (for j in i..1: (pong(j, true); for l in 1..j: ping)); ",
		"pong(0, true); pong(1, true); ping; pong(1, true); ping; ", ""},
	{"for i in 0..1: (for j in 0..1: (if i = j then (for l in 1..i: ping) else (for l in 1..j: skip))); ",
		"skip; ping; ", ""},
	{"for i in 0..1: (for j in 0..1: (if j < i then (for l in 1..j: ping) else (for l in 1..i: ping))); ",
		"ping; ", ""},
	{"choose x in 1..0; ping; stop", "stop", ""},
	{"choose x in {0} minus {0}; pong(x, true); stop", "stop", ""},
	{"(exists w9 in {0, 1}: odd(w9))", "true", ""},
	{"(forall w9 in {1}: odd(w9))", "true", ""},
	{"(forall w9 in {0..high}: odd(w9))", "false", ""},
	{"(exists w9 in {1} minus {1}: odd(w9))", "false", ""},
	{"(forall w9 in {0, high}: not odd(w9))", "high != 1", ""},
	{"(exists w9 in {0..high}: either(w9, 0))", "true", ""},
	{"either(0, 1)", "false", ""},
	{"either(high, high)", "high = 1", ""},
	{"either(0, 0)", "false", ""},
	{"cold(mode)", "mode != fast", ""},
	{"cold(red)", "true", ""},
	{"above(high, x)", "high > x", ""},
	{"above(x, 0)", "x > 0", ""},
	{"above(0, x)", "0 > x", ""},
	{"above(x, high)", "false", ""},
	{"odd(0)", "false", ""},
	{"odd(1)", "true", ""},
	{"odd(high)", "high = 1", ""},
	{"(exists w9 in {1}: odd(w9))", "true", ""},
	{"hot(mode)", "mode = fast", ""},
	{"hot(fast)", "true", ""},
	{"choose x; stop", "stop", ""},
	{"choose x in {0, 1}; stop", "stop", ""},
	{"choose x; when false: ping; stop", "stop", ""},
	{"let x = 0; when false: ping; stop", "stop", ""},
}

// impossible are other choices behind which nothing is possible.
var impossible = []*regexp.Regexp{
	regexp.MustCompile(`choose x( in \{0, high\})?; recv [^;|]* where false; stop`),
	regexp.MustCompile(`choose x in \{high\} minus \{high\}; recv [^;|]*; stop`),
}

// plain returns a spec with simpler texts.
func plain(src string) string {
	three := strings.Contains(src, "\nconst high = 2\n")
	var pairs []string
	for _, e := range equalTexts {
		if three && e.ofThree != "" {
			e.simpler = e.ofThree
		}
		pairs = append(pairs, e.text, e.simpler)
	}
	src = strings.NewReplacer(pairs...).Replace(src)
	for _, r := range impossible {
		src = r.ReplaceAllString(src, "stop")
	}
	return src
}

// TestEqualTexts checks that simpler texts of the same meaning have the same states and transitions, each in a few
// specs.
func TestEqualTexts(t *testing.T) {
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(randomSpecs(), 17) {
		if sameGraph(t, seed, src) {
			corpus.Use(t, src)
		}
	}
	corpus.Check(t)
	specs := randomSpecs() / 30
	missing := make(map[string]int)
	for _, e := range equalTexts {
		missing[e.text] = specs
	}
	for _, r := range impossible {
		missing[r.String()] = specs
	}
	for seed := range uint64(100 * randomSpecs()) {
		src := corpus.Varied(seed, 18)
		needed := false
		for _, text := range texts(src) {
			needed = needed || missing[text] > 0
		}
		if needed && sameGraph(t, seed, src) {
			for _, text := range texts(src) {
				missing[text]--
			}
		}
	}
	for text, n := range missing {
		if n > 0 {
			t.Errorf("%q is in %d specs too few", text, n)
		}
	}
}

// texts returns the texts in a spec of which there is a simpler one.
func texts(src string) (all []string) {
	for _, e := range equalTexts {
		if strings.Contains(src, e.text) {
			all = append(all, e.text)
		}
	}
	for _, r := range impossible {
		if r.MatchString(src) {
			all = append(all, r.String())
		}
	}
	return all
}

// sameGraph compares the graph of a spec with that of the spec in simpler texts. It returns false if they are large.
func sameGraph(t *testing.T, seed uint64, src string) bool {
	t.Helper()
	simple := plain(src)
	a, err := explored(t, src)
	if simple != src {
		b, other := explored(t, simple)
		if (err == nil) != (other == nil) || err == nil && sizes(a) != sizes(b) {
			t.Fatalf("seed %d: %v, %v; simpler %v, %v\n%s\nsimpler:\n%s", seed, sizes(a), err, sizes(b), other, src,
				simple)
		}
	}
	var modelError *model.Error
	return err == nil || errors.As(err, &modelError)
}

// explored returns the graph of a spec. It is an error if that is large.
func explored(t *testing.T, src string) (*spectest.Graph, error) {
	t.Helper()
	return spectest.Explore(step.New(spectest.Instantiate(t, src, nil), step.Options{MaxMessages: 2}), 500)
}

// sizes returns the numbers of states, transitions, terminal states, and states in which only the environment acts.
func sizes(g *spectest.Graph) [4]int {
	return [4]int{len(g.States), g.Transitions, g.TerminalStates, g.EnvironmentOnly}
}

package verify

import (
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/check"
	"ringcheck/specs"
)

var times = testlevel.Cases(1, 2) // compare on this many times as many random specs

// many returns the number of random specs to try: n in a quick run.
func many(n int) int { return times() * n }

// TestRandom compares verdicts, counts and lengths of counterexamples with a search that evaluates every property in
// every state and keeps every transition.
func TestRandom(t *testing.T) {
	total := many(15)
	compared := 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(total, 4) {
		done, _ := compare(t, spectest.Instantiate(t, src, nil), 2000)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, src)
		}
		if done {
			compared++
			corpus.Use(t, src)
		}
	}
	if compared < total/2 {
		t.Errorf("only %d of %d specs have few states and no model error", compared, total)
	}
	corpus.Check(t)
}

// TestRandomSymmetric does so by orbits, for the properties that permit it.
func TestRandomSymmetric(t *testing.T) {
	total := many(15)
	compared := 0
	corpus := spectest.NewCorpus(spectest.Asymmetric...)
	for seed, src := range corpus.Specs(total, 5) {
		src = spectest.Anonymous(src)
		_, symmetric := compare(t, spectest.Instantiate(t, src, nil), 2000)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, src)
		}
		if symmetric {
			compared++
			corpus.Use(t, src)
		}
	}
	if compared < total/4 {
		t.Errorf("only %d of %d specs are symmetric", compared, total)
	}
	corpus.Check(t)
}

// TestBuiltIn compares on the protocols of the catalogue.
func TestBuiltIn(t *testing.T) {
	for name, settings := range map[string][]map[string]string{
		"franklin":            {{"n": "2"}, {"n": "2", "bits": "false", "k": "3"}, {"n": "2", "announce": "true"}},
		"dkr":                 {{"n": "3", "modulus": "1"}},
		"chang-roberts":       {{"n": "3"}},
		"itai-rodeh":          {{"n": "3", "channel": "unordered"}},
		"hirschberg-sinclair": {{"n": "2"}},
	} {
		for _, s := range settings {
			p, err := open(t, name).Instantiate(s)
			if err != nil {
				t.Fatal(err)
			}
			compared, symmetric := compare(t, p, 20_000)
			if !compared {
				t.Errorf("%s %v has too many states", name, s)
			}
			if !symmetric {
				t.Errorf("%s %v was not compared by orbits", name, s)
			}
		}
	}
}

func open(tb testing.TB, name string) *check.Spec {
	tb.Helper()
	spec, err := specs.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	return spec
}

package export

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// unexportedReads are positions at which there is no Promela for a read of a register.
var unexportedReads = []string{
	"a ghost", "a timer set by an action", "a timer set with an action", "a condition on a timer", "a quantifier",
	"a set", "a sum over neighbours", "all neighbours", "some neighbour", "some direction", "the bound of a draw",
	"the bound of a choose", "a draw of subsets",
}

// TestSPINReaders compares the counts of random specs that read registers of neighbours with those of SPIN, if
// installed.
func TestSPINReaders(t *testing.T) {
	spin, models := findSPIN(t, 1, 6, 400)
	without := []string{"time", "fault"}
	for _, position := range unexportedReads {
		without = append(without, "neighbour: read in "+position)
	}
	corpus := spectest.NewReaders(without...)
	compareRandom(t, spin, corpus, models, 2, 21, func(_ string, p *ir.Protocol) bool { return p.Reads() != nil })
	if testlevel.Long() {
		corpus.Check(t)
	}
}

// findSPIN returns the path of SPIN and how many models to compare: a few, or more at higher levels of tests. It skips
// the test without SPIN.
func findSPIN(t *testing.T, few, gate, long int) (path string, models int) {
	t.Helper()
	path, err := exec.LookPath("spin")
	switch {
	case err != nil:
		t.Skip("SPIN is not installed")
	case testing.Short():
		t.Skip("compiling what SPIN generates takes seconds each time")
	case testlevel.Long():
		return path, long
	case testlevel.Gate():
		return path, gate
	}
	return path, few
}

// loop is the beginning of a loop in an equation.
var loop = regexp.MustCompile(`\bfor [a-z]+ in [^:\n]*:`)

// TestSPINLoops does the same for specs with loops.
func TestSPINLoops(t *testing.T) {
	spin, models := findSPIN(t, 2, 8, 200)
	corpus := spectest.NewCorpus("time", "fault", "neighbour")
	hasLoop := func(src string, _ *ir.Protocol) bool { return loop.MatchString(src) }
	compareRandom(t, spin, corpus, models, 8, 22, hasLoop)
}

// compareRandom compares the counts of a number of random specs of a kind with those of SPIN. At least one of so many
// has no equal transitions of alternatives.
func compareRandom(
	t *testing.T, spin string, corpus *spectest.Corpus, models, oneOf int, stream uint64,
	wanted func(src string, p *ir.Protocol) bool,
) {
	t.Helper()
	compared, same, refused := 0, 0, 0
	for seed := uint64(0); compared < models && refused < 100*models; seed++ {
		src := narrowed(corpus.Varied(seed, stream), seed)
		p := withoutGhosts(t, src, map[string]string{"n": fmt.Sprint(2 + seed%2)})
		if !wanted(src, p) {
			refused++
			continue
		}
		want, ok := smallCounts(t, p)
		if !ok || Promela(t.Context(), &strings.Builder{}, p) != nil {
			refused++
			continue
		}
		states, transitions := runSPIN(t, spin, p)
		if states != want.States || transitions < want.Transitions {
			t.Fatalf("%d states, %d transitions; SPIN has %d and %d in seed %d:\n%s", want.States, want.Transitions,
				states, transitions, seed, src)
		}
		if compared++; transitions == want.Transitions { // equal transitions of alternatives are several for SPIN
			same++
		}
		corpus.Use(t, src)
	}
	if compared < models || same < models/oneOf {
		t.Errorf("compared %d models of %d, %d with the same number of transitions", compared, models, same)
	}
}

// declared is the declaration of the channels of a random spec, without faults.
var declared = regexp.MustCompile(`(?m)^channel [^,\n]*?( of \d)?(, dropping)?$`)

// narrowed returns a spec with a capacity of its channels, for most of three of four seeds.
func narrowed(src string, seed uint64) string {
	if strings.Contains(src, "), M0(") {
		return src // two messages are in a channel to begin with
	}
	return declared.ReplaceAllStringFunc(src, func(text string) string {
		text, _, _ = strings.Cut(text, " of ")
		return text + []string{"", " of 1", " of 2", " of 1, dropping"}[seed/2%4]
	})
}

// smallCounts returns the counts that SPIN should have. It is not ok if there are many states, few, or a model error.
func smallCounts(t *testing.T, p *ir.Protocol) (*explore.Result, bool) {
	sys := spectest.Compile(t, p, compile.Options{MaxMessages: 8})
	r, err := explore.Run(t.Context(), sys, explore.Options{MaxStates: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete() || r.States < 30 {
		return nil, false
	}
	r.States, r.Transitions = expected(p, r)
	r.Transitions += r.TerminalStates // in which the idle process takes a step
	return r, true
}

// withoutGhosts returns an instance of a spec without its ghosts.
func withoutGhosts(t *testing.T, src string, settings map[string]string) *ir.Protocol {
	t.Helper()
	f, err := syntax.Parse("test.ring", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := check.File(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.WithoutGhosts(settings)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSPINShared does the same for specs with shared variables.
func TestSPINShared(t *testing.T) {
	spin, models := findSPIN(t, 2, 8, 200)
	corpus := spectest.NewCorpus("time", "fault", "neighbour")
	shares := func(_ string, p *ir.Protocol) bool { return len(p.Shared) > 0 }
	compareRandom(t, spin, corpus, models, 8, 23, shares)
}

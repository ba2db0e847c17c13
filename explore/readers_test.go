package explore_test

import (
	"fmt"
	"testing"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// readers is the number of random specs with reads of registers of neighbours that are searched.
var readers = testlevel.Cases(100, 400)

// TestReaders compares searches of specs that read registers of neighbours in all positions with a search that uses no
// tables: with several numbers of workers, with full tables, and as diagrams.
func TestReaders(t *testing.T) {
	specs := readers()
	corpus := spectest.NewReaders()
	compared, reading := 0, 0
	for seed, src := range corpus.Specs(specs, 8) {
		p := spectest.Instantiate(t, src, map[string]string{"n": fmt.Sprint(2 + seed%2)})
		name := fmt.Sprintf("seed %d:\n%s", seed, src)
		opt := compile.Options{MaxMessages: 2, MaxOutcomes: []int{0, 0, 0, 1, 20}[seed%5]} // 0: by default
		want, ok := compareSpec(t, name, p, opt, 400, workerCounts[seed%4])
		if t.Failed() {
			return
		}
		if !ok {
			continue
		}
		compareDiagram(t, name, p, opt, want)
		compared++
		if p.Reads() != nil && want.states > 20 {
			reading++
		}
		corpus.Use(t, src)
	}
	if compared < specs/2 || reading < specs/4 {
		t.Errorf("of %d specs %d were compared, %d of them of some size with reads", specs, compared, reading)
	}
	corpus.Check(t)
}

// compareDiagram compares a search by diagrams with what another one has found.
func compareDiagram(t *testing.T, name string, p *ir.Protocol, opt compile.Options, want counts) {
	t.Helper()
	r, err := symbolic.Run(t.Context(), spectest.Compile(t, p, opt), symbolic.Options{Memory: 16 << 20})
	if err != nil || r.Stop != explore.Exhausted {
		t.Fatalf("%s: stop %v, error %v", name, r, err)
	}
	got := fmt.Sprint(r.States, r.Transitions, r.TerminalStates, r.EnvironmentOnly)
	if expect := fmt.Sprint(want.states, want.transitions, want.terminal, want.environmentOnly); got != expect {
		t.Errorf("%s: states, transitions, terminal and quiescent states are %s, want %s", name, got, expect)
	}
}

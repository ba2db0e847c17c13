package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
)

// limit is the largest number of states of a system in these tests.
const limit = 30000

// graph explores sys; all labels but visible events are τ. It returns nil if sys is too large or has a model error.
func graph(t testing.TB, sys model.System) (*lts.LTS, *explore.Result) {
	t.Helper()
	b := lts.NewBuilder()
	var initial []uint32
	r, err := explore.Walk(context.Background(), sys, explore.Options{MaxStates: limit}, explore.Visitor{
		State: func(id uint64, level int, _ []model.Value) error {
			if level == 0 {
				initial = append(initial, uint32(id))
			}
			return nil
		},
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				label := lts.Tau
				if info := sys.Label(t.Label); info.Visible {
					label = b.Label(info.Text)
				}
				b.Add(uint32(from), lts.Edge{Label: label, To: uint32(t.To)})
			}
			return nil
		},
	})
	var modelError *model.Error
	switch {
	case errors.As(err, &modelError): // on the way to an initial state
		return nil, &explore.Result{Stop: explore.ModelFailure, ModelError: modelError}
	case err != nil:
		t.Fatal(err)
	case !r.Complete():
		return nil, r
	}
	start := uint32(r.States)
	for _, s := range initial {
		b.Add(start, lts.Edge{Label: lts.Tau, To: s})
	}
	l, err := b.Build(t.Context(), start, int(start)+1)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// A reduction under test.
type reduction struct {
	name   string
	system func(*compile.System) model.System
}

var reductions = []reduction{
	{"confelm", func(s *compile.System) model.System { return confluence.Prioritize(s, confluence.Options{}) }},
	{"onthefly", func(s *compile.System) model.System {
		return representative.Reduce(confluence.Prioritize(s, confluence.Options{}), representative.Options{})
	}},
	{"onthefly, as linearised", func(s *compile.System) model.System {
		p := confluence.Prioritize(s, confluence.Options{})
		return representative.Reduce(p, representative.Options{Order: p.LinearisedOrder(), LastFirst: true})
	}},
}

// assuming is the strongest reduction, under the assumption.
func assuming(s *compile.System) model.System {
	return representative.Reduce(confluence.Prioritize(s, confluence.Options{NoConflict: true}),
		representative.Options{})
}

// compare checks that the reductions of p are branching bisimilar to p. It returns their numbers of states: that of p
// first, that under the assumption last, if it holds. If p is too large or has a model error it returns nil; then the
// reductions must have a model error too, unless that of p is growth.
func compare(t *testing.T, p *ir.Protocol, opt compile.Options) []uint64 {
	t.Helper()
	full, r := graph(t, spectest.Compile(t, p, opt))
	if full == nil {
		if r.Stop == explore.ModelFailure && !r.ModelError.Growth {
			failing(t, p, opt)
		}
		return nil
	}
	sizes, terminal := []uint64{r.States}, r.TerminalStates
	all := reductions
	if checked, _ := graph(t, confluence.Check(spectest.Compile(t, p, opt), confluence.Options{})); checked != nil {
		all = append(slices.Clone(all), reduction{"assuming", assuming})
	}
	for _, red := range all {
		reduced, r := graph(t, red.system(spectest.Compile(t, p, opt)))
		if reduced == nil {
			t.Fatalf("%s: %s: stopped: %v %v", p.Name, red.name, r.Stop, r.ModelError)
		}
		sizes = append(sizes, r.States)
		c, err := bisim.Compare(context.Background(), full, reduced, bisim.Branching, bisim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Equivalent {
			why, _ := c.Explain(t.Context(), true)
			t.Fatalf("%s: %s: not equivalent: %v", p.Name, red.name, why.Formula)
		}
		if r.TerminalStates != terminal {
			t.Errorf("%s: %s: %d terminal states, not %d", p.Name, red.name, r.TerminalStates, terminal)
		}
		if r.States > sizes[0] {
			t.Errorf("%s: %s: %d states, more than %d", p.Name, red.name, r.States, sizes[0])
		}
	}
	return sizes
}

// failing checks that the reductions of p end with a model error.
func failing(t *testing.T, p *ir.Protocol, opt compile.Options) {
	t.Helper()
	for _, red := range reductions {
		if _, r := graph(t, red.system(spectest.Compile(t, p, opt))); r.Complete() {
			t.Errorf("%s: %s: no model error", p.Name, red.name)
		}
	}
}

func TestCatalogue(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=2"},
		{"franklin", "n=2 k=3 order=left"},
		{"franklin", "n=3 k=2 order=left"},
		{"franklin", "n=2 k=2 bits=false"},
		{"franklin", "n=3 k=2 fresh=clash order=left"},
		{"franklin", "n=2 k=2 announce=true"},
		{"franklin", "n=2 k=2 announce=true channel=fifo"},
		{"franklin", "n=3 k=2 order=left channel=fifo"},
		{"franklin", "n=3 k=2 order=left announce=true channel=fifo"},
		{"dkr", "n=2 k=2"},
		{"dkr", "n=3 k=2"},
		{"dkr", "n=3 k=2 channel=fifo"},
		{"dkr", "n=2 k=3 modulus=1"},
		{"dkr", "n=4 ids=distinct"},
		{"dkr", "n=5 ids=distinct channel=fifo"},
		{"chang-roberts", "n=4"},
		{"chang-roberts", "n=6 ids=ascending"},
		{"chang-roberts", "n=6 ids=descending channel=fifo"},
		{"itai-rodeh", "n=2"},
		{"itai-rodeh", "n=3"},
		{"hirschberg-sinclair", "n=2"},
		{"hirschberg-sinclair", "n=3 ids=ascending"},
		{"hirschberg-sinclair", "n=3 ids=descending channel=fifo"},
	} {
		t.Run(tt.spec+" "+tt.settings, func(t *testing.T) {
			p := spectest.Open(t, tt.spec, tt.settings)
			sizes := compare(t, p, compile.Options{})
			if sizes == nil {
				t.Fatal("too large")
			}
			t.Log(sizes)
		})
	}
}

// TestPassing checks that an action composed with a receive can stand in a loop, or after an assignment of the receive.
func TestPassing(t *testing.T) {
	const head = "protocol passing\ntopology complete graph of 3\nchannel fifo\nvar q: node\nvar x: 0..1\nghost g: " +
		"0..1 = 0\nmessage Go, M\n" +
		"process p = if p = 0 then Begin else Relay\nBegin = send 1 Go; End\nEnd = ignore M\n"
	for _, relay := range []string{
		"Relay = recv _ Go; for q in {0, 2}: (send q M; skip); End",
		"Relay = recv _ Go; for q in {0, 2}: (for x in 0..1: (skip; send q M); skip); End",
		"Relay = recv _ Go then g := 1; send 2 M; skip; send 0 M; End",
		"Relay = recv _ Go then g := 1; Tell\nTell = for q in {0, 2}: (send q M; skip); End",
	} {
		p := spectest.Instantiate(t, head+relay+"\n", nil)
		p.Name = relay
		if sizes := compare(t, p, compile.Options{}); sizes[1] >= sizes[0] {
			t.Errorf("%s: %v states, nothing is composed", relay, sizes)
		}
	}
}

var randomSpecs = testlevel.Cases(200, 500) // how many random specs are reduced

// TestRandom reduces random specs, and checks that enough of them can be reduced.
func TestRandom(t *testing.T) {
	total := randomSpecs()
	if testing.Short() {
		total = min(total, 40)
	}
	complete, smaller, much, assumed := 0, 0, 0, 0
	corpus := spectest.NewCorpus(spectest.Coupled...)
	for seed, src := range corpus.Specs(total, 4) {
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		if spectest.Compile(t, p).CheckUncoupled() != nil {
			continue
		}
		sizes := compare(t, p, compile.Options{MaxMessages: 4})
		if sizes == nil {
			continue
		}
		complete++
		corpus.Use(t, src)
		if sizes[1] < sizes[0] {
			smaller++
		}
		if sizes[2] < sizes[1] {
			much++
		}
		if len(sizes) == 5 && sizes[4] < sizes[2] {
			assumed++
		}
	}
	t.Logf("%d of %d compared, %d are smaller by confelm, %d of these still by onthefly, %d more under the assumption",
		complete, total, smaller, much, assumed)
	if complete < total/2 || smaller < total/5 || much < total/20 || assumed < total/100 {
		t.Errorf("the random specs do not test what they should")
	}
	corpus.Check(t)
}

package conform

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/reduce"
)

var determinedSpecs = testlevel.Cases(40, 150) // how many specs TestDetermined looks at

// A rehearsal gives a program the inputs of a run, each as soon as all steps before it have happened. The program
// produces any outputs of the spec at any time.
type rehearsal struct {
	space *stateSpace
	steps []rehearsed
	seen  map[string]bool
}

// A rehearsed step is what a test sees of a step: the action, and the local state of its process afterwards.
type rehearsed struct {
	process     int
	input       bool
	text, local string
}

// step returns what a test sees of an edge.
func (r *rehearsal) step(edge uint32) rehearsed {
	e := r.space.edges.All[edge]
	a, process := r.space.network.sys.Action(model.Label(e.Label))
	s := rehearsed{process: process, text: r.space.testEventOf(model.Label(e.Label)).String()}
	s.input = roleOf(a.Kind) == Input || r.space.inputs.has(verb{a.Kind, a.Fault}, a.Message.Message, a.Event)
	if process, value, ok := r.space.actor(e); ok {
		s.local = r.space.network.localEvent(value, process).String()
	}
	return s
}

// succeeds reports whether every program that follows the spec passes the test that a run is: it produces the outputs
// of the run, each process in their order, and others only behind the last step of their process.
func (r *rehearsal) succeeds(start uint32, run []uint32) bool {
	r.steps, r.seen = nil, make(map[string]bool)
	for _, edge := range run {
		r.steps = append(r.steps, r.step(edge))
	}
	return r.succeedsFrom(start, make([]bool, len(run)))
}

// succeedsFrom is succeeds in a state after some of the steps.
func (r *rehearsal) succeedsFrom(state uint32, done []bool) bool {
	key := fmt.Sprint(state, done)
	next := slices.Index(done, false)
	if r.seen[key] || next < 0 {
		return true
	}
	r.seen[key] = true
	moves := 0
	for edge := r.space.edges.At[state]; edge < r.space.edges.At[state+1]; edge++ {
		s := r.step(edge)
		at := next
		if s.input {
			if s.text != r.steps[next].text {
				continue // the test does not give it
			}
		} else {
			for at = 0; at < len(done) && (done[at] || r.steps[at].process != s.process); {
				at++
			}
		}
		after := slices.Clone(done)
		if at < len(done) {
			if r.steps[at] != s {
				return false
			}
			after[at] = true
		}
		moves++
		if !r.succeedsFrom(r.space.edges.All[edge].To, after) {
			return false
		}
	}
	return moves > 0
}

// TestDetermined compares determined runs of random specs with what all programs do that follow the spec.
func TestDetermined(t *testing.T) {
	counts := map[string]int{}
	corpus := spectest.NewCorpus()
	for seed, text := range corpus.Specs(determinedSpecs(), 63) {
		spec, err := loadtest.Parse("random.ring", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sys, err := spec.System(nil)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 63))
		opt := TestOptions{Undetermined: true}
		for _, kind := range []string{"event", "skip", "send"} {
			if r.IntN(4) == 0 {
				opt.Inputs = append(opt.Inputs, kind)
			}
		}
		tests, err := NewTests(t.Context(), sys, opt, reduce.Search{MaxStates: 1500})
		if err != nil || tests.space == nil || tests.Bound != "" {
			continue
		}
		corpus.Use(t, text)
		compareDetermined(t, tests.space, seed, text, counts)
	}
	t.Log(counts)
	corpus.Check(t)
	for _, what := range []string{"determined", "choice", "race"} {
		if counts[what] < determinedSpecs()/10 {
			t.Errorf("only %d are %s", counts[what], what)
		}
	}
}

// compareDetermined compares prefixes of runs that cover a state space.
func compareDetermined(t *testing.T, s *stateSpace, seed uint64, text string, counts map[string]int) {
	t.Helper()
	if err := s.markDetermined(t.Context(), &bounded{}); err != nil {
		t.Fatal(err)
	}
	runs := 0
	if err := s.generateRuns(t.Context(), func(start uint32, run []uint32) error {
		if first := slices.IndexFunc(run, func(edge uint32) bool { return s.reasons[edge] != 0 }); first >= 0 {
			run = run[:first+1]
		}
		run = run[:min(len(run), 40)]
		reason := reasons[s.reasons[run[len(run)-1]]]
		determined := reason == ""
		r := &rehearsal{space: s}
		switch succeeds := r.succeeds(start, run); {
		case determined && !succeeds:
			t.Fatalf("seed %d: a determined run fails\n%s\n%v", seed, text, s.eventsOf(start, run))
		case determined:
			counts["determined"]++
		case succeeds && !s.network.dependent:
			t.Fatalf("seed %d: a run succeeds that is not determined (%s)\n%s\n%v", seed, reason, text,
				s.eventsOf(start, run))
		case succeeds:
			counts["determined in fact"]++
		default:
			counts[string(reason)]++
		}
		if runs++; runs == 20 {
			return context.Canceled
		}
		return nil
	}); err != nil && err != context.Canceled {
		t.Fatal(err)
	}
}

// TestLeftOut says why runs are left out, and how many steps the others have.
func TestLeftOut(t *testing.T) {
	const reader = `process reader = Read Read = when left.x = 0: zero; stop | when left.x = 1: one; stop`
	for name, test := range map[string]struct {
		text   string
		inputs []string
		steps  int
		want   []LeftOut
	}{
		"a choice": {`protocol p topology line of 2 event a, b process p = P P = a; stop | b; stop`, nil, 0,
			[]LeftOut{{Runs: 8, Reason: Choice, At: "P"}}},
		"a choice of the test": {`protocol p topology line of 2 event a, b process p = P P = a; stop | b; stop`,
			[]string{"event"}, 16, []LeftOut{}},
		"a value": {`protocol p topology line of 2 event a(v: 0..1) var x: 0..1 process p = P P = choose x; a(x); stop`, nil,
			0, []LeftOut{{Runs: 4, Reason: Choice, At: "P"}}},
		"a race with a step that exceeds a bound": {`protocol p topology line of 2 channel fifo
			message Beat, Stop process a = Lead process b = send left Stop; stop
			Lead = send right Beat; Lead | recv right Stop; stop`, nil, 4,
			[]LeftOut{{Runs: 2, Reason: Race, At: "Lead"}}},
		"a write that is read": {`protocol p topology directed ring of 2 register x: 0..1 = 0 event zero, one
			process writer = Write Write = x := 1; stop ` + reader, nil, 0,
			[]LeftOut{{Runs: 1, Reason: Interference, At: "Write"}, {Runs: 1, Reason: Interference, At: "Read"}}},
		"a write that is read, behind an event": {`protocol p topology directed ring of 2 register x: 0..1 = 0
			event zero, one, ping process writer = ping; Write Write = x := 1; stop ` + reader, nil, 1,
			[]LeftOut{{Runs: 2, Reason: Interference, At: "Read"}, {Runs: 1, Reason: Interference, At: "Write"}}},
	} {
		tests, err := NewTests(t.Context(), parse(t, test.text), TestOptions{Inputs: test.inputs},
			reduce.Search{MaxChannel: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tests.Generate(t.Context(), func([]Event) error { return nil }); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(tests.LeftOut)
		for i := range got {
			got[i].Example = Event{}
		}
		uncovers := tests.Uncovered > 0
		if tests.Steps != test.steps || fmt.Sprint(got) != fmt.Sprint(test.want) || uncovers != (len(got) > 0) {
			t.Errorf("%s: %d steps, left out %v, want %d, %v", name, tests.Steps, tests.LeftOut, test.steps, test.want)
		}
	}
}

// TestFaultChannel explains losses in channels that the log names.
func TestFaultChannel(t *testing.T) {
	sys := parse(t, `protocol p topology undirected ring of 3 channel fifo, lossy message M event got(d: dir) var d: dir
		process p = when p = 0: send left M; send right M; stop | when p > 0: recv left M; got(left); stop
			| when p > 0: recv right M; got(right); stop`)
	const sent = `{"p":0,"do":"send","to":"left"}` + "\n" + `{"p":0,"do":"send","to":"right"}` + "\n"
	for text, explained := range map[string]bool{
		`{"p":1,"do":"lose","from":"left"}` + "\n" + `{"p":2,"do":"recv"}`: true,
		`{"p":1,"do":"lose","from":"left"}` + "\n" + `{"p":1,"do":"recv"}`: false,
		`{"p":1,"do":"lose","from":"right"}`:                               false,
		`{"p":2,"do":"lose","message":"M"}` + "\n" + `{"p":1,"do":"recv"}`: true,
		`{"p":2,"do":"lose"}` + "\n" + `{"p":2,"do":"lose"}`:               false,
		`{"do":"lose","from":"right"}` + "\n" + `{"p":1,"do":"recv"}`:      true,
		`{"do":"lose"}` + "\n" + `{"do":"lose"}`:                           true,
	} {
		for _, order := range []Order{Total, ByProcess} {
			if r := explain(t, sys, Options{Order: order}, sent+text); *r.Explained != explained {
				t.Errorf("order %s: explained %v, want %v: %s", order, *r.Explained, explained, text)
			}
		}
	}
}

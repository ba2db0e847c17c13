package conform

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

var samples = testlevel.Cases(1, 4) // how many logs of each spec TestSamples explains, twelve of each random run

// Four maskings and three orders, all twelve of which are combined.
var (
	maskings = [][]string{nil, {"send", "event"}, {"recv"}, {"event"}}
	orders   = []Order{Total, ByProcess, ByClock}
)

// TestSamples explains the logs of random runs of the published specs and the examples.
func TestSamples(t *testing.T) {
	specs := map[string]reduce.Set{
		"chang-roberts": {"n": 5}, "dkr": {"n": 4, "k": 3}, "franklin": {"n": 4, "k": 3}, "franklin-unique": {"n": 5},
		"hirschberg-sinclair": {"n": 4}, "itai-rodeh": {"n": 4, "k": 3}, "peterson": {"n": 5},
		"randomized": {"n": 4}, "randomized-first": {"n": 4}, "randomized-second": nil,
	}
	examples, err := filepath.Glob("../../examples/*.ring")
	if err != nil || len(examples) < 10 {
		t.Fatal(examples, err)
	}
	for _, path := range examples {
		specs[path] = nil
	}
	delete(specs, "../../examples/filter-lock.ring")      // it shares variables, which is refused
	delete(specs, "../../examples/milner-scheduler.ring") // its channels are synchronous, which is refused
	for name, settings := range specs {
		t.Run(filepath.Base(name), func(t *testing.T) { explainSamples(t, name, settings) })
	}
}

// explainSamples explains the logs of random runs of a spec.
func explainSamples(t *testing.T, name string, settings reduce.Set) {
	sys, err := loadtest.Load(name, settings)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples() {
		opt := Options{Observe: maskings[i%len(maskings)], Order: orders[(i+len(name))%len(orders)]}
		explainSample(t, sys, uint64(i/12), opt)
	}
}

// explainSample explains the log of one random run, which may have no observed event, and what of it stands before a
// line that is no event.
func explainSample(t *testing.T, sys *reduce.System, seed uint64, opt Options) {
	opt.AllowEmpty = true
	var log bytes.Buffer
	random := rand.New(rand.NewPCG(seed, 0))
	if err := Sample(t.Context(), &log, sys, 50, random, opt); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	r, err := Explain(t.Context(), sys, []*Log{{Name: "log", Reader: &log}}, opt)
	if err != nil || r.Explained == nil || !*r.Explained {
		t.Errorf("run %d, observing %v, order %s: line %d, %v, %v\n%s", seed, opt.Observe, opt.Order, r.Line, r.Err(),
			err, text)
	}
	lines := strings.SplitAfter(text, "\n")
	if opt.Order == ByProcess { // a file for each process
		process := func(line string) string { return regexp.MustCompile(`^{"p":\d+`).FindString(line) }
		slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(process(a), process(b)) })
	}
	at := random.IntN(len(lines))
	text = strings.Join(slices.Insert(lines, at, `{"do":"sing"}`+"\n"), "")
	r, err = Explain(t.Context(), sys, []*Log{{Name: "log", Reader: strings.NewReader(text)}}, opt)
	if wrong := (*LineError)(nil); !errors.As(err, &wrong) {
		t.Errorf("run %d, observing %v, order %s: line %d, %v, %v; want an error of line %d\n%s", seed, opt.Observe,
			opt.Order, r.Line, r.Err(), err, at+1, text)
	}
}

// TestLossIsNotCounted explains a log in which a process acts after the network lost a message. The process' clock must
// not count the loss, since no line of the process is that event.
func TestLossIsNotCounted(t *testing.T) {
	sys, err := loadtest.Load("../../examples/raft-election.ring", nil)
	if err != nil {
		t.Fatal(err)
	}
	explainSample(t, sys, 78, Options{Order: ByClock})
}

// FuzzExplain reads logs and mappings of any kind. They are explained, or not, or refused.
func FuzzExplain(f *testing.F) {
	sys := newSystem(f, "chang-roberts", reduce.Set{"n": "2"})
	for _, seed := range []string{
		`{"p":0,"do":"send","to":"right","message":"Token","args":[1],"clock":[1,0]}`, `{"p":1,"at":"Active","vars":{"id":2}}`,
		`{"p":0,"assign":{"uid":2}}`, `{"do":"tick"}`, `{"p":0,"do":"recv","run":2,"clock":{"1":1}}`, `{"time":1}`, `{"p":`,
	} {
		f.Add(seed, `{"fields":{"p":"a.b","args":["c"]},"values":{"do":{"x":"send"}},"constants":{"message":"Token"}}`, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text, mapping string, order uint8) {
		log := &Log{Name: "log", Reader: strings.NewReader(text)}
		if m, err := ReadMapping(strings.NewReader(mapping)); err == nil && order%2 == 0 {
			log.Mapping = m
		}
		opt := Options{Order: orders[order%3], Run: true, AllowEmpty: true}
		r, err := Explain(t.Context(), sys, []*Log{log}, opt)
		if wrong := (*LineError)(nil); err != nil && !errors.As(err, &wrong) {
			t.Error(err)
		}
		if err == nil && r.Explained == nil {
			t.Error(r.Err())
		}
	})
}

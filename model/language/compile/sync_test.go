package compile_test

import (
	"errors"
	"fmt"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// syncSpecs is the number of random specs with synchronous channels that are compared.
var syncSpecs = testlevel.Cases(60, 400)

// TestSynchronous compares the two implementations on random specs with synchronous channels.
func TestSynchronous(t *testing.T) {
	specs := syncSpecs()
	met := make(map[string]int) // specs, by what they have
	compareSync := func(name, src string) {
		src = spectest.Synchronous(src)
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("%s:\n%s", name, src)
		opt := compile.Options{MaxMessages: 2}
		compare(t, p, opt, 80)
		graph, err := spectest.Explore(step.New(p, opt), 80)
		if f := (*model.Error)(nil); errors.As(err, &f) {
			met["errors"]++
		}
		noteSync(t, p, graph.States, met)
	}
	for seed := range uint64(specs / 3) {
		compareSync(fmt.Sprint("seed ", seed), randomSpec(seed))
	}
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(specs, 77) {
		compareSync(fmt.Sprint("varied ", seed), src)
		corpus.Use(t, src)
	}
	for _, what := range []string{"messages", "several receipts", "draws", "shared variables", "registers of others",
		"crashes", "timers", "errors"} {
		if met[what] < max(1, specs/100) {
			t.Errorf("of %d specs, %d have %s", specs, met[what], what)
		}
	}
}

// noteSync counts what the transitions of some states have.
func noteSync(t *testing.T, p *ir.Protocol, states []*step.State, met map[string]int) {
	t.Helper()
	m, has := step.New(p, compile.Options{}), make(map[string]bool)
	for _, s := range states {
		all, err := spectest.Successors(m, s)
		if err != nil {
			continue
		}
		labels := make(map[string]bool)
		for _, x := range all {
			if x.Kind != model.SyncAction {
				continue
			}
			has["messages"] = true
			has["several receipts"] = has["several receipts"] || labels[x.Label]
			has["draws"] = has["draws"] || x.Weight.RatString() != "1"
			labels[x.Label] = true
		}
	}
	if !has["messages"] {
		return
	}
	has["shared variables"], has["registers of others"] = len(p.Shared) > 0, p.Reads() != nil
	has["crashes"], has["timers"] = p.Faults.Most[ir.CrashFault] > 0, p.Time.Ticks
	for what, is := range has {
		if is {
			met[what]++
		}
	}
}

package confluence_test

import (
	"context"
	"strconv"
	"testing"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/compile"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
	"ringcheck/specs"
)

func open(t testing.TB, name string, settings map[string]string) *compile.System {
	t.Helper()
	spec, err := specs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func count(t testing.TB, sys model.System, workers int) *explore.Result {
	t.Helper()
	r, err := explore.Run(context.Background(), sys, explore.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete() {
		t.Fatalf("stopped: %v %v", r.Stop, r.Fault)
	}
	return r
}

// TestPublished reproduces Tables 2 and 3 of Bakhshi et al.
func TestPublished(t *testing.T) {
	for _, row := range []struct {
		n, k                          int
		strategy                      string
		states, internal, transitions uint64
	}{
		{2, 2, "normal", 385, 0, 664},
		{3, 2, "normal", 7613, 0, 17880},
		{2, 2, "confelm", 205, 0, 340},
		{3, 2, "confelm", 2875, 0, 6342},
		{4, 2, "confelm", 40881, 0, 114384},
		{2, 2, "onthefly", 165, 181, 276},
		{3, 2, "onthefly", 1819, 2343, 4086},
		{4, 2, "onthefly", 21409, 30039, 60576},
		{5, 2, "onthefly", 263963, 395723, 902820},
		{2, 3, "confelm", 469, 0, 876},
		{3, 3, "confelm", 9874, 0, 23310},
		{4, 3, "confelm", 214957, 0, 637884},
		{2, 3, "onthefly", 385, 433, 732},
		{3, 3, "onthefly", 6400, 8518, 15570},
		{4, 3, "onthefly", 116785, 170131, 353508},
	} {
		settings := map[string]string{"n": strconv.Itoa(row.n), "k": strconv.Itoa(row.k), "order": "left"}
		sys := open(t, "franklin", settings)
		var r *explore.Result
		internal := uint64(0)
		switch row.strategy {
		case "normal":
			r = count(t, sys, 0)
		case "confelm":
			r = count(t, confluence.Prioritize(sys, confluence.Options{}), 0)
		default:
			p := confluence.Prioritize(sys, confluence.Options{})
			reduced := representative.Reduce(p, representative.Options{Order: p.Linearised(), LastFirst: true})
			r = count(t, reduced, 1)
			internal = reduced.InternalStates()
		}
		if r.States != row.states || r.Transitions != row.transitions || internal != row.internal {
			t.Errorf("(%d,%d) %s: %d states, %d internal, %d transitions; published: %d, %d, %d", row.n, row.k, row.strategy,
				r.States, internal, r.Transitions, row.states, row.internal, row.transitions)
		}
	}
}

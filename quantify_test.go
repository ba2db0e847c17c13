package ringcheck_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ringcheck"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// TestQuantifyFile checks that a process has the same values when it is written to a file and read again, and that a
// file cannot be explored.
func TestQuantifyFile(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "process.umb")
	sys, err := ringcheck.Load("chang-roberts", ringcheck.Set{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	want, err := ringcheck.Quantify(ctx, sys, ringcheck.Questions{Until: "terminal", Exact: true,
		Process: func(p *prob.MDP) error {
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(exchange.WriteUMB(ctx, file, p, true), file.Close())
		}}, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := ringcheck.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ringcheck.Quantify(ctx, read,
		ringcheck.Questions{Rewards: []string{"steps", "messages"}, Exact: true}, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Until != "goal" || len(got.Results) != 6 || len(want.Results) != 9 {
		t.Fatalf("until %s: %d answers, of the protocol %d", got.Until, len(got.Results), len(want.Results))
	}
	for i, a := range got.Results {
		if w := want.Results[3+i]; a.Name() != w.Name() || a.Scheduler != w.Scheduler || a.Exact != w.Exact {
			t.Errorf("of the file %v, of the protocol %v", a, w)
		}
	}
	var request *ringcheck.RequestError
	if _, err := ringcheck.Explore(ctx, read, ringcheck.Search{}); !errors.As(err, &request) {
		t.Errorf("exploring a file did not fail: %v", err)
	}
	for _, ask := range []ringcheck.Questions{{Until: "nowhere"}, {Rewards: []string{"fame"}}, {Witness: "max"},
		{Scheduler: "best"}} {
		if _, err := ringcheck.Quantify(ctx, read, ask, ringcheck.Search{}); !errors.As(err, &request) {
			t.Errorf("%+v is answered: %v", ask, err)
		}
	}
}

// TestLimits checks that a number of steps or a scheduler that cannot be asked for is a *RequestError.
func TestLimits(t *testing.T) {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2})
	if err != nil {
		t.Fatal(err)
	}
	within := func(n int) ringcheck.Quantity {
		return ringcheck.Quantity{Until: "elected", Within: &n, Scheduler: "max"}
	}
	both := within(3)
	both.Reward = "steps"
	for _, ask := range []ringcheck.Questions{{Within: []int{3, -1}}, {Within: []int{1_000_001}}, {Scheduler: "none"},
		{Quantities: []ringcheck.Quantity{within(-1)}}, {Quantities: []ringcheck.Quantity{both}}} {
		var request *ringcheck.RequestError
		if _, err := ringcheck.Quantify(t.Context(), sys, ask, ringcheck.Search{}); !errors.As(err, &request) {
			t.Errorf("%+v: %v", ask, err)
		}
	}
}

// TestLoad checks that an invalid setting is a *RequestError.
func TestLoad(t *testing.T) {
	for _, set := range []ringcheck.Set{{"n": 1}, {"n": "many"}, {"zap": 1}, {"order": "up"}, {}} {
		var request *ringcheck.RequestError
		if _, err := ringcheck.Load("franklin", set); !errors.As(err, &request) {
			t.Errorf("%v: %v", set, err)
		}
	}
}

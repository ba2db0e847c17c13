package request_test

import (
	"encoding/json"
	"testing"

	"ringcheck"
	"ringcheck/cmd/internal/request"
)

// TestRequest checks that a request restores its system and options, and describes how another request differs.
func TestRequest(t *testing.T) {
	requested := func(spec string, set ringcheck.Set, names []string, search ringcheck.Search) *request.Request {
		t.Helper()
		sys, err := ringcheck.Load(spec, set)
		if err != nil {
			t.Fatal(err)
		}
		return request.New("v1", sys, names, search)
	}
	unique := []string{"unique"}
	first := requested("franklin", ringcheck.Set{"n": 3, "k": 2},
		unique, ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 7})
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(request.Request)
	if err := json.Unmarshal(data, kept); err != nil {
		t.Fatal(err)
	}
	sys, err := kept.System()
	if err != nil {
		t.Fatal(err)
	}
	var search ringcheck.Search
	kept.Apply(&search)
	if difference := first.Differs(request.New("v1", sys, kept.Properties, search)); difference != "" {
		t.Errorf("restored from JSON, it %s", difference)
	}
	for _, c := range []struct {
		other *request.Request
		want  string
	}{
		{requested("dkr", ringcheck.Set{"n": 3, "k": 2}, unique, search), "is of franklin, not dkr"},
		{requested("franklin", ringcheck.Set{"n": 4, "k": 2}, unique, search), "has n = 3, not 4"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2, "bits": false}, unique, search),
			"has bits = true, not false"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2}, unique, ringcheck.Search{MaxNat: 7}),
			"has --symmetry rotation, not none"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2},
			unique, ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 8}), "has --max-nat 7, not 8"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2},
			nil, ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 7}),
			"has --property unique, not none"},
		{&request.Request{Version: "v2"}, "is one of ringcheck v1, and this is v2"},
		{&request.Request{Version: "v1", Spec: "franklin"}, "is of another text of franklin"},
	} {
		if got := first.Differs(c.other); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

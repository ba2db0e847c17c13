package request_test

import (
	"encoding/json"
	"testing"

	"ringcheck"
	"ringcheck/cmd/internal/request"
)

// TestRequest checks that a request restores its system and options, and describes how another request differs.
func TestRequest(t *testing.T) {
	requested := func(spec string, set ringcheck.Set, opt ringcheck.Options) *request.Request {
		t.Helper()
		sys, err := ringcheck.Load(spec, set)
		if err != nil {
			t.Fatal(err)
		}
		return request.New("v1", sys, opt)
	}
	first := requested("franklin", ringcheck.Set{"n": 3, "k": 2},
		ringcheck.Options{Search: ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 7},
			Properties: []string{"unique"}})
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
	var opt ringcheck.Options
	kept.Apply(&opt)
	if difference := first.Differs(request.New("v1", sys, opt)); difference != "" {
		t.Errorf("restored from JSON, it %s", difference)
	}
	for _, c := range []struct {
		other *request.Request
		want  string
	}{
		{requested("dkr", ringcheck.Set{"n": 3, "k": 2}, opt), "is of franklin, not dkr"},
		{requested("franklin", ringcheck.Set{"n": 4, "k": 2}, opt), "has n = 3, not 4"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2, "bits": false}, opt), "has bits = true, not false"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2}, ringcheck.Options{Search: ringcheck.Search{MaxNat: 7},
			Properties: opt.Properties}),
			"has --symmetry rotation, not none"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2},
			ringcheck.Options{Search: ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 8},
				Properties: opt.Properties}), "has --max-nat 7, not 8"},
		{requested("franklin", ringcheck.Set{"n": 3, "k": 2},
			ringcheck.Options{Search: ringcheck.Search{Symmetry: ringcheck.Rotation, MaxNat: 7}}),
			"has --property unique, not none"},
		{&request.Request{Version: "v2"}, "is one of ringcheck v1, and this is v2"},
		{&request.Request{Version: "v1", Spec: "franklin"}, "is of another text of franklin"},
	} {
		if got := first.Differs(c.other); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

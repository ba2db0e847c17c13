package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/verify/conform"
)

// observed has the kinds of lines, also those that a short log does not have.
var observed = []string{"send", "recv", "event", "crash", "recover", "lose"}

// judge runs a cluster, and explains its log by the spec.
func judge(t *testing.T, o Options) (r *conform.Report, lines []Line, guilty int) {
	t.Helper()
	o.Terms = 30
	var log strings.Builder
	guilty, err := Run(o, func(l Line) {
		lines = append(lines, l)
		fmt.Fprintln(&log, l)
	})
	if err != nil {
		t.Fatal(err)
	}
	sys, err := ringcheck.Load("raft.ring", ringcheck.Set{"n": o.Servers, "terms": o.Terms})
	if err != nil {
		t.Fatal(err)
	}
	logs := []*conform.Log{{Name: "log", Reader: strings.NewReader(log.String())}}
	r, err = conform.Explain(t.Context(), sys, logs, conform.Options{Observe: observed})
	if err = cmp.Or(err, r.Err(), r.Invalid()); err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return r, lines, guilty
}

// TestCorrect explains runs of the library without a bug, in which leaders are elected.
func TestCorrect(t *testing.T) {
	for _, servers := range []int{3, 5} {
		o := Options{Servers: servers, Lines: 1500}
		r, lines, _ := judge(t, o)
		if !*r.Explained {
			t.Errorf("%+v: line %d, %s is not explained\n%s\n%v", o, r.Line, r.Event, r.Expected, lines[:r.Line])
		}
		for _, p := range r.Properties {
			if p.Holds == nil || !*p.Holds {
				t.Errorf("%+v: %s is violated", o, p.Name)
			}
		}
		kinds := map[string]int{}
		for _, l := range lines {
			kinds[cmp.Or(l.Name, l.Do)]++
		}
		if kinds["leader"] == 0 || kinds["newVote"] < 2 || kinds["crash"] == 0 || kinds["lose"] == 0 {
			t.Errorf("%+v: lines %v", o, kinds)
		}
		t.Logf("%d hypotheses, lines %v", r.Hypotheses, kinds)
	}
}

// TestBugs finds each planted bug, and names the line with its first effect. Not every run has one.
func TestBugs(t *testing.T) {
	for _, bug := range Bugs {
		o, guilty := Options{Servers: 3, Lines: 2000, Bug: bug}, 0
		for runs := 1; guilty == 0 && runs <= 20; runs++ {
			var r *conform.Report
			var lines []Line
			if r, lines, guilty = judge(t, o); r.Line != guilty {
				t.Fatalf("%+v: line %d is not explained, want %d\n%s\n%v", o, r.Line, guilty, r.Expected, lines)
			}
			if guilty > 0 {
				t.Logf("%s: run %d, line %d: %s", bug, runs, r.Line, lines[r.Line-1])
			}
		}
		if guilty == 0 {
			t.Errorf("%s: no run shows it", bug)
		}
	}
}

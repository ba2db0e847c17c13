package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/verify/conform"
)

// terms and entries are the bounds of the spec in the tests.
const terms, entries = 10, 15

// observed has the kinds of lines, also those that a short log does not have.
var observed = []string{"send", "recv", "event", "crash", "recover", "lose", "duplicate"}

// judge runs a cluster, and explains its log by the spec.
func judge(t *testing.T, o Options) (r *conform.Report, lines []Line, guilty int) {
	t.Helper()
	o.Terms, o.Entries = terms, entries
	var log strings.Builder
	guilty, err := Run(o, func(l Line) {
		lines = append(lines, l)
		fmt.Fprintln(&log, l)
	})
	if err != nil {
		t.Fatal(err)
	}
	sys, err := ringcheck.Load("raft.ring", ringcheck.Set{"n": fmt.Sprint(o.Servers), "terms": fmt.Sprint(terms),
		"length": fmt.Sprint(entries)})
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

// TestCorrect explains runs of the library without a bug, in which entries are committed in several terms and servers
// restart.
func TestCorrect(t *testing.T) {
	for _, servers := range []int{3, 5} {
		for seed := range uint64(2) {
			o := Options{Servers: servers, Events: 1000, Seed: seed}
			r, lines, _ := judge(t, o)
			if !*r.Explained || r.Hypotheses != 1 {
				t.Errorf("%+v: line %d, %s is not explained\n%s", o, r.Line, r.Event, r.Expected)
			}
			for _, p := range r.Properties {
				if p.Holds == nil || !*p.Holds {
					t.Errorf("%+v: %s is violated", o, p.Name)
				}
			}
			committed, kinds := uint64(0), map[string]int{}
			for _, l := range lines {
				kinds[cmp.Or(l.Message, l.Name, l.Do)]++
				if l.After != nil {
					committed = max(committed, l.After.Vars.Commit)
				}
			}
			if committed < 8 || len(kinds) != 11 || kinds["restart"] < 3 || kinds["campaign"] < 5 {
				t.Errorf("%+v: %d entries are committed, lines %v", o, committed, kinds)
			}
		}
	}
}

// TestBugs finds each planted bug in every run in which it has an effect, and names the line with its first effect. A
// vote of an earlier term is noticed when it decides an election, so the line that is named may be a later one.
func TestBugs(t *testing.T) {
	for _, bug := range Bugs {
		runs, effective := uint64(2), 0
		if bug == CountsOld {
			runs = 4 // not all of them count a vote that matters
		}
		for seed := range runs {
			o := Options{Servers: 5, Events: 400, Seed: seed, Bug: bug}
			r, lines, guilty := judge(t, o)
			late := bug == CountsOld && (*r.Explained || r.Line > guilty)
			if r.Line != guilty && !late {
				t.Errorf("%+v: line %d is not explained, want %d\n%s", o, r.Line, guilty, r.Expected)
			}
			if !*r.Explained {
				if effective++; effective == 1 {
					t.Logf("%s: line %d, part %q: %s", bug, r.Line, r.Part, lines[r.Line-1])
				}
			}
		}
		if effective == 0 {
			t.Errorf("%s: no run shows it", bug)
		}
	}
}

// TestReplay repeats runs that cover elections of the spec, and finds bugs.
func TestReplay(t *testing.T) {
	o := Options{Servers: 2, Terms: 2, Entries: 2}
	sys, err := ringcheck.Load("raft.ring", ringcheck.Set{"n": 2, "terms": o.Terms, "length": o.Entries, "crashes": 1})
	if err != nil {
		t.Fatal(err)
	}
	tests, err := conform.NewTests(t.Context(), sys, conform.TestOptions{Inputs: []string{"campaign"}},
		ringcheck.Search{MaxChannel: 1})
	var lines strings.Builder
	if err = cmp.Or(err, tests.Err(), tests.Write(t.Context(), &lines)); err != nil {
		t.Fatal(err)
	}
	// The other bugs need messages of a leader, or more servers.
	found := []Bug{VotesTwice, ForgetsVote, ForgetsTerm, CountsOld}
	for _, o.Bug = range append(Bugs, None) {
		runs, err := Replay(o, strings.NewReader(lines.String()))
		if slices.Contains(found, o.Bug) != (err != nil) || err == nil && (runs != tests.Count || runs < 100) {
			t.Errorf("%q: %d of %d runs, %v", o.Bug, runs, tests.Count, err)
		}
	}
	for _, text := range []string{``, `{`, `{"run":1}`, `{"p":0,"do":"crash","role":"input"}`,
		`{"p":7,"do":"crash","run":1}`,
		`{"p":0,"do":"recv","message":"Vote","args":[1,true],"role":"input","run":1}`, `{"p":0,"role":"output","run":1}`,
		`{"p":0,"do":"sing","role":"input","run":1}`, `{"p":0,"vars":3,"run":1}`} {
		if _, err := Replay(o, strings.NewReader(text)); err == nil {
			t.Errorf("%s is repeated", text)
		}
	}
}

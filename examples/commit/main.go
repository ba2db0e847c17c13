// Two-phase commit (J. Gray, Notes on data base operating systems, 1978): all participants commit, or none does. If the
// coordinator can crash before it tells them, they may wait for ever.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"slices"

	"ringcheck"
	"ringcheck/model"
)

const participants = 3

type state struct {
	At     [participants + 1]string // process 0 is the coordinator
	Inbox  [participants + 1]string // from the coordinator; "" if there is nothing to read
	Voted  [participants + 1]string // answers of the participants; "" before
	Decide string
	Crash  bool
}

func next(s state) iter.Seq2[model.Action, state] {
	return func(yield func(model.Action, state) bool) {
		step := func(process int, name string, change func(*state)) bool {
			t := s
			change(&t)
			return yield(model.Action{Name: name, Process: process}, t)
		}
		if votes := s.Voted[1:]; !s.Crash && s.Decide == "" {
			ok := true
			if slices.Contains(votes, "no") {
				ok = step(0, "abort", func(t *state) { t.tell("abort") })
			} else if !slices.Contains(votes, "") {
				ok = step(0, "commit", func(t *state) { t.tell("commit") })
			}
			if !ok || !step(0, "crash", func(t *state) { t.Crash, t.At[0] = true, "down" }) {
				return
			}
		}
		for p := 1; p <= participants; p++ {
			switch {
			case s.At[p] == "working":
				if !step(p, "vote yes", func(t *state) { t.At[p], t.Voted[p] = "ready", "yes" }) ||
					!step(p, "vote no", func(t *state) { t.At[p], t.Voted[p] = "abort", "no" }) {
					return
				}
			case s.Inbox[p] != "" &&
				!step(p, "hear "+s.Inbox[p], func(t *state) { t.At[p], t.Inbox[p] = t.Inbox[p], "" }):
				return
			}
		}
	}
}

func (s *state) tell(decision string) {
	s.Decide, s.At[0] = decision, decision
	s.Inbox = [...]string{"", decision, decision, decision}
}

func main() {
	has := func(s state, what string) bool { return slices.Contains(s.At[1:], what) }
	start := state{At: [...]string{"asking", "working", "working", "working"}}
	sys := ringcheck.From("two-phase commit", model.Of(next, start),
		ringcheck.Invariant("agreement", func(s state) bool { return !has(s, "commit") || !has(s, "abort") }),
		ringcheck.Terminal("nobody waits", func(s state) bool { return !has(s, "ready") }),
		ringcheck.Reachable("committed", func(s state) bool { return s.Decide == "commit" && !has(s, "ready") }))
	report, err := ringcheck.Check(context.Background(), sys, ringcheck.Checks{}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range report.Verdicts.Properties {
		fmt.Println(p.Name, p.Outcome())
	}
}

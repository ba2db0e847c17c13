// Peterson's algorithm (G. L. Peterson, Myths about the mutual exclusion problem, 1981): two processes that share
// memory are never in their critical sections at once. Without the turn they deadlock: each waits for the other.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"

	"ringcheck"
	"ringcheck/model"
)

// A state has, for each process, where it is and whether it wants to enter, and whose turn it is.
type state struct {
	at   [2]location
	flag [2]bool
	turn int
}

type location string

const idle, asking, waiting, critical location = "idle", "asking", "waiting", "critical"

// next yields what each process can do.
func next(withTurn bool) func(state) iter.Seq2[model.Action, state] {
	return func(s state) iter.Seq2[model.Action, state] {
		return func(yield func(model.Action, state) bool) {
			for p := range 2 {
				t, other, action := s, 1-p, ""
				switch s.at[p] {
				case idle:
					t.flag[p], t.at[p], action = true, asking, "raise flag"
				case asking:
					t.turn, t.at[p], action = other, waiting, "give turn away"
				case waiting:
					if s.flag[other] && (s.turn != p || !withTurn) {
						continue
					}
					t.at[p], action = critical, "enter"
				case critical:
					t.flag[p], t.at[p], action = false, idle, "leave"
				}
				if !yield(model.Action{Name: action, Process: p}, t) {
					return
				}
			}
		}
	}
}

func main() {
	start := state{at: [2]location{idle, idle}}
	for _, withTurn := range []bool{true, false} {
		sys := ringcheck.From("peterson", model.Of(next(withTurn), start),
			ringcheck.Invariant("exclusion", func(s state) bool { return s.at != [2]location{critical, critical} }),
			ringcheck.Recoverable("progress", func(s state) bool { return s.at[0] == critical }),
			ringcheck.Terminal("no deadlock", func(state) bool { return false }))
		report, err := ringcheck.Check(context.Background(), sys, ringcheck.Checks{}, ringcheck.Search{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("turn %v: %d states, %d transitions\n", withTurn, report.States, report.Transitions)
		for _, p := range report.Verdicts.Properties {
			fmt.Println(" ", p.Name, p.Outcome())
		}
		if !*report.Verdicts.Holds {
			run, err := report.Run(context.Background(), "no deadlock")
			if err != nil {
				log.Fatal(err)
			}
			if err := run.Write(os.Stdout, "msc"); err != nil {
				log.Fatal(err)
			}
		}
	}
}

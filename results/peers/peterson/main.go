// Command peterson explores Peterson's mutual exclusion for N processes with one worker, and prints the counts as JSON.
// It is a Go system because every process writes the variables that say who came last to a level; in the language of
// specs, a process sets only its own registers. Package peers compares it with models for other tools.
//
//	peterson N
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"os"
	"strconv"

	"ringcheck"
	"ringcheck/model"
)

const most = 6 // processes

type control uint8

const advance, mark, wait, critical control = 0, 1, 2, 3

// A state has, for each process, where it is, the level that it wants and the level that it is at, and for each level
// who came there last.
type state struct {
	at                [most]control
	next, level, last [most]uint8
}

// free reports whether p, which waits, may go on. The condition is read in one step.
func (s *state) free(p, n int) bool {
	if s.last[s.next[p]] != uint8(p) {
		return true
	}
	for q := range n {
		if q != p && s.level[q] >= s.next[p] {
			return false
		}
	}
	return true
}

// system returns the system of n processes.
func system(n int) *ringcheck.System {
	next := func(s state) iter.Seq2[model.Action, state] {
		return func(yield func(model.Action, state) bool) {
			for p := range n {
				t, action := s, ""
				switch s.at[p] {
				case advance:
					t.level[p], t.at[p], action = s.next[p], mark, "advance"
				case mark:
					t.last[s.next[p]], t.at[p], action = uint8(p), wait, "mark"
				case wait:
					if !s.free(p, n) {
						continue
					}
					t.next[p], t.at[p], action = s.next[p]+1, advance, "pass"
					if int(t.next[p]) == n {
						t.next[p], t.at[p] = 1, critical
					}
				case critical:
					t.level[p], t.at[p], action = 0, advance, "leave"
				}
				if !yield(model.Action{Name: action, Process: p}, t) {
					return
				}
			}
		}
	}
	var start state
	for p := range n {
		start.next[p] = 1
	}
	return ringcheck.From("peterson", model.Of(next, start))
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: peterson N")
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil || n < 2 || n > most {
		log.Fatalf("%s: not a number from 2 to %d", os.Args[1], most)
	}
	report, err := ringcheck.Explore(context.Background(), system(n), ringcheck.Search{Workers: 1})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

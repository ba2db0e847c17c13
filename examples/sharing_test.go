package examples

import "fmt"

// Algorithms with variables that processes share, written from their sources.

// filterLock is Peterson's mutual exclusion of n processes.
func filterLock(n int) counted {
	type competitor struct {
		at    string
		k     int // the level that it goes to
		level int // that it says
	}
	type state struct {
		of   [most]competitor
		last [most]int // by level: who came last
	}
	var start state
	for p := range n {
		start.of[p] = competitor{at: "advance", k: 1}
	}
	m := machine[state]{initial: []state{start}}
	m.next = func(s state, to func(string, state)) {
		for p := range n {
			c, t := s.of[p], s
			switch c.at {
			case "advance":
				t.of[p] = competitor{"mark", c.k, c.k}
			case "mark":
				t.of[p].at, t.last[c.k] = "wait", p
			case "wait":
				alone := true
				for q := range n {
					alone = alone && (q == p || s.of[q].level < c.k)
				}
				switch {
				case s.last[c.k] == p && !alone:
					continue
				case c.k == n-1:
					t.of[p] = competitor{"critical", 0, c.level}
				default:
					t.of[p] = competitor{"advance", c.k + 1, c.level}
				}
			case "critical":
				t.of[p] = competitor{at: "advance", k: 1}
			}
			to(fmt.Sprint(p), t)
		}
	}
	return m
}

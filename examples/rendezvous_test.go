package examples

// Algorithms of processes that meet, written from their sources.

// milner is Milner's scheduler of n cyclers.
func milner(n int) counted {
	type state struct {
		turn, stage int        // who has the turn; whether its task is to start, runs, or has ended
		running     [most]bool // the tasks of those without the turn
	}
	const toStart, runs, ended = 0, 1, 2
	m := machine[state]{initial: []state{{}}}
	m.next = func(s state, to func(string, state)) {
		next := (s.turn + 1) % n
		switch s.stage {
		case toStart:
			t := s
			t.stage = runs
			to("start", t)
		case runs:
			t := s
			t.stage = ended
			to("end", t)
		}
		if s.stage != toStart && !s.running[next] { // they meet
			t := s
			t.running[s.turn] = s.stage == runs
			t.turn, t.stage = next, toStart
			to("turn", t)
		}
		for p := range n {
			if s.running[p] {
				t := s
				t.running[p] = false
				to("end "+string(rune('0'+p)), t)
			}
		}
	}
	return m
}

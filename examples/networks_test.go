package examples

import "fmt"

// Algorithms on networks other than elections, written from their sources.

// A member is the state of a process: its control point, the processes that it deals with, and those that it waits for.
type member struct {
	at          string
	q           int
	rest, later set
	clock, ours int
	theirs      int
	rounds      int
	left, right bool // hands with forks
}

// dijkstra is the ring whose registers have k values.
func dijkstra(n, k int) counted {
	type ring [most]int
	m := machine[ring]{initial: []ring{{}}}
	for p := range n {
		for _, s := range m.initial {
			for x := 1; x < k; x++ {
				s[p] = x
				m.initial = append(m.initial, s)
			}
		}
	}
	m.next = func(s ring, to func(string, ring)) {
		for p := range n {
			left := s[(p+n-1)%n]
			label := fmt.Sprint(p)
			switch {
			case p == 0 && s[p] == left:
				s := s
				s[p] = (s[p] + 1) % k
				to(label, s)
			case p > 0 && s[p] != left:
				s := s
				s[p] = left
				to(label, s)
			}
		}
	}
	return m
}

// tokenRing has processes that pass the token on unless they wait for it.
func tokenRing(n, losses int) counted {
	d := &distributed[member]{n: n, fifo: true, losses: losses, initial: make([]network[member], 1)}
	for p := range n {
		d.initial[0].at[p].at = "idle"
	}
	d.initial[0].in[0][n-1] = "Token"
	d.own = func(s network[member], p int, do func(string, network[member])) {
		moves := func(to string) network[member] { return s.goes(p, member{at: to}) }
		switch s.at[p].at {
		case "idle":
			do("request", moves("waiting"))
		case "entering":
			do("enter", moves("critical"))
		case "critical":
			do("leave", moves("left"))
		case "left", "passing":
			do("sends", d.send(moves("idle"), p, (p+1)%n, "Token"))
		}
	}
	d.take = func(s network[member], p, _ int, _ string, do func(network[member])) {
		if to, ok := map[string]string{"idle": "passing", "waiting": "entering"}[s.at[p].at]; ok {
			do(s.goes(p, member{at: to}))
		}
	}
	return d
}

// philosophers has n dining philosophers, the first rightFirst of whom take the fork on the right first.
func philosophers(n, rightFirst int) counted {
	type table [most]member
	var m machine[table]
	var first table
	for p := range n {
		first[p].at = "thinking"
	}
	m.initial = []table{first}
	m.next = func(s table, to func(string, table)) {
		for p := range n {
			rights := p < rightFirst
			leftFree, rightFree := !s[(p+n-1)%n].right, !s[(p+1)%n].left
			c := s[p]
			switch {
			case c.at == "thinking":
				c.at = "first"
			case c.at == "first" && !rights && leftFree:
				c.at, c.left = "second", true
			case c.at == "first" && rights && rightFree:
				c.at, c.right = "second", true
			case c.at == "second" && (rights && leftFree || !rights && rightFree):
				c.at, c.left, c.right = "eats", true, true
			case c.at == "eats":
				c.at = "full"
			case c.at == "full" && c.left && c.right:
				c.left, c.right = rights, !rights
			case c.at == "full":
				c = member{at: "thinking"}
			default:
				continue
			}
			next := s
			next[p] = c
			to(fmt.Sprint(p, c.at), next)
		}
	}
	return m
}

// ricartAgrawala has requests that carry their time.
func ricartAgrawala(n, rounds int) counted {
	d := &distributed[member]{n: n, initial: make([]network[member], 1)}
	for p := range n {
		d.initial[0].at[p] = member{at: "idle", rounds: rounds}
	}
	// asks sends the request to q, and then to the next one.
	asks := func(s network[member], p, q, ours, rounds int) network[member] {
		c := member{at: "asking", q: others(n, p).after(q + 1), ours: ours, rounds: rounds}
		if c.q < 0 {
			c = member{at: "waiting", ours: ours, clock: ours, rounds: rounds, rest: others(n, p)}
		}
		return d.send(s.goes(p, c), p, q, fmt.Sprint(ours))
	}
	// releases is where a process is that has left, once it has answered to all before q.
	releases := func(c member, q int) member {
		if q = c.later.after(q); q < 0 {
			return member{at: "idle", clock: c.clock, rounds: c.rounds - 1}
		}
		return member{at: "left", q: q, clock: c.clock, rounds: c.rounds, later: c.later}
	}
	d.own = func(s network[member], p int, do func(string, network[member])) {
		c := s.at[p]
		q := c.q
		switch {
		case c.at == "idle" && c.rounds > 0:
			do("asks", asks(s, p, others(n, p).after(0), c.clock+1, c.rounds))
		case c.at == "asking":
			do("asks", asks(s, p, q, c.ours, c.rounds))
		case c.at == "waiting" && c.rest == 0:
			do("enter", s.goes(p, member{at: "critical", clock: c.clock, rounds: c.rounds, later: c.later}))
		case c.at == "critical":
			do("leave", s.goes(p, releases(c, 0)))
		case c.at == "left":
			do("replies", d.send(s.goes(p, releases(c, q+1)), p, q, "Reply"))
		case c.at == "asked idly", c.at == "asked":
			c.clock, c.theirs, c.q = max(c.clock, c.theirs), 0, 0
			c.at = map[string]string{"asked idly": "idle", "asked": "waiting"}[c.at]
			do("replies", d.send(s.goes(p, c), p, q, "Reply"))
		}
	}
	d.take = func(s network[member], p, q int, word string, do func(network[member])) {
		c := s.at[p]
		theirs := number(word)
		earlier := theirs < c.ours || theirs == c.ours && q < p
		switch {
		case c.at == "waiting" && c.rest == 0:
			return
		case word == "Reply" && c.at == "waiting":
			c.rest = c.rest.without(q)
		case word == "Reply":
			return
		case c.at == "idle":
			c.at, c.q, c.theirs = "asked idly", q, theirs
		case c.at == "waiting" && earlier:
			c.at, c.q, c.theirs = "asked", q, theirs
		case c.at == "waiting", c.at == "critical":
			c.clock, c.later = max(c.clock, theirs), c.later.with(q)
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// twoPhaseCommit has a coordinator, process 0, which may crash.
func twoPhaseCommit(m, crashes int) counted {
	d := &distributed[member]{n: m + 1, initial: make([]network[member], 1), crashes: crashes}
	d.mortal = func(p int) bool { return p == 0 }
	d.crash = func(member) member { return member{at: "crashed"} }
	d.crashed = func(c member) bool { return c.at == "crashed" }
	d.initial[0].at[0] = member{at: "Ask", q: 1}
	for p := 1; p <= m; p++ {
		d.initial[0].at[p].at = "ready"
	}
	all := others(m+1, 0)
	d.own = func(s network[member], p int, do func(string, network[member])) {
		c := s.at[p]
		sends := func(q int, word string, then member) { do("sends "+word, d.send(s.goes(p, then), p, q, word)) }
		switch c.at {
		case "Ask", "Commit", "Abort":
			then := member{at: c.at, q: c.q + 1}
			if c.q == m {
				then = map[string]member{"Ask": {at: "counts", rest: all}, "Commit": {at: "committed"},
					"Abort": {at: "aborted"}}[c.at]
			}
			sends(c.q, c.at, then)
		case "votes":
			sends(0, "yes", member{at: "prepared"})
			sends(0, "no", member{at: "refuses"})
		case "commits":
			do("committed", s.goes(p, member{at: "committed"}))
		case "refuses", "aborts":
			do("aborted", s.goes(p, member{at: "aborted"}))
		}
	}
	d.take = func(s network[member], p, q int, word string, do func(network[member])) {
		c := s.at[p]
		switch c.at + " " + word {
		case "counts yes":
			if c.rest = c.rest.without(q); c.rest == 0 {
				c = member{at: "Commit", q: 1}
			}
		case "counts no":
			c = member{at: "Abort", q: 1}
		case "ready Ask":
			c.at = "votes"
		case "prepared Commit":
			c.at = "commits"
		case "prepared Abort":
			c.at = "aborts"
		case "committed yes", "committed no", "aborted yes", "aborted no", "aborted Abort":
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// echo is a wave on a grid that process 0 begins.
func echo(w, h int) counted {
	n := w * h
	d := &distributed[member]{n: n, initial: make([]network[member], 1)}
	near := func(p int) (all set) {
		for q := range n {
			dx, dy := p%w-q%w, p/w-q/w
			if dx*dx+dy*dy == 1 {
				all = all.with(q)
			}
		}
		return all
	}
	for p := range n {
		d.initial[0].at[p].at = "asleep"
	}
	d.initial[0].at[0] = member{at: "starts", q: near(0).after(0)}
	// wakes is where a process is that has sent to all of rest before q; ours is its parent.
	wakes := func(parent int, rest set, q int) member {
		c := member{at: "wakes", ours: parent, rest: rest, q: rest.after(q)}
		if c.q < 0 {
			c.at, c.q = "child", 0
		}
		return c
	}
	d.own = func(s network[member], p int, do func(string, network[member])) {
		c := s.at[p]
		sends := func(q int, then member) { do("sends", d.send(s.goes(p, then), p, q, "Wave")) }
		switch {
		case c.at == "starts":
			then := member{at: "starts", q: near(0).after(c.q + 1)}
			if then.q < 0 {
				then = member{at: "waits", rest: near(0)}
			}
			sends(c.q, then)
		case c.at == "wakes":
			sends(c.q, wakes(c.ours, c.rest, c.q+1))
		case c.at == "waits" && c.rest == 0:
			do("decided", s.goes(p, member{at: "done"}))
		case c.at == "child" && c.rest == 0:
			sends(c.ours, member{at: "done"})
		}
	}
	d.take = func(s network[member], p, q int, _ string, do func(network[member])) {
		c := s.at[p]
		switch {
		case c.at == "asleep":
			c = wakes(q, near(p).without(q), 0)
		case (c.at == "waits" || c.at == "child") && c.rest != 0:
			c.rest = c.rest.without(q)
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

package examples

import "fmt"

// Elections, written from their sources.

// A candidate is the state of a process on a ring: its control point, its identity, and what it holds.
type candidate struct {
	at         string
	id         int
	x, y, z    int
	list       set
	starts     bool
	slice, now int // timers
}

// ringOf returns a ring with an initial state for each assignment of the identities from lo on to n processes.
func ringOf(n, lo int, at string) []network[candidate] {
	var all []network[candidate]
	for _, ids := range permutations(lo, n) {
		var s network[candidate]
		for p, id := range ids {
			s.at[p] = candidate{at: at, id: id}
		}
		all = append(all, s)
	}
	return all
}

func number(word string) int {
	var x int
	fmt.Sscan(word, &x)
	return x
}

// leLann is Algorithm 7.1 of Tel.
func leLann(n int) counted {
	d := &distributed[candidate]{n: n, fifo: true}
	for _, s := range ringOf(n, 1, "asleep") {
		for starters := range 1 << n {
			for p := range n {
				s.at[p].at, s.at[p].starts = "asleep", set(starters).has(p)
				if s.at[p].starts {
					s.at[p].at = "start"
				}
			}
			d.initial = append(d.initial, s)
		}
	}
	d.own = func(s network[candidate], p int, do func(string, network[candidate])) {
		c := s.at[p]
		right := (p + 1) % n
		switch c.at {
		case "start":
			c.at, c.list = "collect", c.list.with(c.id)
			do("sends", d.send(s.goes(p, c), p, right, fmt.Sprint(c.id)))
		case "collected":
			x := c.x
			c.at, c.list, c.x = "collect", c.list.with(x), 0
			do("sends", d.send(s.goes(p, c), p, right, fmt.Sprint(x)))
		case "woken":
			x := c.x
			c.at, c.x = "asleep", 0
			do("sends", d.send(s.goes(p, c), p, right, fmt.Sprint(x)))
		case "leader":
			c.at = "done"
			do("leader", s.goes(p, c))
		}
	}
	d.take = func(s network[candidate], p, _ int, word string, do func(network[candidate])) {
		c := s.at[p]
		x := number(word)
		switch {
		case c.at == "asleep":
			c.at, c.x = "woken", x
		case c.at == "collect" && x != c.id:
			c.at, c.x = "collected", x
		case c.at == "collect":
			c.at = "lost"
			if c.list.after(0) == c.id {
				c.at = "leader"
			}
			c.list = 0
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// peterson is the program in Sect. 2 of the paper: x is tid, y ntid and z nntid.
func peterson(n int, fifo bool) counted {
	d := &distributed[candidate]{n: n, fifo: fifo, initial: ringOf(n, 1, "active")}
	for i := range d.initial {
		for p := range n {
			d.initial[i].at[p].x = d.initial[i].at[p].id
		}
	}
	d.own = func(s network[candidate], p int, do func(string, network[candidate])) {
		c := s.at[p]
		sends := func(x int, then candidate) { do("sends", d.send(s.goes(p, then), p, (p+1)%n, fmt.Sprint(x))) }
		elected := func() { do("elected", s.goes(p, candidate{at: "reign"})) }
		switch {
		case c.at == "active":
			sends(c.x, candidate{at: "first", id: c.id, x: c.x})
		case c.at == "compare" && c.y == c.id, c.at == "decide" && c.z == c.id, c.at == "pass" && c.x == c.id:
			elected()
		case c.at == "compare":
			sends(max(c.x, c.y), candidate{at: "second", id: c.id, x: c.x, y: c.y})
		case c.at == "decide" && c.y >= max(c.x, c.z): // the next round
			sends(c.y, candidate{at: "first", id: c.id, x: c.y})
		case c.at == "pass":
			sends(c.x, candidate{at: "relay", id: c.id})
		}
	}
	d.take = func(s network[candidate], p, _ int, word string, do func(network[candidate])) {
		c := s.at[p]
		x := number(word)
		switch {
		case c.at == "first":
			c.at, c.y = "compare", x
		case c.at == "second":
			c.at, c.z = "decide", x
		case c.at == "relay", c.at == "decide" && c.z != c.id && c.y < max(c.x, c.z):
			c = candidate{at: "pass", id: c.id, x: x}
		case c.at == "reign":
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// changRoberts is the algorithm of Chang and Roberts with processes that crash for good.
func changRoberts(n, crashes int, fifo bool) counted {
	d := &distributed[candidate]{n: n, fifo: fifo, initial: ringOf(n, 1, "start"), crashes: crashes}
	d.crashed = func(c candidate) bool { return c.at == "crashed" }
	d.crash = func(c candidate) candidate { return candidate{at: "crashed", id: c.id} }
	d.own = func(s network[candidate], p int, do func(string, network[candidate])) {
		c := s.at[p]
		sends := func(x int, then string) {
			do("sends", d.send(s.goes(p, candidate{at: then, id: c.id}), p, (p+1)%n, fmt.Sprint(x)))
		}
		switch c.at {
		case "start":
			sends(c.id, "active")
		case "outdone":
			sends(c.x, "passive")
		case "passing":
			sends(c.x, "passive")
		case "leader":
			do("leader", s.goes(p, candidate{at: "reign", id: c.id}))
		}
	}
	d.take = func(s network[candidate], p, _ int, word string, do func(network[candidate])) {
		c := s.at[p]
		x := number(word)
		switch {
		case c.at == "active" && x > c.id:
			c.at, c.x = "outdone", x
		case c.at == "passive" && x > c.id:
			c.at, c.x = "passing", x
		case c.at == "active" && x == c.id:
			c.at = "leader"
		case (c.at == "active" || c.at == "passive") && x < c.id, c.at == "reign":
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// synchronousRing is that of Lynch, Sect. 3.6.1.
func synchronousRing(n, smallest int) counted {
	d := &distributed[candidate]{n: n, fifo: true, initial: ringOf(n, smallest, "silent"), delay: true, lo: 1, hi: 1}
	for i := range d.initial {
		for p := range n {
			c := &d.initial[i].at[p]
			c.slice, c.now = n*(c.id-1), n*smallest+1
		}
	}
	d.tick = func(c candidate) candidate {
		c.slice, c.now = max(c.slice-1, 0), max(c.now-1, 0)
		return c
	}
	d.ended = func(c candidate) bool { return c.at == "elected" || c.at == "follower" }
	d.own = func(s network[candidate], p int, do func(string, network[candidate])) {
		c := s.at[p]
		switch {
		case c.at == "silent" && c.slice == 0:
			c.at = "leader"
			do("leader", s.goes(p, c))
		case c.at == "leader", c.at == "told":
			c.at = map[string]string{"leader": "waits", "told": "follower"}[c.at]
			do("sends", d.send(s.goes(p, c), p, (p+1)%n, "Token"))
		}
	}
	d.take = func(s network[candidate], p, _ int, _ string, do func(network[candidate])) {
		c := s.at[p]
		if next, ok := map[string]string{"silent": "told", "waits": "elected"}[c.at]; ok {
			c.at = next
			do(s.goes(p, c))
		}
	}
	return d
}

// A draw is an identity with the number of its round and what a message carries with it.
type draw struct {
	id, round, hop int
	alone          bool
}

func (m draw) word() string { return fmt.Sprintf("%d,%d,%d,%t", m.id, m.round, m.hop, m.alone) }

// A drawer is a process of Itai and Rodeh's algorithm: its own identity and round, and a message that it holds.
type drawer struct {
	at        string
	own, held draw
}

// itaiRodeh is the algorithm in Sect. 3 of Fokkink and Pang with a last round.
func itaiRodeh(n, k, rounds int, fifo bool) counted {
	var first network[drawer]
	for p := range n {
		first.at[p] = drawer{at: "enter", own: draw{round: 1}}
	}
	d := &distributed[drawer]{n: n, fifo: fifo, initial: []network[drawer]{first}}
	d.own = func(s network[drawer], p int, do func(string, network[drawer])) {
		c := s.at[p]
		right := (p + 1) % n
		enter := func(round int) {
			for id := 1; id <= k; id++ {
				next := s.goes(p, drawer{at: "active", own: draw{id: id, round: round}})
				do("draws", d.send(next, p, right, draw{id, round, 1, true}.word()))
			}
		}
		switch c.at {
		case "enter":
			enter(c.own.round)
		case "clash":
			if c.own.round < rounds {
				enter(c.own.round + 1)
			} else {
				do("clash", s.goes(p, drawer{at: "passive"}))
			}
		case "equal":
			m := draw{c.own.id, c.own.round, c.held.hop + 1, false}
			do("sends", d.send(s.goes(p, drawer{at: "active", own: c.own}), p, right, m.word()))
		case "beaten", "passing":
			c.held.hop++
			do("sends", d.send(s.goes(p, drawer{at: "passive"}), p, right, c.held.word()))
		case "leader":
			do("leader", s.goes(p, drawer{at: "done"}))
		}
	}
	d.take = func(s network[drawer], p, _ int, word string, do func(network[drawer])) {
		c := s.at[p]
		var m draw
		fmt.Sscanf(word, "%d,%d,%d,%t", &m.id, &m.round, &m.hop, &m.alone)
		switch {
		case c.at == "active" && m.round == c.own.round && m.hop == n && m.alone:
			c = drawer{at: "leader"}
		case c.at == "active" && m.round == c.own.round && m.hop == n:
			c = drawer{at: "clash", own: draw{round: m.round}}
		case c.at == "active" && m.round == c.own.round && m.id == c.own.id:
			c = drawer{at: "equal", own: c.own, held: draw{hop: m.hop}}
		case c.at == "active" && (m.round > c.own.round || m.round == c.own.round && m.id > c.own.id):
			c = drawer{at: "beaten", held: m}
		case c.at == "active", c.at == "passive" && m.hop == n:
		case c.at == "passive":
			c = drawer{at: "passing", held: m}
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

package examples

import (
	"fmt"
	"strings"
)

// A privilege is what the sites of Suzuki and Kasami's algorithm hand on: the requests that were granted, by site, and
// a queue as a list.
type privilege struct {
	served     [most]int
	waiting    set
	head, tail int
	next       [most]int
}

// A site is a process of that algorithm.
type site struct {
	at     string
	q, x   int
	asked  [most]int // by site: the requests that it knows
	rounds int
	rest   set
	has    privilege
}

// unqueued is the privilege without a queue, which process p gets or has.
func unqueued(n, p int, served [most]int) privilege {
	c := privilege{served: served, head: p, tail: p}
	for q := range n {
		c.next[q] = q
	}
	return c
}

func (c privilege) word() string {
	return strings.ReplaceAll(fmt.Sprint("Privilege ", c.served, c.waiting, c.head, c.tail, c.next), " ", "_")
}

// suzukiKasami has sites 1 to n; process 0 gives the privilege to one of them.
func suzukiKasami(n, rounds int) counted {
	d := &distributed[site]{n: n + 1, initial: make([]network[site], 1)}
	sites := set(0)
	d.initial[0].at[0].at = "start"
	for p := 1; p <= n; p++ {
		d.initial[0].at[p] = site{at: "idle", rounds: rounds}
		sites = sites.with(p)
	}
	known := map[string]privilege{} // by word
	sends := func(s network[site], p, q int, c privilege) network[site] {
		known[c.word()] = c
		return d.send(s, p, q, c.word())
	}
	// hold returns the state in which a site has the privilege and nobody waits for it.
	hold := func(c site, served [most]int) site {
		return site{at: "holding", asked: c.asked, rounds: c.rounds, has: privilege{served: served}}
	}
	// leaves returns the state to which a site goes on when it has left, and whom it appends to the queue.
	leaves := func(p int, c site) (site, set) {
		c.has.served[p] = c.asked[p]
		c.rounds--
		due := set(0)
		for q := 1; q <= n; q++ {
			if q != p && !c.has.waiting.has(q) && c.asked[q] == c.has.served[q]+1 {
				due = due.with(q)
			}
		}
		return c, due
	}
	each := func(some set, do func(q int)) {
		for q := range n + 1 {
			if some.has(q) {
				do(q)
			}
		}
	}
	holds := func(s network[site], p int, c site, do func(string, network[site])) {
		if c.rounds > 0 {
			c.asked[p]++
			do("enters", s.goes(p, site{at: "critical", asked: c.asked, rounds: c.rounds,
				has: unqueued(n+1, p, c.has.served)}))
		}
	}
	appends := func(s network[site], p int, c site, due set, do func(string, network[site])) {
		if due == 0 && c.has.waiting != 0 {
			to := c.has.head
			c.has.waiting, c.has.head = c.has.waiting.without(to), c.has.next[to]
			c.has.next[to] = to
			do("passes", sends(s.goes(p, site{at: "idle", asked: c.asked, rounds: c.rounds}), p, to, c.has))
		}
		each(due, func(q int) {
			then := site{at: "appends", asked: c.asked, rounds: c.rounds, has: c.has, rest: due.without(q)}
			if c.has.waiting == 0 {
				then.has.head = q
			} else {
				then.has.next[c.has.tail] = q
			}
			then.has.tail, then.has.waiting = q, c.has.waiting.with(q)
			do(fmt.Sprint("appends ", q), s.goes(p, then))
		})
	}
	d.own = func(s network[site], p int, do func(string, network[site])) {
		c := s.at[p]
		asks := func(left set) {
			each(left, func(q int) {
				then := site{at: "asking", asked: c.asked, rounds: c.rounds, rest: left.without(q)}
				do(fmt.Sprint("asks ", q), d.send(s.goes(p, then), p, q, fmt.Sprintf("Request,%d", c.asked[p])))
			})
		}
		switch c.at {
		case "start":
			each(sites, func(q int) {
				do("starts", sends(s.goes(p, site{at: "stopped"}), p, q, unqueued(n+1, q, [most]int{})))
			})
		case "idle":
			if c.rounds > 0 {
				c.asked[p]++
				asks(sites.without(p))
			}
		case "asking":
			asks(c.rest)
		case "granted":
			c.at = "critical"
			do("enters", s.goes(p, c))
		case "critical":
			c.at = "left"
			do("leaves", s.goes(p, c))
		case "left":
			c, due := leaves(p, c)
			if appends(s, p, c, due, do); due == 0 && c.has.waiting == 0 {
				holds(s, p, c, do)
			}
		case "appends":
			appends(s, p, c, c.rest, do)
		case "holding":
			holds(s, p, c, do)
		case "grants":
			then := site{at: "idle", asked: c.asked, rounds: c.rounds}
			then.asked[c.q] = max(c.asked[c.q], c.x)
			do("grants", sends(s.goes(p, then), p, c.q, unqueued(n+1, c.q, c.has.served)))
		}
	}
	d.take = func(s network[site], p, q int, word string, do func(network[site])) {
		c := s.at[p]
		if c.at == "left" {
			gone, due := leaves(p, c)
			if due != 0 || gone.has.waiting != 0 {
				return
			}
			c = hold(gone, gone.has.served)
		}
		if c.at == "asking" && c.rest == 0 {
			c.at = "waiting"
		}
		x, request := 0, strings.HasPrefix(word, "Request")
		if request {
			x = number(strings.TrimPrefix(word, "Request,"))
		}
		latest := max(c.asked[q], x)
		switch {
		case request && c.at == "holding" && latest == c.has.served[q]+1:
			c.at, c.q, c.x = "grants", q, x
		case request && (c.at == "idle" || c.at == "waiting" || c.at == "critical" || c.at == "holding"):
			c.asked[q] = latest
		case !request && c.at == "idle":
			c = hold(c, known[word].served)
		case !request && c.at == "waiting":
			c.at, c.has = "granted", known[word]
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

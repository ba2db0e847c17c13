package examples

import "fmt"

// Protocols with faults and time, written from their sources.

// A server is the state of a process in the protocols of this file.
type server struct {
	at    string
	q     int
	timer int
	votes set
	led   set
	// The numbers of terms, ballots or data, and values.
	term, voted, b, last, v, own int
	bit                          bool
}

// alternatingBit has a sender, process 0, and a receiver, process 1; b is the bit that is sent or delivered.
func alternatingBit(data, losses, duplicates, patience int) counted {
	d := &distributed[server]{n: 2, fifo: true, initial: make([]network[server], 1), losses: losses,
		duplicates: duplicates, delay: true, lo: 1, hi: 2}
	d.initial[0].at[0] = server{at: "accept", bit: true}
	d.initial[0].at[1] = server{at: "receive", bit: true}
	d.tick = func(c server) server {
		c.timer = max(0, c.timer-1)
		return c
	}
	ack := func(bit bool) string { return fmt.Sprintf("Ack,%t,", bit) }
	d.own = func(s network[server], p int, do func(string, network[server])) {
		c := s.at[p]
		switch {
		case c.at == "accept":
			for x := 1; x <= data; x++ {
				do(fmt.Sprint("accept ", x), s.goes(p, server{at: "post", b: x, bit: c.bit, timer: c.timer}))
			}
		case c.at == "post", c.at == "wait" && c.timer == 0:
			c.at, c.timer = "wait", patience
			do("sends", d.send(s.goes(p, c), 0, 1, fmt.Sprintf("%d,%t,", c.b, c.bit)))
		case c.at == "deliver":
			c.at = "delivered"
			do(fmt.Sprint("deliver ", c.b), s.goes(p, c))
		case c.at == "delivered":
			do("sends", d.send(s.goes(p, server{at: "receive", bit: !c.bit}), 1, 0, ack(c.bit)))
		case c.at == "again":
			do("sends", d.send(s.goes(p, server{at: "receive", bit: c.bit}), 1, 0, ack(!c.bit)))
		}
	}
	d.take = func(s network[server], p, _ int, word string, do func(network[server])) {
		c := s.at[p]
		switch {
		case c.at == "wait" && word == ack(c.bit):
			c = server{at: "accept", bit: !c.bit, timer: c.timer}
		case c.at == "wait":
		case c.at == "receive":
			var x int
			var bit bool
			fmt.Sscanf(word, "%d,%t,", &x, &bit)
			c = server{at: "again", bit: c.bit}
			if bit == c.bit {
				c = server{at: "deliver", b: x, bit: bit}
			}
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// bully has answers that take at most 2 tau, and elections that end at most 3 tau after that.
func bully(n, tau, crashes int) counted {
	answer, period := 2*tau+1, 2
	verdict, silence := answer+tau+1, period+tau+1
	d := &distributed[server]{n: n, initial: make([]network[server], 1), crashes: crashes, delay: true, hi: tau}
	for p := range n {
		d.initial[0].at[p].at = "elect"
	}
	d.crash = func(server) server { return server{at: "crashed"} }
	d.crashed = func(c server) bool { return c.at == "crashed" }
	d.tick = func(c server) server {
		c.timer = max(0, c.timer-1)
		return c
	}
	elects := func(s network[server], p, q, timer int) network[server] {
		c := server{at: "electing", q: q + 1, timer: timer}
		if q == n-1 {
			c = server{at: "ask", timer: timer}
		}
		return d.send(s.goes(p, c), p, q, "Election")
	}
	announces := func(p, q, timer int) server {
		if q == p {
			return server{at: "rule", timer: timer}
		}
		return server{at: "announce", q: q, timer: timer}
	}
	d.own = func(s network[server], p int, do func(string, network[server])) {
		c := s.at[p]
		rings := c.timer == 0
		switch {
		case c.at == "elect" && p == n-1, c.at == "ask" && rings, c.at == "rule" && rings:
			do("rules", s.goes(p, announces(p, 0, period)))
		case c.at == "elect", (c.at == "expect" || c.at == "follow") && rings:
			do("sends", elects(s, p, p+1, answer))
		case c.at == "electing":
			do("sends", elects(s, p, c.q, c.timer))
		case c.at == "announce":
			do("sends", d.send(s.goes(p, announces(p, c.q+1, c.timer)), p, c.q, "Coordinator"))
		case c.at == "asked in ask", c.at == "asked in expect", c.at == "asked in rule", c.at == "asked in follow":
			then := server{at: c.at[len("asked in "):], timer: c.timer}
			if then.at == "follow" {
				then.at = "elect"
			}
			do("sends", d.send(s.goes(p, then), p, c.q, "Answer"))
		}
	}
	d.take = func(s network[server], p, q int, word string, do func(network[server])) {
		c := s.at[p]
		idle := c.at == "ask" || c.at == "expect" || c.at == "rule" || c.at == "follow"
		switch {
		case idle && word == "Election":
			c.at, c.q = "asked in "+c.at, q
		case c.at == "ask" && word == "Answer":
			c = server{at: "expect", timer: verdict}
		case idle && word == "Answer":
		case idle && word == "Coordinator" && c.at != "rule":
			c = server{at: "follow", v: q, timer: silence}
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// raft is Sect. 5.2 of the paper. A server that crashes keeps its term, its vote and the terms that it led.
func raft(n, terms, losses, crashes int) counted {
	d := &distributed[server]{n: n, initial: make([]network[server], 1), losses: losses, crashes: crashes}
	for p := range n {
		d.initial[0].at[p].at = "follower"
	}
	d.crash = func(c server) server { return server{at: "crashed", term: c.term, voted: c.voted, led: c.led} }
	d.crashed = func(c server) bool { return c.at == "crashed" }
	d.recovers = func(_ int, c server) server {
		return server{at: "follower", term: c.term, voted: c.voted,
			led: c.led}
	}
	// tells is where a process is that tells all others from q on, and is then what follows.
	tells := func(c server, p, q int, at, then string) server {
		c.votes = 0
		if c.at, c.q = at, others(n, p).after(q); c.q < 0 {
			c.at, c.q = then, 0
			if then == "candidate" {
				c.votes = c.votes.with(p)
			}
		}
		return c
	}
	d.own = func(s network[server], p int, do func(string, network[server])) {
		c := s.at[p]
		q := c.q
		switch {
		case c.at == "candidate" && 2*c.votes.size() > n:
			c.led = c.led.with(c.term)
			do("leader", s.goes(p, tells(c, p, 0, "wins", "leader")))
		case (c.at == "candidate" || c.at == "follower") && c.term < terms:
			c.term, c.voted = c.term+1, p+1
			do("timeout", s.goes(p, tells(c, p, 0, "stands", "candidate")))
		case c.at == "stands":
			do("sends", d.send(s.goes(p, tells(c, p, q+1, "stands", "candidate")), p, q,
				fmt.Sprint("RequestVote", c.term)))
		case c.at == "wins":
			do("sends", d.send(s.goes(p, tells(c, p, q+1, "wins", "leader")), p, q, fmt.Sprint("Heartbeat", c.term)))
		case c.at == "grants":
			do("sends", d.send(s.goes(p, server{at: "follower", term: c.b, voted: q + 1, led: c.led}), p, q,
				fmt.Sprint("Vote", c.b)))
		case c.at == "learns":
			do("sets", s.goes(p, server{at: "follower", term: c.b, led: c.led}))
		}
	}
	d.take = func(s network[server], p, q int, word string, do func(network[server])) {
		c := s.at[p]
		kind, t := word[:len(word)-1], int(word[len(word)-1]-'0')
		down := server{term: c.term, voted: c.voted, led: c.led}
		listens := c.at == "follower" || c.at == "leader" || c.at == "candidate" && 2*c.votes.size() <= n
		switch {
		case !listens:
			return
		case kind == "RequestVote" && (t > c.term || c.at == "follower" && t == c.term &&
			(c.voted == 0 || c.voted == q+1)):
			down.at, down.q, down.b = "grants", q, t
		case kind == "Heartbeat" && t > c.term:
			down.at, down.b = "learns", t
		case kind == "Heartbeat" && t == c.term && c.at == "candidate":
			down.at = "follower"
		case kind == "Vote" && t == c.term && c.at == "candidate":
			c.votes = c.votes.with(q)
			down = c
		default:
			return
		}
		do(s.goes(p, down))
	}
	return d
}

// paxos is Sect. 2.2 of the paper. In an acceptor, b is the promised number, and last and v are the accepted proposal;
// in a proposer, b is its number, and last and v are the highest proposal that it has heard of.
func paxos(proposers, acceptors, ballots int) counted {
	n := proposers + acceptors
	d := &distributed[server]{n: n, initial: make([]network[server], 1)}
	for p := range n {
		d.initial[0].at[p].at = "acceptor"
		if p < proposers {
			d.initial[0].at[p] = server{at: "prepares", q: proposers, b: p + 1, own: p + 1}
		}
	}
	majority := func(yes set) bool { return 2*yes.size() > acceptors }
	d.own = func(s network[server], p int, do func(string, network[server])) {
		c := s.at[p]
		q := c.q
		sends := func(word string, then server) { do("sends", d.send(s.goes(p, then), p, q, word)) }
		accepts := func(c server, q int) {
			then := server{at: "accepts", q: q + 1, b: c.b, own: c.own, v: c.v}
			if q == n-1 {
				then.at, then.q = "proposed", 0
			}
			do("sends", d.send(s.goes(p, then), p, q, fmt.Sprintf("Accept,%d,%d", c.b, c.v)))
		}
		switch {
		case c.at == "prepares":
			then := server{at: "prepares", q: q + 1, b: c.b, own: c.own}
			if q == n-1 {
				then = server{at: "prepared", b: c.b, own: c.own, v: c.own}
			}
			sends(fmt.Sprintf("Prepare,%d", c.b), then)
		case c.at == "prepared" && majority(c.votes):
			accepts(c, proposers)
		case c.at == "accepts":
			accepts(c, q)
		case c.at == "proposed" && majority(c.votes):
			do("decided", s.goes(p, server{at: "decided", b: c.b, v: c.v}))
		case (c.at == "prepared" || c.at == "proposed") && c.b+proposers <= ballots:
			do("timeout", s.goes(p, server{at: "prepares", q: proposers, b: c.b + proposers, own: c.own}))
		case c.at == "promises":
			sends(fmt.Sprintf("Promise,%d,%d,%d", c.b, c.last, c.v), server{at: "acceptor", b: c.b, last: c.last,
				v: c.v})
		case c.at == "agrees":
			sends(fmt.Sprintf("Accepted,%d", c.b), server{at: "acceptor", b: c.b, last: c.b, v: c.v})
		}
	}
	d.take = func(s network[server], p, q int, word string, do func(network[server])) {
		c := s.at[p]
		var b, last, v int
		read := func(format string, into ...any) bool {
			got, err := fmt.Sscanf(word, format, into...)
			return got == len(into) && err == nil
		}
		waits := !majority(c.votes)
		switch {
		case c.at == "acceptor" && read("Prepare,%d", &b) && b > c.b:
			c = server{at: "promises", q: q, b: b, last: c.last, v: c.v}
		case c.at == "acceptor" && read("Accept,%d,%d", &b, &v) && b >= c.b:
			c = server{at: "agrees", q: q, b: b, v: v}
		case c.at == "prepared" && waits && read("Promise,%d,%d,%d", &b, &last, &v) && b == c.b:
			c.votes = c.votes.with(q)
			if last > c.last {
				c.last, c.v = last, v
			}
		case c.at == "proposed" && waits && read("Accepted,%d", &b) && b == c.b:
			c.votes = c.votes.with(q)
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

package examples

import (
	"fmt"
	"strconv"
	"strings"
)

// A replica is a server of Raft with its log.
type replica struct {
	at                    string
	term, voted           int
	log, committed, since entries
	q, t, e, i, commit    int
	votes, busy           set
	next, match           [3]int
}

// entries are the terms of the entries of a log; 0 is no entry.
type entries [3]int

func (l entries) size() (n int) {
	for _, e := range l {
		if e > 0 {
			n++
		}
	}
	return n
}

// term returns the term of entry i, from 1; 0 for entry 0.
func (l entries) term(i int) int {
	if i == 0 {
		return 0
	}
	return l[i-1]
}

// raftLog is Sect. 5.2 to 5.4 of the paper, for up to three servers.
func raftLog(n, terms, length, crashes int, earlier bool) counted {
	d := &distributed[replica]{n: n, initial: make([]network[replica], 1), crashes: crashes}
	for p := range n {
		d.initial[0].at[p].at = "follower"
	}
	disk := func(c replica, at string) replica {
		return replica{at: at, term: c.term, voted: c.voted, log: c.log, committed: c.committed, since: c.since}
	}
	d.crash = func(c replica) replica { return disk(c, "crashed") }
	d.crashed = func(c replica) bool { return c.at == "crashed" }
	d.recovers = func(_ int, c replica) replica { return disk(c, "follower") }
	majority := func(k int) bool { return 2*k > n }
	leads := func(s network[replica], p int, do func(string, network[replica])) {
		c := s.at[p]
		size := c.log.size()
		if size < length {
			appended := c
			appended.log[size] = c.term
			do("append", s.goes(p, appended))
		}
		for q := range n {
			if q == p || c.busy.has(q) || c.next[q] > size {
				continue
			}
			sent := c
			sent.busy = c.busy.with(q)
			i := c.next[q]
			word := fmt.Sprintf("Append,%d,%d,%d,%d", c.term, i, c.log.term(i-1), c.log[i-1])
			do("sends", d.send(s.goes(p, sent), p, q, word))
		}
		for i := c.commit + 1; i <= size; i++ {
			k := 1
			for q := range n {
				if q != p && c.match[q] >= i {
					k++
				}
			}
			if !majority(k) || !earlier && c.log[i-1] != c.term {
				continue
			}
			commits := c
			commits.commit = i
			for j := range i {
				commits.committed[j] = c.log[j]
				if c.since[j] == 0 {
					commits.since[j] = c.term
				}
			}
			do(fmt.Sprint("commits", i), s.goes(p, commits))
		}
	}
	stands := func(s network[replica], p, q int) network[replica] {
		c := disk(s.at[p], "stands")
		if c.q = others(n, p).after(q); c.q < 0 {
			c.at, c.q, c.votes = "candidate", 0, set(0).with(p)
		}
		return s.goes(p, c)
	}
	d.own = func(s network[replica], p int, do func(string, network[replica])) {
		c := s.at[p]
		then := disk(c, "follower")
		wins := c.at == "candidate" && majority(c.votes.size())
		switch {
		case wins:
			then.at = "leader"
			for q := range n {
				then.next[q] = c.log.size() + 1
			}
			do("leader", s.goes(p, then))
		case c.at == "leader":
			leads(s, p, do)
		case (c.at == "candidate" || c.at == "follower") && c.term < terms:
			c.term, c.voted = c.term+1, p+1
			do("timeout", stands(s.goes(p, c), p, 0))
		case c.at == "stands":
			request := fmt.Sprintf("RequestVote,%d,%d,%d", c.term, c.log.term(c.log.size()), c.log.size())
			do("sends", d.send(stands(s, p, c.q+1), p, c.q, request))
		case c.at == "grants":
			then.term, then.voted = c.t, c.q+1
			do("sends", d.send(s.goes(p, then), p, c.q, fmt.Sprintf("Vote,%d", c.t)))
		case c.at == "stores" || c.at == "refuses":
			if then.term = c.t; c.t > c.term {
				then.voted = 0
			}
			word := "Refused"
			if c.at == "stores" {
				word = "Stored"
				if c.log[c.i-1] != c.e {
					then.log = entries{}
					copy(then.log[:], c.log[:c.i-1])
					then.log[c.i-1] = c.e
				}
			}
			do("sends", d.send(s.goes(p, then), p, c.q, fmt.Sprintf("%s,%d,%d", word, c.t, c.i)))
		}
	}
	d.take = func(s network[replica], p, q int, word string, do func(network[replica])) {
		c := s.at[p]
		wins := c.at == "candidate" && majority(c.votes.size())
		if wins || c.at != "follower" && c.at != "candidate" && c.at != "leader" {
			return
		}
		kind, arg := parts(word)
		then := disk(c, "follower")
		then.q, then.t = q, arg[0]
		last := c.log.term(c.log.size())
		switch {
		case kind == "RequestVote" && (arg[1] > last || arg[1] == last && arg[2] >= c.log.size()):
			if arg[0] < c.term || arg[0] == c.term && c.voted != 0 && c.voted != q+1 {
				return
			}
			then.at = "grants"
		case kind == "RequestVote" && arg[0] > c.term:
			then.term, then.voted, then.q, then.t = arg[0], 0, 0, 0
		case kind == "Append" && arg[0] >= c.term && c.log.term(arg[1]-1) == arg[2]:
			then.at, then.i, then.e = "stores", arg[1], arg[3]
		case kind == "Append" && arg[0] >= c.term:
			then.at, then.i = "refuses", arg[1]
		case kind == "Vote" && c.at == "candidate" && arg[0] == c.term:
			then = c
			then.votes = c.votes.with(q)
		case kind == "Stored" && c.at == "leader" && arg[0] == c.term:
			then = c
			then.next[q], then.match[q], then.busy = arg[1]+1, arg[1], c.busy.without(q)
		case kind == "Refused" && c.at == "leader" && arg[0] == c.term:
			then = c
			then.next[q], then.busy = arg[1]-1, c.busy.without(q)
		default:
			return
		}
		do(s.goes(p, then))
	}
	return d
}

// parts returns the kind of a message and its arguments.
func parts(word string) (kind string, args []int) {
	fields := strings.Split(word, ",")
	for _, f := range fields[1:] {
		n, _ := strconv.Atoi(f)
		args = append(args, n)
	}
	return fields[0], args
}

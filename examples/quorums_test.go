package examples

import "fmt"

// A copyist is a process of the register on several servers.
type copyist struct {
	at   string
	i    int // the number of the operation
	t, u int // times; of a reader that is idle the last one that it has returned
	q    int
	set  set // those that are left to be written to, or those that have answered
}

// abd has one writer, process 0, readers and servers.
func abd(readers, servers, writes, reads int, back bool) counted {
	n := 1 + readers + servers
	d := &distributed[copyist]{n: n, initial: make([]network[copyist], 1)}
	all := set(0)
	for p := range n {
		switch {
		case p == 0:
			d.initial[0].at[p] = copyist{at: "next", i: 1}
		case p <= readers:
			d.initial[0].at[p] = copyist{at: "idle", i: reads}
		default:
			d.initial[0].at[p] = copyist{at: "serving"}
			all = all.with(p)
		}
	}
	majority := func(c copyist) bool { return 2*c.set.size() > servers }
	d.own = func(s network[copyist], p int, do func(string, network[copyist])) {
		c := s.at[p]
		// sends writes a word to any of some processes, and then to the rest of them.
		sends := func(left set, word, sending, done string) {
			for q := range n {
				if !left.has(q) {
					continue
				}
				then := copyist{at: sending, i: c.i, t: c.t, set: left.without(q)}
				if then.set == 0 {
					then.at = done
				}
				do(fmt.Sprint("sends to ", q), d.send(s.goes(p, then), p, q, word))
			}
		}
		store := fmt.Sprintf("Store,%d,%d", c.i, c.t)
		switch {
		case c.at == "next" && c.i <= writes:
			c.t = 0
			sends(all, fmt.Sprintf("Store,%d,%d", c.i, c.i), "writing", "written")
		case c.at == "writing":
			sends(c.set, fmt.Sprintf("Store,%d,%d", c.i, c.i), "writing", "written")
		case c.at == "written" && majority(c):
			do("written", s.goes(p, copyist{at: "next", i: c.i + 1}))
		case c.at == "idle" && c.i > 0:
			c.t = 0
			sends(all, fmt.Sprintf("Ask,%d", c.i), "asking", "finding")
		case c.at == "asking":
			sends(c.set, fmt.Sprintf("Ask,%d", c.i), "asking", "finding")
		case c.at == "finding" && majority(c) && back:
			sends(all, store, "saving", "saved")
		case c.at == "saving":
			sends(c.set, store, "saving", "saved")
		case (c.at == "finding" || c.at == "saved") && majority(c):
			do("returned", s.goes(p, copyist{at: "idle", i: c.i - 1, t: c.t}))
		case c.at == "answers":
			do("sends", d.send(s.goes(p, copyist{at: "serving", t: c.t}), p, c.q, fmt.Sprintf("Value,%d,%d", c.i, c.t)))
		case c.at == "confirms":
			then := copyist{at: "serving", t: max(c.t, c.u)}
			do("sends", d.send(s.goes(p, then), p, c.q, fmt.Sprintf("Stored,%d", c.i)))
		}
	}
	d.take = func(s network[copyist], p, q int, word string, do func(network[copyist])) {
		c := s.at[p]
		var i, t int
		read := func(format string, into ...any) bool {
			got, err := fmt.Sscanf(word, format, into...)
			return got == len(into) && err == nil
		}
		switch {
		case c.at == "serving" && read("Ask,%d", &i):
			c.at, c.i, c.q = "answers", i, q
		case c.at == "serving" && read("Store,%d,%d", &i, &t):
			c.at, c.i, c.u, c.q = "confirms", i, t, q
		case (c.at == "written" || c.at == "saved") && !majority(c) && read("Stored,%d", &i) && i == c.i:
			c.set = c.set.with(q)
		case c.at == "finding" && !majority(c) && read("Value,%d,%d", &i, &t) && i == c.i:
			c.set, c.t = c.set.with(q), max(c.t, t)
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

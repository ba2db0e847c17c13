package examples

import "fmt"

// An elector is a process of Franklin's algorithm with draws. Its side is where it sends or listens next, 0 or 1.
type elector struct {
	at               string
	id, first, other int
	hop, side        int
	bit              bool
}

// franklinUnoriented is Sect. 2 of Bakhshi et al., with the two messages of a round sent in either order, for a ring of
// more than two processes.
func franklinUnoriented(n, k int) counted {
	var first network[elector]
	for p := range n {
		first.at[p] = elector{at: "round", bit: true}
	}
	d := &distributed[elector]{n: n, initial: []network[elector]{first}}
	neighbour := func(p, side int) int { return (p + n - 1 + 2*side) % n }
	send := func(s network[elector], p, side int, then elector, id, hop int, bit bool) network[elector] {
		return d.send(s.goes(p, then), p, neighbour(p, side), fmt.Sprintf("%d,%d,%t", id, hop, bit))
	}
	leads := func(c elector) bool { return (c.at == "one" || c.at == "both") && c.hop == n }
	beaten := func(c elector) bool {
		return c.at == "passive" || c.at == "both" && c.hop < n && (c.first > c.id || c.other > c.id)
	}
	d.own = func(s network[elector], p int, do func(string, network[elector])) {
		c := s.at[p]
		switch {
		case leads(c):
			do("leader", s.goes(p, elector{at: "done"}))
		case c.at == "round", c.at == "both" && !beaten(c):
			bit := c.bit == (c.at == "round") // the next round has the other bit
			for id := 1; id <= k; id++ {
				for side := range 2 {
					do("draws", send(s, p, side, elector{at: "half", id: id, side: 1 - side, bit: bit}, id, 1, bit))
				}
			}
		case c.at == "half":
			do("sends", send(s, p, c.side, elector{at: "none", id: c.id, bit: c.bit}, c.id, 1, c.bit))
		case c.at == "passing":
			do("sends", send(s, p, c.side, elector{at: "passive"}, c.id, c.hop+1, c.bit))
		}
	}
	d.take = func(s network[elector], p, q int, word string, do func(network[elector])) {
		c := s.at[p]
		var m elector
		fmt.Sscanf(word, "%d,%d,%t", &m.id, &m.hop, &m.bit)
		side := 0
		if q == neighbour(p, 1) {
			side = 1
		}
		switch {
		case beaten(c):
			m.at, m.side = "passing", 1-side
			do(s.goes(p, m))
		case c.at == "none" && m.bit == c.bit:
			c.at, c.first, c.hop, c.side = "one", m.id, m.hop, 1-side
			do(s.goes(p, c))
		case c.at == "one" && c.hop < n && m.bit == c.bit && side == c.side:
			c.at, c.other, c.hop, c.side = "both", m.id, m.hop, 0
			do(s.goes(p, c))
		}
	}
	return d
}

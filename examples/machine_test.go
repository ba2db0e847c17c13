package examples

import (
	"fmt"
	"slices"
	"strings"
)

// A machine is a protocol written by hand from its source, without the specs or the language: initial states, and the
// successors of a state with labels. Transitions with the same label and target are one.
type machine[S comparable] struct {
	initial []S
	next    func(s S, to func(label string, target S))
}

// A count has the numbers of states, transitions and terminal states.
type count struct{ states, transitions, terminal int }

func (c count) String() string {
	return fmt.Sprintf("%d states, %d transitions, %d terminal", c.states, c.transitions, c.terminal)
}

// counted is a machine with states of any type.
type counted interface{ count() count }

// count explores naively.
func (m machine[S]) count() count {
	type edge struct {
		label  string
		target S
	}
	known := map[S]bool{}
	todo := slices.Clone(m.initial)
	var c count
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if known[s] {
			continue
		}
		known[s] = true
		edges := map[edge]bool{}
		m.next(s, func(label string, target S) {
			if e := (edge{label, target}); !edges[e] {
				edges[e] = true
				if !known[target] {
					todo = append(todo, target)
				}
			}
		})
		c.transitions += len(edges)
		if len(edges) == 0 {
			c.terminal++
		}
	}
	c.states = len(known)
	return c
}

// most is the greatest number of processes in a network.
const most = 5

// A network is a state of processes and channels. P is the state of a process, its control point included.
type network[P comparable] struct {
	at     [most]P
	in     [most][most]string // in[p][q]: the messages to p from q, as words, in their order or sorted
	faults struct{ losses, duplicates, crashes int }
}

// A distributed protocol says what its processes do. Zero fields are features that it does not have.
type distributed[P comparable] struct {
	n       int
	fifo    bool
	initial []network[P]
	own     func(s network[P], p int, do func(label string, next network[P])) // what process p can do alone
	// s is without the word, which p takes from q
	take func(s network[P], p, q int, word string, do func(network[P]))

	losses, duplicates, crashes int
	mortal                      func(p int) bool    // nil: all
	crash                       func(at P) P        // what is left of a process that crashes
	recovers                    func(p int, at P) P // how it begins again
	crashed                     func(at P) bool

	// Time: a word ends with its age, a digit, if messages take time.
	delay  bool
	lo, hi int
	tick   func(at P) P
	ended  func(at P) bool // besides crashed
}

// send puts a word from p to q into a channel.
func (d *distributed[P]) send(s network[P], p, q int, word string) network[P] {
	if d.delay {
		word += "0"
	}
	words := append(strings.Fields(s.in[q][p]), word)
	s.in[q][p] = d.channel(words)
	return s
}

func (d *distributed[P]) channel(words []string) string {
	if !d.fifo {
		slices.Sort(words)
	}
	return strings.Join(words, " ")
}

// goes changes the state of a process.
func (s network[P]) goes(p int, at P) network[P] {
	s.at[p] = at
	return s
}

func age(word string) int { return int(word[len(word)-1] - '0') }

func (d *distributed[P]) machine() machine[network[P]] { return machine[network[P]]{d.initial, d.next} }

func (d *distributed[P]) count() count { return d.machine().count() }

func (d *distributed[P]) next(s network[P], to func(string, network[P])) {
	d.receptions(s, func(p, q int, word string, next network[P]) {
		to(fmt.Sprint(p, " takes ", word, " from ", q),
			next)
	})
	for p := range d.n {
		if !d.pressed(s, p) {
			d.own(s, p, func(label string, next network[P]) { to(fmt.Sprint(p, " ", label), next) })
		}
	}
	d.fails(s, to)
	if d.tick != nil {
		d.ticks(s, to)
	}
}

// receptions finds the receipts.
func (d *distributed[P]) receptions(s network[P], do func(p, q int, word string, next network[P])) {
	for p := range d.n {
		for q := range d.n {
			words := strings.Fields(s.in[p][q])
			for i, word := range words {
				if d.fifo && i > 0 || d.delay && age(word) < d.lo {
					continue
				}
				rest := s
				rest.in[p][q] = d.channel(slices.Delete(slices.Clone(words), i, i+1))
				if d.delay {
					word = word[:len(word)-1]
				}
				d.take(rest, p, q, word, func(next network[P]) { do(p, q, words[i], next) })
			}
		}
	}
}

// pressed reports whether process p can receive a message whose time is up, which it does before anything else.
func (d *distributed[P]) pressed(s network[P], p int) bool {
	found := false
	if d.delay {
		d.receptions(s, func(q, _ int, word string, _ network[P]) { found = found || q == p && age(word) == d.hi })
	}
	return found
}

// fails finds losses, duplicates, crashes and recoveries.
func (d *distributed[P]) fails(s network[P], to func(string, network[P])) {
	for p := range d.n {
		for q := range d.n {
			words := strings.Fields(s.in[p][q])
			for i, word := range words {
				label := fmt.Sprint(" ", word, " from ", q, " to ", p)
				if s.faults.losses < d.losses {
					next := s
					next.faults.losses++
					next.in[p][q] = d.channel(slices.Delete(slices.Clone(words), i, i+1))
					to("lose"+label, next)
				}
				if s.faults.duplicates < d.duplicates {
					next := s
					next.faults.duplicates++
					next.in[p][q] = d.channel(slices.Insert(slices.Clone(words), i, word))
					to("duplicate"+label, next)
				}
			}
		}
		if d.crashes == 0 {
			continue
		}
		switch down := d.crashed(s.at[p]); {
		case down && d.recovers != nil:
			to(fmt.Sprint(p, " is back"), s.goes(p, d.recovers(p, s.at[p])))
		case !down && s.faults.crashes < d.crashes && (d.mortal == nil || d.mortal(p)):
			next := s.goes(p, d.crash(s.at[p]))
			next.faults.crashes++
			to(fmt.Sprint(p, " crashes"), next)
		}
	}
}

// ticks finds the tick, which is possible if no process can act by itself and no message is due.
func (d *distributed[P]) ticks(s network[P], to func(string, network[P])) {
	possible := true
	later := s
	for p := range d.n {
		gone := d.crashed != nil && d.crashed(s.at[p]) || d.ended != nil && d.ended(s.at[p])
		d.own(s, p, func(string, network[P]) { possible = false })
		later.at[p] = d.tick(s.at[p])
		for q := range d.n {
			var words []string
			for _, word := range strings.Fields(s.in[p][q]) {
				if age(word) < d.hi {
					words = append(words, fmt.Sprint(word[:len(word)-1], age(word)+1))
				} else if !gone {
					possible = false
				}
			}
			later.in[p][q] = d.channel(words)
		}
	}
	if possible && later != s {
		to("tick", later)
	}
}

// A set is a set of small numbers.
type set uint16

func (s set) with(x int) set    { return s | 1<<x }
func (s set) without(x int) set { return s &^ (1 << x) }
func (s set) has(x int) bool    { return s&(1<<x) != 0 }
func (s set) size() (n int) {
	for x := range 16 {
		if s.has(x) {
			n++
		}
	}
	return n
}

// after returns the least element that is at least x, or -1.
func (s set) after(x int) int {
	for ; x < 16; x++ {
		if s.has(x) {
			return x
		}
	}
	return -1
}

// others returns the set of all processes but p.
func others(n, p int) set { return (1<<n - 1) & ^set(1<<p) }

// permutations returns the permutations of lo..lo+n-1.
func permutations(lo, n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, rest := range permutations(lo, n-1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(rest), i, lo+n-1))
		}
	}
	return all
}

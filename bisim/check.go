package bisim

import "ringcheck/lts"

// Holds reports whether a formula holds in the initial state of l. It takes time in proportion to the sizes
// of l and the formula, parts that are shared counted once, and one bit for each state and operator.
func Holds(l *lts.LTS, f *Formula) bool { return newChecker(l).eval(f).has(l.Initial()) }

// A bitset is a set of states.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(s uint32) bool { return b[s/64]>>(s%64)&1 != 0 }
func (b bitset) add(s uint32)      { b[s/64] |= 1 << (s % 64) }
func (b bitset) remove(s uint32)   { b[s/64] &^= 1 << (s % 64) }

// A checker computes where formulas hold in one system: it is a model checker, by the definitions of the
// operators, and knows nothing of bisimilarity.
type checker struct {
	l       *lts.LTS
	reverse *lts.Reverse
	label   map[string]lts.Label
	known   map[*Formula]bitset
}

func newChecker(l *lts.LTS) *checker {
	c := &checker{l: l, reverse: l.Reverse(), label: map[string]lts.Label{}, known: map[*Formula]bitset{}}
	for a := range l.Labels() {
		c.label[l.Label(lts.Label(a))] = lts.Label(a)
	}
	return c
}

// eval returns the states in which f holds; the caller must not change the set.
func (c *checker) eval(f *Formula) bitset {
	if set, ok := c.known[f]; ok {
		return set
	}
	args := make([]bitset, len(f.Args))
	for i, g := range f.Args {
		args[i] = c.eval(g)
	}
	set := c.apply(f, args)
	c.known[f] = set
	return set
}

// once is eval for a formula that will not be asked for again; its parts are remembered.
func (c *checker) once(f *Formula) bitset {
	set := c.eval(f)
	delete(c.known, f)
	return set
}

func (c *checker) apply(f *Formula, args []bitset) bitset {
	set := newBitset(c.l.States())
	switch f.Op {
	case True, And:
		for i := range set {
			set[i] = ^uint64(0)
			for _, a := range args {
				set[i] &= a[i]
			}
		}
	case Not:
		for i := range set {
			set[i] = ^args[0][i]
		}
	case Next:
		c.before(f.Label, args[0], func(s uint32) { set.add(s) })
	case Until:
		c.until(set, f.Label, args[0], args[1])
	case Diverge:
		c.diverge(set, args[0])
	}
	return set
}

// before visits the sources of transitions with a label into a set, perhaps more than once.
func (c *checker) before(label string, to bitset, visit func(s uint32)) {
	a, ok := c.label[label]
	if !ok {
		return
	}
	for t := range uint32(c.l.States()) {
		if !to.has(t) {
			continue
		}
		for _, e := range c.reverse.In(t) {
			if e.Label == a {
				visit(e.From)
			}
		}
	}
}

// until adds to set the states from which τ's within through lead to a step with a label into to.
func (c *checker) until(set bitset, label string, through, to bitset) {
	var todo []uint32
	find := func(s uint32) {
		if through.has(s) && !set.has(s) {
			set.add(s)
			todo = append(todo, s)
		}
	}
	c.before(label, to, find)
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range c.reverse.In(t) {
			if e.Label == lts.Tau {
				find(e.From)
			}
		}
	}
	if label == lts.TauName {
		for i := range set {
			set[i] |= to[i]
		}
	}
}

// diverge adds to set the states that can do τ for ever within through: what is left when those without a τ
// to what is left are taken away.
func (c *checker) diverge(set, through bitset) {
	ways := make([]uint32, c.l.States())
	var dead []uint32
	for s := range uint32(c.l.States()) {
		if !through.has(s) {
			continue
		}
		set.add(s)
		for _, e := range c.l.Out(s) {
			if e.Label == lts.Tau && through.has(e.To) {
				ways[s]++
			}
		}
		if ways[s] == 0 {
			dead = append(dead, s)
		}
	}
	for len(dead) > 0 {
		t := dead[len(dead)-1]
		dead = dead[:len(dead)-1]
		set.remove(t)
		for _, e := range c.reverse.In(t) {
			if e.Label != lts.Tau || !set.has(e.From) {
				continue
			}
			if ways[e.From]--; ways[e.From] == 0 {
				dead = append(dead, e.From)
			}
		}
	}
}

package prove

import (
	"slices"

	"ringcheck/prove/sat"
)

// A ring is the states of a ring of some size as clauses over variables, one for each atom.
type ring struct {
	*translation
	n      int
	solver *sat.Solver
	first  []sat.Lit // by relation: the variable of its first atom; then the first that is not of an atom
}

// newRing returns a ring of n processes: each process is at one control, its variables hold at most one node, and
// identities are in an order. Whatever holds in a ring holds in the smaller one that is left when processes are taken
// out of it. That is why a variable may hold no node: the one that it held may have been taken out.
func newRing(x *translation, n int) *ring {
	r := &ring{translation: x, n: n, solver: &sat.Solver{}}
	r.number()
	r.structure(r.solver.Add)
	return r
}

// number numbers the atoms, and returns the first variable that is not one.
func (r *ring) number() sat.Lit {
	next := sat.Lit(1)
	for relation := range r.orderRelation() + 1 {
		r.first = append(r.first, next)
		size := sat.Lit(1)
		for range r.arity(relation) {
			size *= sat.Lit(r.n)
		}
		next += size
	}
	r.first = append(r.first, next)
	return next
}

// structure calls add with the clauses that hold in all states.
func (r *ring) structure(add func(...sat.Lit)) {
	for p := range r.n {
		var at []sat.Lit
		for c := range r.controls {
			at = append(at, r.lit(newAtom(c, p)))
		}
		add(at...)
		atMostOne(at, add)
		for h := range r.holders {
			var holds []sat.Lit
			for o := range r.n {
				holds = append(holds, r.lit(newAtom(r.holderRelation(h), p, o)))
				add(-holds[o], at[r.holders[h].control])
			}
			atMostOne(holds, add)
		}
	}
	for a := range r.n {
		for b := range r.n {
			for c := range r.n {
				if a != b && b != c && a != c {
					add(-r.less(a, b), -r.less(b, c), r.less(a, c))
				}
			}
		}
	}
}

func atMostOne(list []sat.Lit, add func(...sat.Lit)) {
	for i := range list {
		for j := range i {
			add(-list[i], -list[j])
		}
	}
}

// lit returns the variable of an atom.
func (r *ring) lit(a atom) sat.Lit {
	if a.relation == r.orderRelation() {
		return r.less(int(a.nodes[0]), int(a.nodes[1]))
	}
	l := sat.Lit(0)
	for _, n := range a.nodes {
		if n >= 0 {
			l = l*sat.Lit(r.n) + sat.Lit(n)
		}
	}
	return r.first[a.relation] + l
}

// less says that the identity of a node is less than that of another one.
func (r *ring) less(a, b int) sat.Lit {
	if a > b {
		return -r.less(b, a)
	}
	return r.first[r.orderRelation()] + sat.Lit(a*r.n+b)
}

// occurrences calls yield with the atoms of each occurrence that a pattern can have.
func (r *ring) occurrences(p pattern, yield func([]sat.Lit)) {
	if p.width > r.n {
		return
	}
	tuples(r.n, p.width, func(nodes []int) {
		var lits []sat.Lit
		for _, a := range p.atoms {
			lits = append(lits, r.lit(a.at(nodes)))
		}
		yield(lits)
	})
}

// claim calls add with what follows if a pattern never occurs.
func (r *ring) claim(p pattern, add func(...sat.Lit)) {
	r.occurrences(p, func(lits []sat.Lit) {
		var clause []sat.Lit
		for _, l := range lits {
			clause = append(clause, -l)
		}
		add(clause...)
	})
}

// A step is a rule in a ring, taken by process 0, with nodes for its symbols.
type step struct {
	*rule
	nodes  []int     // by symbol
	before []sat.Lit // what holds before
	after  map[atom]bool
	made   []atom // what it makes true
}

// steps calls yield with the steps of a rule.
func (r *ring) steps(rl *rule, yield func(*step)) {
	nodes := make([]int, len(rl.Symbols)+1)
	var choose func(i int)
	choose = func(i int) {
		if i < len(nodes) {
			for nodes[i] = 0; nodes[i] < r.n; nodes[i]++ {
				choose(i + 1)
			}
			return
		}
		if s := r.step(rl, slices.Clone(nodes)); s != nil {
			yield(s)
		}
	}
	choose(1)
}

// step returns a step, nil if its conditions are false.
func (r *ring) step(rl *rule, nodes []int) *step {
	s := &step{rule: rl, nodes: nodes, after: make(map[atom]bool)}
	for _, c := range rl.Conds {
		a, b := nodes[c.A], nodes[c.B]
		switch {
		case !c.Less || a == b:
			if (!c.Less && a == b) == c.Not {
				return nil
			}
		case c.Not:
			s.before = append(s.before, r.less(b, a))
		default:
			s.before = append(s.before, r.less(a, b))
		}
	}
	s.before = append(s.before, r.lit(newAtom(rl.From, 0)))
	for i, h := range rl.Symbols {
		if h >= 0 {
			s.before = append(s.before, r.lit(newAtom(r.holderRelation(h), 0, nodes[i+1])))
		}
	}
	if rl.Received >= 0 {
		s.before = append(s.before, r.lit(r.message(rl.Received, 0, nodes, rl.Origins)))
	}
	hold := func(h, at int) {
		for o := range r.n {
			s.after[newAtom(r.holderRelation(h), 0, o)] = o == at
		}
	}
	if rl.To != rl.From {
		s.after[newAtom(rl.From, 0)] = false
		s.after[newAtom(rl.To, 0)] = true
		for _, h := range r.controls[rl.From].holders {
			if h >= 0 {
				hold(h, -1)
			}
		}
	}
	for _, set := range rl.Sets {
		hold(set[0], nodes[set[1]])
	}
	if rl.Sent >= 0 {
		to := 1
		if !r.transits[rl.Sent].right {
			to = r.n - 1
		}
		s.after[r.message(rl.Sent, to, nodes, rl.Targets)] = true
	}
	for a, is := range s.after {
		if is {
			s.made = append(s.made, a)
		}
	}
	slices.SortFunc(s.made, atom.compare)
	return s
}

// message returns the atom of a message in transit to a node, whose fields hold the nodes of symbols.
func (r *ring) message(transit, to int, nodes, symbols []int) atom {
	list := []int{to}
	for _, s := range symbols {
		list = append(list, nodes[s])
	}
	return newAtom(r.transitRelation(transit), list...)
}

// breaks calls yield with each step behind which a pattern occurs that need not have occurred before, the nodes at
// which it does, and with what holds before the step, until yield returns false.
func (r *ring) breaks(p pattern, yield func(s *step, at []int, before []sat.Lit) bool) {
	more := true
	for i := range r.rules {
		if !r.touches(&r.rules[i], p) {
			continue
		}
		r.steps(&r.rules[i], func(s *step) {
			if p.width <= r.n && more {
				tuples(r.n, p.width, func(nodes []int) {
					if before, ok := r.before(s, p, nodes); more && ok {
						more = yield(s, nodes, before)
					}
				})
			}
		})
	}
}

// inOrder reports whether nodes are different and stand in this order around a ring of n.
func inOrder(nodes []int, n int) bool {
	last := 0
	for _, m := range nodes[1:] {
		d := (m - nodes[0] + n) % n
		if d <= last {
			return false
		}
		last = d
	}
	return true
}

// before returns what holds before a step behind which a pattern occurs at nodes. ok is false if it does not occur
// there, or if the step makes none of its atoms true.
func (r *ring) before(s *step, p pattern, nodes []int) (lits []sat.Lit, ok bool) {
	lits = s.before[:len(s.before):len(s.before)]
	for _, a := range p.atoms {
		at := a.at(nodes)
		after, changed := s.after[at]
		switch {
		case !changed:
			lits = append(lits, r.lit(at))
		case !after:
			return nil, false
		default:
			ok = true
		}
	}
	return lits, ok
}

// touches reports whether a rule can make an atom of a pattern true.
func (x *translation) touches(rl *rule, p pattern) bool {
	return slices.ContainsFunc(p.atoms, func(a atom) bool {
		switch {
		case a.relation < len(x.controls):
			return a.relation == rl.To && rl.To != rl.From
		case a.relation < x.transitRelation(0):
			return slices.ContainsFunc(rl.Sets, func(s set) bool { return x.holderRelation(s[0]) == a.relation })
		}
		return a.relation < x.orderRelation() && a.relation-x.transitRelation(0) == rl.Sent
	})
}

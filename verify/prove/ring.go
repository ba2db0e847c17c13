package prove

import (
	"math"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/verify/prove/sat"
)

// A ring is the states of a ring of some size as clauses over variables, one for each atom.
type ring struct {
	*translation
	n      int
	solver *sat.Solver
	held   uint64 // of its bytes, by an effort
	all    []*step
	first  []sat.Lit // by relation: the variable of its first atom; then the first that is not of an atom
}

// newRing returns a ring of n processes: each process is at one control, its variables hold at most one node, and
// identities are in an order. The atoms of a ring also hold in a smaller ring without some of the processes. So a
// variable may hold no node: the one that it held may have been removed.
func newRing(x *translation, n int) *ring {
	r := &ring{translation: x, n: n, solver: &sat.Solver{}}
	r.number()
	r.structure(func(lits ...sat.Lit) {
		r.solver.Add(lits...)
		r.hold(x.effort)
	})
	return r
}

// hold counts the memory of the solver against the limit.
func (r *ring) hold(f *effort.Effort) {
	f.Hold(r.solver.Bytes - r.held)
	r.held = r.solver.Bytes
}

// solve reports whether there is a state with some atoms.
func (r *ring) solve(f *effort.Effort, assumed ...sat.Lit) (satisfiable bool) {
	r.hold(f)
	return r.solver.Solve(func() { r.hold(f) }, assumed...)
}

// number numbers the atoms, and returns the first variable that is free.
func (r *ring) number() sat.Lit {
	next := sat.Lit(1)
	for relation := range r.base[sorts] {
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
			at = append(at, r.lit(newAtom(r.relation(stands, c), p)))
		}
		add(at...)
		atMostOne(at, add)
		for h := range r.holders {
			var nodes []sat.Lit
			for o := range r.n {
				nodes = append(nodes, r.lit(newAtom(r.relation(holds, h), p, o)))
				add(-nodes[o], at[r.holders[h].Control])
			}
			if !r.holders[h].Set {
				atMostOne(nodes, add)
			}
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
	if r.sets {
		r.define(add)
	}
}

// define calls add with the definitions of auxiliary variables: a message is the first in its queue to process 0, or an
// identity is not greater than any of a set.
func (r *ring) define(add func(...sat.Lit)) {
	for a := range r.n {
		for b := range r.n {
			if a == b {
				continue
			}
			for t := range r.transits {
				if r.history && r.transits[t].Nodes > 0 {
					add(-r.lit(newAtom(r.relation(head, t), a)),
						r.lit(newAtom(r.relation(ahead, t), r.next(!r.transits[t].Right), a, b)),
						r.lit(newAtom(r.relation(received, t), 0, b)))
				}
			}
			for h := range r.holders {
				has := r.lit(newAtom(r.relation(holds, h), 0, b))
				add(-r.lit(newAtom(r.relation(least, h), a)), -has, -r.less(b, a))
			}
		}
	}
}

// next returns the neighbour of process 0 on a side.
func (r *ring) next(right bool) int {
	if right {
		return 1
	}
	return r.n - 1
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
	if a.relation == r.base[smaller] {
		return r.less(int(a.nodes[0]), int(a.nodes[1]))
	}
	if a.absent {
		return -r.lit(a.not())
	}
	l := sat.Lit(0)
	for _, n := range a.nodes {
		if n >= 0 {
			l = l*sat.Lit(r.n) + sat.Lit(n)
		}
	}
	return r.first[a.relation] + l
}

// less returns the literal for: the identity of node a is less than that of node b.
func (r *ring) less(a, b int) sat.Lit {
	if a > b {
		return -r.less(b, a)
	}
	return r.first[r.base[smaller]] + sat.Lit(a*r.n+b)
}

// forbid calls add with the clauses that exclude a pattern.
func (r *ring) forbid(p pattern, add func(...sat.Lit)) {
	if p.width > r.n {
		return
	}
	tuples(r.n, p.width, func(nodes []int) {
		var clause []sat.Lit
		for _, a := range p.at(nodes) {
			clause = append(clause, -r.lit(a))
		}
		add(clause...)
	})
}

// A step is a rule in a ring, taken by process 0, with nodes for its symbols.
type step struct {
	*rule
	nodes   []int            // by symbol
	before  []sat.Lit        // what holds before
	after   map[atom]sat.Lit // by atom that it changes: it holds afterwards if this has held before
	changed map[int32]bool   // the relations of these atoms
}

// always is true.
const always sat.Lit = math.MaxInt32

// steps returns the steps of all rules. They are computed once.
func (r *ring) steps() []*step {
	if r.all != nil {
		return r.all
	}
	for i := range r.rules {
		symbols := r.rules[i].Symbols
		lists(r.n, len(symbols), func(nodes []int) {
			for i, h := range symbols {
				if h == unused && nodes[i] > 0 {
					return
				}
			}
			if s := r.step(&r.rules[i], slices.Insert(slices.Clone(nodes), 0, 0)); s != nil {
				r.all = append(r.all, s)
			}
		})
	}
	return r.all
}

// step returns a step, nil if its conditions are false.
func (r *ring) step(rl *rule, nodes []int) *step {
	s := &step{rule: rl, nodes: nodes, after: make(map[atom]sat.Lit), changed: make(map[int32]bool)}
	for _, c := range rl.Conds {
		a, decided, holds := r.compared(c, nodes)
		if decided && !holds {
			return nil
		}
		if !decided {
			s.before = append(s.before, r.lit(a))
		}
	}
	s.before = append(s.before, r.lit(newAtom(r.relation(stands, rl.From), 0)))
	for i, h := range rl.Symbols {
		if h >= 0 {
			s.before = append(s.before, r.lit(newAtom(r.relation(holds, h), 0, nodes[i+1])))
		}
	}
	r.move(s)
	if rl.Received >= 0 {
		r.receive(s)
	}
	if rl.Sent >= 0 {
		r.send(s)
	}
	for a := range s.after {
		s.changed[a.relation] = true
	}
	return s
}

// move records the control of the process after a step, and what its variables hold.
func (r *ring) move(s *step) {
	if s.To != s.From {
		s.after[newAtom(r.relation(stands, s.From), 0)] = -always
		s.after[newAtom(r.relation(stands, s.To), 0)] = always
		for _, h := range r.controls[s.From].holders {
			if h >= 0 {
				r.assign(s, set{Holder: h, Kept: -1})
			}
		}
	}
	for _, set := range s.Sets {
		r.assign(s, set)
	}
}

// assign records what a variable holds after a step.
func (r *ring) assign(s *step, set set) {
	relation := r.relation(holds, set.Holder)
	for o := 0; o < r.n && set.Kept != set.Holder; o++ {
		s.after[newAtom(relation, 0, o)] = -always
		if set.Kept >= 0 {
			s.after[newAtom(relation, 0, o)] = r.lit(newAtom(r.relation(holds, set.Kept), 0, o))
		}
	}
	for _, symbol := range set.Symbols {
		s.after[newAtom(relation, 0, s.nodes[symbol])] = always
	}
}

// receive adds the received message to the conditions of a step.
func (r *ring) receive(s *step) {
	at := 0
	if r.history {
		at = r.next(!r.transits[s.Received].Right)
		s.before = append(s.before, r.lit(s.message(r.relation(head, s.Received), s.Origins)))
		s.after[s.message(r.relation(received, s.Received), s.Origins, 0)] = always
	}
	s.before = append(s.before, r.lit(s.message(r.relation(comes, s.Received), s.Origins, at)))
}

// send records the message that a step sends.
func (r *ring) send(s *step) {
	relation := r.relation(comes, s.Sent)
	if !r.history {
		s.after[s.message(relation, s.Targets, r.next(r.transits[s.Sent].Right))] = always
		return
	}
	sent := s.message(relation, s.Targets, 0)
	if s.Again {
		s.before = append(s.before, r.lit(sent))
		return
	}
	s.before = append(s.before, -r.lit(sent))
	for o := 0; o < r.n && len(s.Targets) > 0; o++ {
		if c := int(sent.nodes[1]); o != c {
			s.after[newAtom(r.relation(ahead, s.Sent), 0, c, o)] = -r.lit(newAtom(relation, 0, o))
		}
	}
	s.after[sent] = always
}

// message returns the atom of a message whose fields hold the nodes of symbols.
func (s *step) message(relation int32, symbols []int, at ...int) atom {
	for _, symbol := range symbols {
		at = append(at, s.nodes[symbol])
	}
	return newAtom(relation, at...)
}

// breaks calls yield with each step after which a pattern occurs and before which it need not, the nodes of the
// pattern, and the literals that hold before the step, until yield returns false. Both lists are overwritten later.
func (r *ring) breaks(p pattern, yield func(s *step, at []int, before []sat.Lit) bool) {
	var before []sat.Lit
	more := p.width <= r.n
	for _, s := range r.steps() {
		if !more {
			return
		}
		if !slices.ContainsFunc(p.atoms, func(a atom) bool { return s.changed[a.relation] }) {
			continue // it makes no atom of the pattern true
		}
		tuples(r.n, p.width, func(nodes []int) {
			var ok bool
			if before, ok = r.before(s, p, nodes, before[:0]); more && ok {
				more = yield(s, nodes, before)
			}
		})
	}
}

// before appends to lits what holds before a step after which a pattern occurs at given nodes. ok is false if it does
// not occur there, or if the step makes none of its atoms true.
func (r *ring) before(s *step, p pattern, nodes []int, lits []sat.Lit) (_ []sat.Lit, ok bool) {
	lits = append(lits, s.before...)
	for _, a := range p.atoms {
		at := a.at(nodes)
		at.absent = false
		after, changed := s.after[at]
		if a.absent {
			after = -after
		}
		switch {
		case !changed:
			lits = append(lits, r.lit(a.at(nodes)))
		case after == -always:
			return lits, false
		case after != always:
			lits = append(lits, after)
			fallthrough
		default:
			ok = true
		}
	}
	return lits, ok
}

package prove

import (
	"math"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/verify/prove/sat"
)

// A ring represents the states of a ring of some size by clauses over variables, one for each atom.
type ring struct {
	*translation
	n            int
	solver       *sat.Solver
	countedBytes uint64 // the bytes of the solver that the effort has counted
	stepList     []*step
	firstLits    []sat.Lit // by relation: the variable of its first atom; then the first free variable
}

// newRing returns a ring of n processes: each process is at one control, its variables store at most one node, and
// identities are in an order. A variable may store no node, and no process may be process 0, because the theorem
// removes nodes from a larger ring.
func newRing(x *translation, n int) *ring {
	r := &ring{translation: x, n: n, solver: &sat.Solver{}}
	r.numberAtoms()
	r.addAxioms(func(lits ...sat.Lit) {
		r.solver.Add(lits...)
		r.countMemory(x.effort)
	})
	return r
}

// countMemory counts the memory of the solver against the limit.
func (r *ring) countMemory(f *effort.Effort) {
	f.Hold(r.solver.Bytes - r.countedBytes)
	r.countedBytes = r.solver.Bytes
}

// solve reports whether there is a state with some atoms.
func (r *ring) solve(f *effort.Effort, assumed ...sat.Lit) (satisfiable bool) {
	r.countMemory(f)
	return r.solver.Solve(func() { r.countMemory(f) }, assumed...)
}

// numberAtoms numbers the atoms, and returns the first variable that is free.
func (r *ring) numberAtoms() sat.Lit {
	next := sat.Lit(1)
	for relation := range r.firstRelation[relationKinds] {
		r.firstLits = append(r.firstLits, next)
		size := sat.Lit(1)
		for range r.arity(relation) {
			size *= sat.Lit(r.n)
		}
		next += size
	}
	r.firstLits = append(r.firstLits, next)
	return next
}

// addAxioms calls add with the clauses that hold in all states.
func (r *ring) addAxioms(add func(...sat.Lit)) {
	for p := range r.n {
		var at []sat.Lit
		for c := range r.controls {
			at = append(at, r.lit(newAtom(r.relation(atControl, c), p)))
		}
		add(at...)
		atMostOne(at, add)
		for h := range r.nodeVars {
			var nodes []sat.Lit
			for o := range r.n {
				nodes = append(nodes, r.lit(newAtom(r.relation(stores, h), p, o)))
				add(-nodes[o], at[r.nodeVars[h].Control])
			}
			if !r.nodeVars[h].Set {
				atMostOne(nodes, add)
			}
		}
	}
	if r.hasZero {
		var zeros []sat.Lit
		for p := range r.n {
			zeros = append(zeros, r.lit(newAtom(r.relation(isZero, 0), p)))
		}
		atMostOne(zeros, add)
	}
	r.addViews(add)
	if r.counts {
		r.addCounts(add)
	}
	for a := range r.n {
		for b := range r.n {
			for c := range r.n {
				if a != b && b != c && a != c {
					add(-r.identityLess(a, b), -r.identityLess(b, c), r.identityLess(a, c))
				}
			}
		}
	}
	if r.hasSets {
		r.addDefinitions(add)
	}
}

// addViews calls add with clauses. They say that a process has exactly one sight of each view.
func (r *ring) addViews(add func(...sat.Lit)) {
	for view := range r.views() {
		for p := range r.n {
			var some []sat.Lit
			for i, s := range r.sights {
				if s.View == view {
					some = append(some, r.lit(newAtom(r.relation(sees, i), p)))
				}
			}
			add(some...)
			atMostOne(some, add)
		}
	}
}

// addCounts calls add with the clauses that say that of two messages in transit one is in transit.
func (r *ring) addCounts(add func(...sat.Lit)) {
	for t := range r.messageKinds {
		r.eachAtom(r.relation(twiceInTransit, t), r.n, func(two atom) {
			one := two
			one.relation = r.relation(inTransit, t)
			add(-r.lit(two), r.lit(one))
		})
	}
}

// addDefinitions calls add with the definitions of auxiliary variables: a message is the first in its queue to process
// 0, or an identity is at most the least of a set.
func (r *ring) addDefinitions(add func(...sat.Lit)) {
	for a := range r.n {
		for b := range r.n {
			if a == b {
				continue
			}
			for t := range r.messageKinds {
				if r.hasHistory && r.messageKinds[t].Nodes > 0 {
					add(-r.lit(newAtom(r.relation(queueHead, t), a)),
						r.lit(newAtom(r.relation(sentBefore, t), r.neighbour(!r.messageKinds[t].Right), a, b)),
						r.lit(newAtom(r.relation(hasReceived, t), 0, b)))
				}
			}
			for h := range r.nodeVars {
				has := r.lit(newAtom(r.relation(stores, h), 0, b))
				add(-r.lit(newAtom(r.relation(lowerBound, h), a)), -has, -r.identityLess(b, a))
			}
		}
	}
}

// neighbour returns the neighbour of process 0 on a side.
func (r *ring) neighbour(right bool) int {
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

// lit returns the literal of an atom: its variable, negated if the atom is negated.
func (r *ring) lit(a atom) sat.Lit {
	if a.relation == r.firstRelation[smallerIdentity] {
		return r.identityLess(int(a.nodes[0]), int(a.nodes[1]))
	}
	if a.absent {
		return -r.lit(a.negate())
	}
	l := sat.Lit(0)
	for _, n := range a.nodes {
		if n >= 0 {
			l = l*sat.Lit(r.n) + sat.Lit(n)
		}
	}
	return r.firstLits[a.relation] + l
}

// identityLess returns the literal that says that node a has a smaller identity than node b.
func (r *ring) identityLess(a, b int) sat.Lit {
	if a > b {
		return -r.identityLess(b, a)
	}
	return r.firstLits[r.firstRelation[smallerIdentity]] + sat.Lit(a*r.n+b)
}

// forbid calls add with the clauses that exclude a pattern.
func (r *ring) forbid(p pattern, add func(...sat.Lit)) {
	if p.width > r.n {
		return
	}
	eachOrderedTuple(r.n, p.width, func(nodes []int) {
		var clause []sat.Lit
		for _, a := range p.withNodes(nodes) {
			clause = append(clause, -r.lit(a))
		}
		add(clause...)
	})
}

// A step is a rule in a ring, taken by process 0, with nodes for its symbols.
type step struct {
	*rule
	nodes   []int            // by symbol
	needs   []sat.Lit        // literals that are true before the step
	effects map[atom]sat.Lit // by changed atom: it is true afterwards if this literal is true before
	changes map[int32]bool   // the relations of these atoms
}

// alwaysTrue is a literal that is true.
const alwaysTrue sat.Lit = math.MaxInt32

// steps returns the steps of all rules. It computes them once.
func (r *ring) steps() []*step {
	if r.stepList != nil {
		return r.stepList
	}
	for i := range r.rules {
		symbols := r.rules[i].Symbols
		eachList(r.n, len(symbols), func(nodes []int) {
			for i, h := range symbols {
				if h == unused && nodes[i] > 0 {
					return
				}
			}
			if s := r.step(&r.rules[i], slices.Insert(slices.Clone(nodes), 0, 0)); s != nil {
				r.stepList = append(r.stepList, s)
			}
		})
	}
	return r.stepList
}

// step returns a step, nil if its conditions are false.
func (r *ring) step(rl *rule, nodes []int) *step {
	s := &step{rule: rl, nodes: nodes, effects: make(map[atom]sat.Lit), changes: make(map[int32]bool)}
	for _, c := range rl.Conds {
		a, decided, holds := r.conditionAtom(c, nodes)
		if decided && !holds {
			return nil
		}
		if !decided {
			s.needs = append(s.needs, r.lit(a))
		}
	}
	s.needs = append(s.needs, r.lit(newAtom(r.relation(atControl, rl.From), 0)))
	for i, h := range rl.Symbols {
		if h >= 0 {
			s.needs = append(s.needs, r.lit(newAtom(r.relation(stores, h), 0, nodes[i+1])))
		}
	}
	r.move(s)
	if rl.Received >= 0 {
		r.receive(s)
	}
	if rl.Sent >= 0 {
		r.send(s)
	}
	r.show(s)
	for a := range s.effects {
		s.changes[a.relation] = true
	}
	return s
}

// show records what the neighbours of the process see after a step.
func (r *ring) show(s *step) {
	for _, i := range s.Reveals {
		at := r.neighbour(!r.sights[i].Right)
		for k, other := range r.sights {
			if other.View == r.sights[i].View {
				s.effects[newAtom(r.relation(sees, k), at)] = -alwaysTrue
			}
		}
		s.effects[newAtom(r.relation(sees, i), at)] = alwaysTrue
	}
}

// move records the control and the variables of the process after a step.
func (r *ring) move(s *step) {
	if s.To != s.From {
		s.effects[newAtom(r.relation(atControl, s.From), 0)] = -alwaysTrue
		s.effects[newAtom(r.relation(atControl, s.To), 0)] = alwaysTrue
		for _, h := range r.controls[s.From].nodeVars {
			if h >= 0 {
				r.assign(s, assignment{Var: h, Kept: -1})
			}
		}
	}
	for _, set := range s.Assignments {
		r.assign(s, set)
	}
}

// assign records the nodes that a variable stores after a step.
func (r *ring) assign(s *step, set assignment) {
	relation := r.relation(stores, set.Var)
	for o := 0; o < r.n && set.Kept != set.Var; o++ {
		s.effects[newAtom(relation, 0, o)] = -alwaysTrue
		if set.Kept >= 0 {
			s.effects[newAtom(relation, 0, o)] = r.lit(newAtom(r.relation(stores, set.Kept), 0, o))
		}
	}
	for _, symbol := range set.Symbols {
		s.effects[newAtom(relation, 0, s.nodes[symbol])] = alwaysTrue
	}
}

// receive adds the received message to the conditions of a step.
func (r *ring) receive(s *step) {
	at := 0
	if r.hasHistory {
		at = r.neighbour(!r.messageKinds[s.Received].Right)
		s.needs = append(s.needs, r.lit(s.message(r.relation(queueHead, s.Received), s.Origins)))
		s.effects[s.message(r.relation(hasReceived, s.Received), s.Origins, 0)] = alwaysTrue
	}
	one := s.message(r.relation(inTransit, s.Received), s.Origins, at)
	s.needs = append(s.needs, r.lit(one))
	if r.counts { // it remains in transit if there are two
		s.effects[one] = r.lit(s.message(r.relation(twiceInTransit, s.Received), s.Origins, at))
	}
}

// send records the message that a step sends.
func (r *ring) send(s *step) {
	relation := r.relation(inTransit, s.Sent)
	if !r.hasHistory {
		to := r.neighbour(r.messageKinds[s.Sent].Right)
		one := s.message(relation, s.Targets, to)
		s.effects[one] = alwaysTrue
		if r.counts {
			s.effects[s.message(r.relation(twiceInTransit, s.Sent), s.Targets, to)] = r.lit(one)
		}
		return
	}
	sent := s.message(relation, s.Targets, 0)
	if s.Again {
		s.needs = append(s.needs, r.lit(sent))
		return
	}
	s.needs = append(s.needs, -r.lit(sent))
	for o := 0; o < r.n && len(s.Targets) > 0; o++ {
		if c := int(sent.nodes[1]); o != c {
			s.effects[newAtom(r.relation(sentBefore, s.Sent), 0, c, o)] = -r.lit(newAtom(relation, 0, o))
		}
	}
	s.effects[sent] = alwaysTrue
}

// message returns the atom of a message whose fields name the nodes of symbols.
func (s *step) message(relation int32, symbols []int, at ...int) atom {
	for _, symbol := range symbols {
		at = append(at, s.nodes[symbol])
	}
	return newAtom(relation, at...)
}

// stepsInto calls yield with each step that can make a pattern occur, with the nodes of the pattern, and with the
// literals that hold before the step, until yield returns false. Both lists are overwritten later.
func (r *ring) stepsInto(p pattern, yield func(s *step, at []int, before []sat.Lit) bool) {
	var before []sat.Lit
	more := p.width <= r.n
	for _, s := range r.steps() {
		if !more {
			return
		}
		if !slices.ContainsFunc(p.atoms, func(a atom) bool { return s.changes[a.relation] }) {
			continue // the step makes no atom of the pattern true
		}
		eachOrderedTuple(r.n, p.width, func(nodes []int) {
			var ok bool
			if before, ok = r.literalsBefore(s, p, nodes, before[:0]); more && ok {
				more = yield(s, nodes, before)
			}
		})
	}
}

// literalsBefore appends the literals that are true before a step after which a pattern occurs at given nodes. ok is
// false if the pattern does not occur there, or if the step makes none of its atoms true.
func (r *ring) literalsBefore(s *step, p pattern, nodes []int, lits []sat.Lit) (_ []sat.Lit, ok bool) {
	lits = append(lits, s.needs...)
	for _, a := range p.atoms {
		at := a.withNodes(nodes)
		at.absent = false
		after, changed := s.effects[at]
		if a.absent {
			after = -after
		}
		switch {
		case !changed:
			lits = append(lits, r.lit(a.withNodes(nodes)))
		case after == -alwaysTrue:
			return lits, false
		case after != alwaysTrue:
			lits = append(lits, after)
			fallthrough
		default:
			ok = true
		}
	}
	return lits, ok
}

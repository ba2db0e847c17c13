// Package sat decides whether clauses of propositional logic can be satisfied, by conflict-driven clause learning
// (Marques-Silva, Sakallah 1999; Eén, Sörensson 2003), and writes proofs in the DRAT format.
package sat

import "slices"

// A Lit is a literal: variable v, from 1 on, is Lit(v), and its negation Lit(-v), as in the DIMACS format.
type Lit int32

// index numbers literals from 2 on: 2v and 2v+1.
func (l Lit) index() uint32 {
	if l < 0 {
		return uint32(-l)<<1 | 1
	}
	return uint32(l) << 1
}

// variable returns the variable of a literal.
func (l Lit) variable() uint32 { return uint32(max(l, -l)) }

// A clause is a disjunction. Its first two literals are watched.
type clause struct{ lits []Lit }

// A Solver holds clauses. Its zero value has none.
type Solver struct {
	watches [][]*clause // by literal that becomes true
	value   []int8      // by literal: 1 true, -1 false, 0 open
	level   []int32     // by variable
	reason  []*clause   // by variable
	phase   []bool      // by variable: its last value
	trail   []Lit
	limits  []int // of the trail, by level
	head    int   // of the trail: what is propagated
	open    Lit   // no smaller variable is open

	mark  []bool // by variable, in analyze
	unsat bool   // without assumptions
	// Proof, if not nil, is called with each learned clause, which follows from the clauses before it (RUP).
	Proof func(lits []Lit)
	Bytes uint64 // that clauses and variables take, roughly
	// Core has, after Solve has found that the clauses cannot be satisfied, assumptions that exclude each other.
	Core []Lit
}

// grow makes room for a variable.
func (s *Solver) grow(v uint32) {
	for uint32(len(s.level)) <= v {
		s.watches = append(s.watches, nil, nil)
		s.value = append(s.value, 0, 0)
		s.level, s.reason, s.phase = append(s.level, 0), append(s.reason, nil), append(s.phase, false)
		s.mark = append(s.mark, false)
		s.Bytes += 80
	}
}

// Add adds a clause.
func (s *Solver) Add(lits ...Lit) {
	s.cancel(0)
	for _, l := range lits {
		s.grow(l.variable())
	}
	if s.unsat {
		return
	}
	var kept []Lit
	for _, l := range lits {
		switch {
		case s.value[l.index()] > 0 || slices.Contains(kept, -l):
			return
		case s.value[l.index()] == 0 && !slices.Contains(kept, l):
			kept = append(kept, l)
		}
	}
	switch len(kept) {
	case 0:
		s.unsat = true
		s.tell(nil)
	case 1:
		s.assign(kept[0], nil)
		if s.propagate() != nil {
			s.unsat = true
			s.tell(nil)
		}
	default:
		s.watch(&clause{kept})
	}
}

// Follows reports whether unit propagation refutes the clauses together with the negation of a clause, which has no
// other variables (RUP: Goldberg, Novikov, DATE 2003).
func (s *Solver) Follows(lits ...Lit) bool {
	s.cancel(0)
	if s.unsat {
		return true
	}
	if slices.ContainsFunc(lits, func(l Lit) bool { return l.variable() >= uint32(len(s.level)) }) {
		return false
	}
	s.limits = append(s.limits, len(s.trail))
	defer s.cancel(0)
	for _, l := range lits {
		switch s.value[l.index()] {
		case 1:
			return true
		case 0:
			s.assign(-l, nil)
		}
	}
	return s.propagate() != nil
}

func (s *Solver) tell(lits []Lit) {
	if s.Proof != nil {
		s.Proof(lits)
	}
}

func (s *Solver) watch(c *clause) {
	s.Bytes += 96 + 4*uint64(len(c.lits))
	for i := range 2 {
		at := (-c.lits[i]).index()
		s.watches[at] = append(s.watches[at], c)
	}
}

func (s *Solver) assign(l Lit, why *clause) {
	v := l.variable()
	s.value[l.index()], s.value[(-l).index()] = 1, -1
	s.level[v], s.reason[v], s.phase[v] = int32(len(s.limits)), why, l > 0
	s.trail = append(s.trail, l)
}

// propagate assigns all literals that follow by unit propagation. It returns a clause that is false then, or nil.
func (s *Solver) propagate() *clause {
	for s.head < len(s.trail) {
		l := s.trail[s.head]
		s.head++
		list := s.watches[l.index()]
		kept := list[:0]
		for i := 0; i < len(list); i++ {
			c := list[i]
			if c.lits[0] == -l {
				c.lits[0], c.lits[1] = c.lits[1], c.lits[0]
			}
			first := c.lits[0]
			if s.value[first.index()] <= 0 && s.rewatch(c) {
				continue
			}
			kept = append(kept, c)
			switch s.value[first.index()] {
			case 0:
				s.assign(first, c)
			case -1:
				s.watches[l.index()] = append(kept, list[i+1:]...)
				s.head = len(s.trail)
				return c
			}
		}
		s.watches[l.index()] = kept
	}
	return nil
}

// rewatch watches another literal in the place of the second one, unless all others are false.
func (s *Solver) rewatch(c *clause) bool {
	for k := 2; k < len(c.lits); k++ {
		if s.value[c.lits[k].index()] >= 0 {
			c.lits[1], c.lits[k] = c.lits[k], c.lits[1]
			at := (-c.lits[1]).index()
			s.watches[at] = append(s.watches[at], c)
			return true
		}
	}
	return false
}

// cancel takes back the assignments above a level.
func (s *Solver) cancel(level int) {
	if len(s.limits) <= level {
		return
	}
	for _, l := range s.trail[s.limits[level]:] {
		s.value[l.index()], s.value[(-l).index()] = 0, 0
		s.open = min(s.open, Lit(l.variable()))
	}
	s.trail = s.trail[:s.limits[level]]
	s.limits = s.limits[:level]
	s.head = len(s.trail)
}

// analyze returns the clause that is learned from a conflict, at the first unique implication point, and the level on
// which its first literal follows.
func (s *Solver) analyze(conflict *clause) (learned []Lit, back int) {
	learned = append(learned, 0)
	open, at, now := 0, len(s.trail)-1, int32(len(s.limits))
	var next Lit
	for c := conflict; ; c = s.reason[next.variable()] {
		for _, l := range c.lits {
			v := l.variable()
			if l == next || s.mark[v] || s.level[v] == 0 {
				continue
			}
			s.mark[v] = true
			if s.level[v] == now {
				open++
			} else {
				learned = append(learned, l)
			}
		}
		for !s.mark[s.trail[at].variable()] {
			at--
		}
		next = s.trail[at]
		s.mark[next.variable()] = false
		at--
		if open--; open == 0 {
			break
		}
	}
	learned[0] = -next
	for _, l := range learned[1:] {
		s.mark[l.variable()] = false
	}
	for i := 1; i < len(learned); i++ {
		if s.level[learned[i].variable()] > s.level[learned[1].variable()] {
			learned[1], learned[i] = learned[i], learned[1]
		}
	}
	if len(learned) > 1 {
		back = int(s.level[learned[1].variable()])
	}
	return learned, back
}

// Solve reports whether the clauses can be satisfied together with assumptions. It calls tick now and then, unless that
// is nil.
func (s *Solver) Solve(tick func(), assumptions ...Lit) bool {
	for _, l := range assumptions {
		s.grow(l.variable())
	}
	s.Core = s.Core[:0]
	s.cancel(0)
	for conflicts := 0; !s.unsat; {
		if conflict := s.propagate(); conflict != nil {
			s.learn(conflict)
			if conflicts++; conflicts%100 == 0 && tick != nil {
				tick()
			}
			continue
		}
		next := Lit(0)
		for next == 0 && len(s.limits) < len(assumptions) {
			switch l := assumptions[len(s.limits)]; {
			case s.value[l.index()] > 0:
				s.limits = append(s.limits, len(s.trail))
			case s.value[l.index()] < 0:
				s.explainFailure(l)
				return false
			default:
				next = l
			}
		}
		if next == 0 {
			if next = s.decide(); next == 0 {
				return true
			}
		}
		s.limits = append(s.limits, len(s.trail))
		s.assign(next, nil)
	}
	return false
}

// learn adds what follows from a conflict, and takes decisions back as far as that decides something.
func (s *Solver) learn(conflict *clause) {
	if len(s.limits) == 0 {
		s.unsat = true
		s.tell(nil)
		return
	}
	learned, back := s.analyze(conflict)
	s.cancel(back)
	s.tell(learned)
	var why *clause
	if len(learned) > 1 {
		why = &clause{learned}
		s.watch(why)
	}
	s.assign(learned[0], why)
}

// explainFailure sets Core to assumptions from which the negation of an assumption follows.
func (s *Solver) explainFailure(l Lit) {
	s.Core = append(s.Core, l)
	s.mark[l.variable()] = true
	for i := len(s.trail) - 1; i >= 0; i-- {
		at := s.trail[i]
		v := at.variable()
		if !s.mark[v] {
			continue
		}
		s.mark[v] = false
		if why := s.reason[v]; why != nil {
			for _, x := range why.lits {
				s.mark[x.variable()] = s.mark[x.variable()] || x != at && s.level[x.variable()] > 0
			}
		} else if s.level[v] > 0 {
			s.Core = append(s.Core, at)
		}
	}
	s.mark[l.variable()] = false
}

// decide returns a literal of the first variable without a value, with its last value. It returns 0 if all have values.
func (s *Solver) decide() Lit {
	for ; int(s.open) < len(s.level); s.open++ {
		switch {
		case s.open == 0 || s.value[s.open.index()] != 0:
		case s.phase[s.open]:
			return s.open
		default:
			return -s.open
		}
	}
	return 0
}

// Value returns the value of a variable in the assignment that Solve has found.
func (s *Solver) Value(v Lit) bool { return s.value[v.index()] > 0 }

package prove

import (
	"slices"

	"ringcheck/verify/prove/sat"
)

// A lemma is a pattern that the search tries to prove.
type lemma struct {
	pattern
	id        int
	dependsOn map[*lemma]bool // the lemmas that its proof needs
	proved    bool            // if the lemmas are that it depends on
	dropped   bool
	without   *counterexample // a step into another lemma that the rest permits without this one; nil: unknown
}

// A searcher looks for an inductive set of patterns that contains some goals. To exclude a state from which a step
// makes a pattern occur, it adds a pattern that never occurred in mining, which needs a proof, too. A pattern that
// cannot be proved is dropped, and all patterns that depend on it are proved again. (Goals first, as in
// property-directed reachability: Bradley, VMCAI 2011. Candidates are dropped until the others are inductive: Flanagan,
// Leino, FME 2001.)
type searcher struct {
	*miner
	rings  []*ring
	lemmas map[string]*lemma
	list   []*lemma
	queue  []*lemma
	final  bool // no more lemmas are added
}

func newSearcher(m *miner, most int) *searcher {
	s := &searcher{miner: m, lemmas: make(map[string]*lemma)}
	for n := 2; n <= most; n++ {
		s.rings = append(s.rings, newRing(m.translation, n))
	}
	return s
}

// add adds a lemma, unless it has been added.
func (s *searcher) add(p pattern) *lemma {
	if l := s.lemmas[p.key()]; l != nil {
		return l
	}
	l := &lemma{pattern: p, id: len(s.list)}
	s.lemmas[p.key()] = l
	s.list, s.queue = append(s.list, l), append(s.queue, l)
	for _, r := range s.rings {
		r.forbid(p, func(clause ...sat.Lit) { r.solver.Add(append(clause, -r.active(l))...) })
	}
	return l
}

// active returns the variable that is true if the lemma is used.
func (r *ring) active(l *lemma) sat.Lit { return r.firstLits[len(r.firstLits)-1] + sat.Lit(l.id) }

// A counterexample (to induction) is a step that makes a pattern occur, from a state that no lemma excludes. Without a
// ring, the pattern may occur in an initial state.
type counterexample struct {
	x *translation
	*ring
	*step
	*lemma
	nodes    []int     // the nodes of the pattern
	literals []sat.Lit // that are true before the step
	state    []atom
}

// prove returns an inductive set of lemmas that begins with the goals, or a step that violates one of them. Hints are
// tried before mined patterns.
func (s *searcher) prove(goals, hints []pattern) ([]*lemma, *counterexample) {
	for _, g := range goals {
		s.add(g)
	}
	wanted := len(s.list)
	for _, h := range hints {
		s.add(h)
	}
	for len(s.queue) > 0 {
		l := s.queue[0]
		s.queue = s.queue[1:]
		if l.dropped || l.proved {
			continue
		}
		f := s.attempt(l)
		if l.proved = f == nil; l.proved {
			continue
		}
		if l.id < wanted {
			return nil, f
		}
		s.drop(l)
	}
	return s.minimal(s.list[:wanted:wanted]), nil
}

// minimal returns the goals and a minimal set of lemmas: without any lemma the rest is not inductive. The last pass,
// which drops none, finds a step that shows this for each.
func (s *searcher) minimal(goals []*lemma) (kept []*lemma) {
	s.final = true
	kept = s.withDependencies(goals)
	for before := 0; before != len(kept); {
		before = len(kept)
		for _, l := range s.list {
			l.dropped = !slices.Contains(kept, l)
		}
		for _, l := range slices.Backward(kept[len(goals):]) {
			s.tryDrop(l)
		}
		kept = s.withDependencies(goals)
	}
	return kept
}

// tryDrop drops a lemma if the remaining lemmas can be proved without it.
func (s *searcher) tryDrop(l *lemma) {
	l.dropped = true
	for _, other := range s.list {
		if other.dropped || !other.dependsOn[l] {
			continue
		}
		uses := other.dependsOn
		if l.without = s.attempt(other); l.without != nil {
			other.dependsOn, l.dropped = uses, false
			return
		}
	}
}

// drop drops a lemma. It queues the lemmas that depend on it.
func (s *searcher) drop(l *lemma) {
	l.dropped = true
	s.recordPattern(l.pattern)
	for _, other := range s.list {
		if other.proved && other.dependsOn[l] {
			other.proved = false
			s.queue = append(s.queue, other)
		}
	}
}

// withDependencies returns lemmas, followed by all lemmas that they depend on.
func (s *searcher) withDependencies(lemmas []*lemma) []*lemma {
	for i := 0; i < len(lemmas); i++ {
		for _, l := range s.list {
			if lemmas[i].dependsOn[l] && !slices.Contains(lemmas, l) {
				lemmas = append(lemmas, l)
			}
		}
	}
	return lemmas
}

// attempt tries to prove that no step makes a pattern occur, and adds the lemmas that this needs. It returns a step
// that no lemma excludes, nil if the proof succeeds.
func (s *searcher) attempt(l *lemma) (failed *counterexample) {
	l.dependsOn = make(map[*lemma]bool)
	if s.mayBeInitial(l.pattern) {
		return &counterexample{x: s.translation, lemma: l}
	}
	for _, r := range s.rings {
		r.stepsInto(l.pattern, func(st *step, at []int, before []sat.Lit) bool {
			if !s.exclude(l, r, before) {
				failed = &counterexample{
					s.translation, r, st, l, slices.Clone(at), slices.Clone(before), r.state(before)}
			}
			return failed == nil
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// exclude reports whether lemmas exclude the states with given literals. It adds lemmas until they do.
func (s *searcher) exclude(l *lemma, r *ring, before []sat.Lit) bool {
	for {
		assumed := slices.Clone(before)
		for _, other := range s.list {
			if !other.dropped && other.width <= r.n {
				assumed = append(assumed, r.active(other))
			}
		}
		if satisfiable := r.solve(s.effort, assumed...); !satisfiable {
			for _, a := range r.solver.Core {
				if id := a - r.active(s.list[0]); id >= 0 {
					l.dependsOn[s.list[id]] = true
				}
			}
			return true
		}
		if s.final {
			return false
		}
		p, ok := s.choose(r, before)
		if !ok {
			return false
		}
		s.add(p)
	}
}

// state returns the atoms of the state that the solver found last. Without a history, it omits messages in transit that
// are not required, because they may also be absent.
func (r *ring) state(before []sat.Lit) (state []atom) {
	for relation := range r.relations() {
		r.eachAtom(relation, r.n, func(a atom) {
			l := r.lit(a)
			s, _ := r.kindOf(relation)
			removable := (s == inTransit || s == twiceInTransit) && !r.hasHistory
			if r.solver.Value(l) && (!removable || slices.Contains(before, l)) {
				state = append(state, a)
			}
		})
	}
	return r.withNegations(state, r.n)
}

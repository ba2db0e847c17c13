package symbolic

import (
	"ringcheck/symbolic/internal/diagram"
)

// closure returns what is reachable from the vectors in n by the relations that begin at the given level or below:
// saturation (Ciardo, Lüttgen, Siminiceanu: Saturation: an efficient iteration strategy for symbolic state-space
// generation, TACAS 2001), with relations that are learned on the way (Ciardo, Marmorstein, Siminiceanu: Saturation
// unbound, TACAS 2003).
func (s *search) closure(n diagram.Node, level int) diagram.Node {
	if level == len(s.tops) || n == diagram.Empty {
		return n
	}
	key := diagram.Key{Operation: opClosure, Parameter: uint32(level), A: n}
	if result, ok := s.Cached(key); ok {
		return result
	}
	base := s.Begin()
	for _, a := range s.Arcs(n) {
		s.Append(a.Value, s.closure(a.To, level+1))
	}
	mark := s.Mark()
	result := s.saturate(s.Hold(s.Finish(base)), level)
	s.Release(mark)
	s.Cache(key, result)
	return result
}

// saturate is closure for a node whose arcs lead to closed sets. What fire returns at a level is made of sets that are
// closed below; so are unions of closed sets. What remains is to take the relations that begin at this level until
// nothing is new: each time an arc has changed, all of them.
func (s *search) saturate(n diagram.Node, level int) diagram.Node {
	if len(s.tops[level]) == 0 || n == diagram.Empty {
		return n
	}
	key := diagram.Key{Operation: opSaturate, Parameter: uint32(level), A: n}
	if result, ok := s.Cached(key); ok {
		return result
	}
	b := s.Builder()
	for _, a := range s.Arcs(n) {
		b.Add(s.Store, a.Value, a.To)
	}
	for arc, ok := b.Next(); ok && !s.Halted(); arc, ok = b.Next() {
		mark := s.Mark()
		s.Hold(arc.To)
		for _, r := range s.tops[level] {
			s.after(b, r, arc, true)
		}
		s.Release(mark)
		if level == 0 && s.wanted() {
			mark := s.Mark()
			s.survey(s.Hold(b.Node(s.Store)))
			s.Release(mark)
		}
	}
	mark := s.Mark()
	result := s.Hold(b.Finish(s.Store))
	s.Cache(key, result)
	key.A = result
	s.Cache(key, result)
	s.Release(mark)
	return result
}

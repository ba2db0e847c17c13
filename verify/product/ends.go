package product

import (
	"errors"
	"slices"

	"ringcheck/explore"
	"ringcheck/model/ltl"
)

// maxEndNodes limits the nodes that are searched for a run that ends, if it is not certain that one is accepted.
const maxEndNodes = 1 << 16

// searchEnds looks breadth-first for a shortest run that ends and is accepted. Fairness requires nothing at its end,
// where no process can act, and its probability is positive, since it has finitely many draws. So no assumption but
// Surely excludes it; with Surely it does not search. The search ends at the level of the run if it is certain that
// there is one, and is bounded otherwise. A nil result decides nothing.
func (m *product) searchEnds() (*Lasso, error) {
	over := slices.IndexFunc(m.kinds, func(k Kind) bool { return k.Action == Over })
	if m.Ends == nil || over < 0 || m.Surely {
		return nil, nil
	}
	accepts, err := m.acceptingEnds(over)
	if err != nil || len(accepts) == 0 {
		return nil, err
	}
	before := m.usedBytes
	s := &bfs{m: m, limit: maxEndNodes}
	if m.certainEnd(over, accepts) {
		s.limit = 0
	}
	class := uint32(0)
	s.edges = func(v *explore.Vertex, from node, do func(pathEdge) bool) {
		class = v.Class
		m.pathEdges(v, from, false, do)
	}
	var found *Lasso
	err = s.restart(m.initial())
	for err == nil && found == nil {
		var last pathEdge
		at := -1
		last, at, err = s.expandBatch(false, func(h pathEdge) bool {
			good := accepts[m.Letters[class]]
			return int(h.kind) == over && good != nil && good[m.stateOf(h.from)]
		})
		if err == nil && at >= 0 {
			var way []pathEdge
			way, err = s.pathTo(at, false)
			end := m.placeOf(last.from)
			found = &Lasso{m.steps(way), []Step{{end, end, m.kinds[over]}}}
		}
	}
	if errors.Is(err, errNoPath) || errors.Is(err, explore.ErrMemory) {
		found, err = nil, nil
	}
	if m.usedBytes = before; found == nil || err != nil {
		return nil, err
	}
	if fair, err := m.Fair(found); !fair || err != nil {
		return nil, err
	}
	return found, nil
}

// acceptingEnds returns, by atoms of a state in which a run can end, the states of the automaton that accept the
// repetition of its letter, without atoms for which none does.
func (m *product) acceptingEnds(over int) (map[uint64][]bool, error) {
	all := make(map[uint64][]bool)
	for class, ends := range m.Ends {
		atoms := m.Letters[class]
		if !ends || all[atoms] != nil {
			continue
		}
		good, err := m.acceptingAt([]uint64{atoms | m.events[over]})
		if err != nil {
			return nil, err
		}
		if good != nil && slices.Contains(good[0], true) {
			all[atoms] = good[0]
		}
	}
	return all, nil
}

// certainEnd reports whether all runs that end in a state with some atoms are accepted: whether there is a set of
// states of the automaton, the initial one included, that accept the end and in which it can stay with every letter.
func (m *product) certainEnd(over int, accepts map[uint64][]bool) bool {
	atoms, events := distinct(m.Letters), distinct(m.events)
	if len(atoms)*len(events) > maxMonitorLetters {
		return false
	}
	var letters []uint64
	for _, a := range atoms {
		for _, e := range events {
			letters = append(letters, a|e)
		}
	}
	for _, good := range accepts {
		in := slices.Clone(good)
		for m.leave(in, letters) {
		}
		if in[m.Automaton.Initial] {
			return true
		}
	}
	return false
}

// leave removes from a set the states of the automaton that cannot stay in it with some letter, and reports whether
// there was one.
func (m *product) leave(in []bool, letters []uint64) (left bool) {
	for q, edges := range m.Automaton.Edges {
		leaves := func(letter uint64) bool {
			return !slices.ContainsFunc(edges, func(e ltl.Edge) bool { return in[e.To] && e.Guard.Has(letter) })
		}
		if in[q] && slices.ContainsFunc(letters, leaves) {
			in[q], left = false, true
		}
	}
	return left
}

// distinct returns the different values of a list.
func distinct(list []uint64) []uint64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

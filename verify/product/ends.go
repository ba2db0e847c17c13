package product

import (
	"errors"
	"math"
	"slices"

	"ringcheck/explore"
	"ringcheck/model/ltl"
)

// maxEndNodes limits the nodes that are searched for a run that ends, if it is not certain that one is accepted.
const maxEndNodes = 1 << 16

// An endings is a search for a run that ends and is accepted. Fairness requires nothing at its end, where no process
// can act, and its probability is positive, since it has finitely many draws. So no assumption but Surely excludes it;
// with Surely nothing is found.
type endings struct {
	*product
	over    int               // the kind of the end of a run
	accepts map[uint64][]bool // by atoms of a state: see acceptingEnds; empty if there is nothing to search for
	// class is that of the nearest state such that all runs that end there are accepted, negative if there is none. It
	// isCertain that no accepted run ends nearer.
	class     int
	isCertain bool
}

func (m *product) endings() (*endings, error) {
	e := &endings{product: m, class: -1}
	e.over = slices.IndexFunc(m.kinds, func(k Kind) bool { return k.Action == Over })
	if m.Ends == nil || e.over < 0 || m.Surely {
		return e, nil
	}
	var err error
	if e.accepts, err = m.acceptingEnds(e.over); err != nil {
		return nil, err
	}
	nearest := math.MaxInt // of the states in which accepted runs may end
	for c, length := range e.Ends {
		good := e.accepts[e.Letters[c]]
		if length < 0 || good == nil {
			continue
		}
		nearest = min(nearest, length)
		if (e.class < 0 || length < e.Ends[e.class]) && e.certain(good) {
			e.class = c
		}
	}
	e.isCertain = e.class >= 0 && e.Ends[e.class] == nearest
	return e, nil
}

// toCertain returns a shortest run to a state of e.class.
func (e *endings) toCertain() (*Lasso, error) {
	places, err := e.RunTo(e.ctx, e.class)
	if err != nil {
		return nil, err
	}
	var stem []Step
	last := len(places) - 1
	err = e.System.Expand(places[:last], func(v *explore.Vertex) {
		to := places[len(stem)+1]
		stem = append(stem, stepOf(v, slices.Index(v.To, to), e.kinds))
	})
	end := places[last]
	return &Lasso{stem, []Step{{From: end, To: end, Kind: e.kinds[e.over]}}}, err
}

// search looks breadth-first for a shortest run that ends and is accepted. Beyond a bound, it returns one to e.class.
// A nil result decides nothing.
func (e *endings) search() (*Lasso, error) {
	if len(e.accepts) == 0 {
		return nil, nil
	}
	m, before := e.product, e.usedBytes
	s := &bfs{m: m, limit: maxEndNodes}
	class := uint32(0)
	s.edges = func(v *explore.Vertex, from node, do func(pathEdge) bool) {
		class = v.Class
		m.pathEdges(v, from, false, do)
	}
	var found *Lasso
	err := s.restart(m.initial())
	for err == nil && found == nil {
		var last pathEdge
		at := -1
		last, at, err = s.expandBatch(false, func(h pathEdge) bool {
			good := e.accepts[m.Letters[class]]
			return int(h.kind) == e.over && good != nil && good[m.stateOf(h.from)]
		})
		if err == nil && at >= 0 {
			var way []pathEdge
			way, err = s.pathTo(at, false)
			end := m.placeOf(last.from)
			found = &Lasso{m.steps(way), []Step{{From: end, To: end, Kind: m.kinds[e.over]}}}
		}
	}
	if errors.Is(err, errNoPath) || errors.Is(err, explore.ErrMemory) {
		found, err = nil, nil
	}
	m.usedBytes = before
	switch {
	case err != nil:
		return nil, err
	case found == nil && e.class >= 0:
		return e.toCertain()
	case found == nil:
		return nil, nil
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
	for class, length := range m.Ends {
		atoms := m.Letters[class]
		if length < 0 || all[atoms] != nil {
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

// certain reports whether all runs with an end are accepted, given the states of the automaton that accept the end:
// whether it can stay, with every letter, in a set of these that has the initial one.
func (e *endings) certain(good []bool) bool {
	atoms, events := distinct(e.Letters), distinct(e.events)
	if len(atoms)*len(events) > maxMonitorLetters {
		return false
	}
	var letters []uint64
	for _, a := range atoms {
		for _, event := range events {
			letters = append(letters, a|event)
		}
	}
	in := slices.Clone(good)
	for e.leave(in, letters) {
	}
	return in[e.Automaton.Initial]
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

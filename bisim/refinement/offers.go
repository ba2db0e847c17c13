package refinement

import (
	"encoding/binary"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/intern"
)

// offers numbers the sets of labels that stable states offer.
type offers struct {
	list    [][]uint32 // by number: ascending labels
	numbers map[string]uint32
	bytes   uint64
	labels  []uint32 // scratch space
	key     []byte
}

// of returns the number of the set of labels of transitions.
func (o *offers) of(edges []lts.Edge) uint32 {
	o.labels, o.key = o.labels[:0], o.key[:0]
	for _, e := range edges {
		o.labels = append(o.labels, e.Label)
	}
	slices.Sort(o.labels)
	o.labels = slices.Compact(o.labels)
	for _, l := range o.labels {
		o.key = binary.LittleEndian.AppendUint32(o.key, l)
	}
	n, known := o.numbers[string(o.key)]
	if !known {
		n = uint32(len(o.list))
		o.list = append(o.list, slices.Clone(o.labels))
		if o.numbers == nil {
			o.numbers = map[string]uint32{}
		}
		o.numbers[string(o.key)] = n
		o.bytes += 8*uint64(len(o.labels)) + 80
	}
	return n
}

// stable reports whether no transition is a τ.
func stable(edges []lts.Edge) bool {
	return !slices.ContainsFunc(edges, func(e lts.Edge) bool { return e.Label == lts.Tau })
}

// minimalOf returns the minimal sets of labels that stable members of a set offer.
func (s *sets) minimalOf(n uint32) []uint32 {
	for uint32(len(s.minimal)) <= n {
		s.minimal = append(s.minimal, nil)
	}
	if s.minimal[n] != nil {
		return s.minimal[n]
	}
	all := map[uint32]bool{}
	for i := range s.list[n].size {
		s.tick()
		if edges := s.edgesOf(s.of(n)[i]); stable(edges) {
			all[s.offers.of(edges)] = true
		}
	}
	least := make([]uint32, 0, len(all))
	for x := range all {
		smaller := false
		for y := range all {
			smaller = smaller || y != x && contains(s.offers.list[x], s.offers.list[y])
		}
		if !smaller {
			least = append(least, x)
		}
	}
	slices.Sort(least)
	s.minimal[n] = least
	s.offers.bytes += 4 * uint64(len(least))
	return least
}

// permitsOffer reports whether the specification may offer no more, in a stable state of a set, than some labels. Then
// it refuses whatever a state refuses that offers these.
func (s *sets) permitsOffer(n, offer uint32) bool {
	pair := intern.Pair(n, offer)
	is, known := s.permits[pair]
	if !known {
		is = slices.ContainsFunc(s.minimalOf(n), func(least uint32) bool {
			return contains(s.offers.list[offer], s.offers.list[least])
		})
		s.permits[pair] = is
	}
	return is
}

// refusal returns a minimal set of labels that a state with an offer refuses, and no stable state of a set does.
func (s *sets) refusal(n, offer uint32) []lts.Label {
	offered := s.offers.list[offer]
	var beyond [][]uint32 // by stable state: the labels that only it offers
	for _, least := range s.minimalOf(n) {
		more := slices.DeleteFunc(slices.Clone(s.offers.list[least]), func(l uint32) bool {
			_, both := slices.BinarySearch(offered, l)
			return both
		})
		beyond = append(beyond, more)
	}
	refused := slices.Concat(beyond...)
	slices.Sort(refused)
	refused = slices.Compact(refused)
	for i := len(refused) - 1; i >= 0; i-- {
		fewer := slices.Delete(slices.Clone(refused), i, i+1)
		if !slices.ContainsFunc(beyond, func(more []uint32) bool { return !meet(more, fewer) }) {
			refused = fewer
		}
	}
	return refused
}

// meet reports whether two lists have a common element.
func meet(x, y []uint32) bool {
	return slices.ContainsFunc(x, func(e uint32) bool { return slices.Contains(y, e) })
}

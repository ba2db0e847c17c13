package refinement

import (
	"errors"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// ErrUnconfirmed means that the systems do not have the difference that was found: a bug.
var ErrUnconfirmed = errors.New("the difference cannot be confirmed")

// confirm checks a difference by the definitions, with what the systems say of each state. It stops the search with
// ErrUnconfirmed if the systems do not have it.
func (s *search) confirm(d *Difference) {
	visible := func(edges []lts.Edge) (labels []lts.Label) {
		for _, e := range edges {
			if e.Label != lts.Tau || !s.model.hides() {
				labels = append(labels, e.Label)
			}
		}
		return labels
	}
	end := s.walk(effort.Must(s.a.Initial()), d.Run)
	ok := slices.Equal(visible(d.Run), d.Trace)
	switch d.Kind {
	case Excess:
	case Refusal:
		for _, e := range s.edgesOf(end) {
			ok = ok && e.Label != lts.Tau && !slices.Contains(d.Refusal, e.Label)
		}
	case Divergence:
		stem := len(d.Run) - d.Cycle
		ok = ok && d.Cycle > 0 && len(visible(d.Run[stem:])) == 0 &&
			end == s.walk(effort.Must(s.a.Initial()), d.Run[:stem])
	}
	may := s.closure([]uint32{effort.Must(s.b.Initial())})
	for i, label := range d.Trace {
		ok = ok && (s.model != FailuresDivergences || !s.divergesIn(may))
		var next []uint32
		for _, b := range may {
			for _, e := range s.b.edgesOf(b) {
				if e.Label == label {
					next = append(next, e.To)
				}
			}
		}
		ok = ok && (next != nil || d.Kind == Excess && i == len(d.Trace)-1)
		may = s.closure(next)
	}
	ok = ok && (d.Kind == Excess) == (len(may) == 0)
	if s.model == FailuresDivergences {
		ok = ok && !s.divergesIn(may)
	}
	for _, b := range may {
		edges := s.b.edgesOf(b)
		refuses := d.Kind == Refusal && stable(edges)
		for _, e := range edges {
			refuses = refuses && !slices.Contains(d.Refusal, e.Label)
		}
		ok = ok && !refuses
	}
	if !ok {
		effort.Abort(ErrUnconfirmed)
	}
}

// walk returns the state of A after a run.
func (s *search) walk(state uint32, run []lts.Edge) uint32 {
	for _, e := range run {
		s.tick()
		if !slices.Contains(s.edgesOf(state), e) {
			effort.Abort(ErrUnconfirmed)
		}
		state = e.To
	}
	return state
}

// closure returns the states of B that τ's lead to from some states, these included.
func (s *search) closure(states []uint32) []uint32 {
	known := map[uint32]bool{}
	var all []uint32
	add := func(b uint32) {
		if !known[b] {
			known[b] = true
			all = append(all, b)
		}
	}
	for _, b := range states {
		add(b)
	}
	for i := 0; i < len(all) && s.model.hides(); i++ {
		s.tick()
		for _, e := range s.b.edgesOf(all[i]) {
			if e.Label == lts.Tau {
				add(e.To)
			}
		}
	}
	return all
}

// divergesIn reports whether some states of B, closed under τ, have a τ-cycle: whether states are left when those
// without τ's to states that are left are taken away again and again.
func (s *search) divergesIn(states []uint32) bool {
	tausTo, left := map[uint32][]uint32{}, map[uint32]int{}
	var ends []uint32
	for _, b := range states {
		s.tick()
		for _, e := range s.b.edgesOf(b) {
			if e.Label == lts.Tau {
				tausTo[e.To] = append(tausTo[e.To], b)
				left[b]++
			}
		}
		if left[b] == 0 {
			ends = append(ends, b)
		}
	}
	gone := 0
	for ; gone < len(ends); gone++ {
		s.tick()
		for _, b := range tausTo[ends[gone]] {
			if left[b]--; left[b] == 0 {
				ends = append(ends, b)
			}
		}
	}
	return gone < len(states)
}

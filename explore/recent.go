package explore

import (
	"slices"

	"ringcheck/explore/internal/tree"
)

// recent holds state IDs that a worker has found recently. In breadth-first order most of the paths that join in a
// state do so close together: two independent transitions in either order. A state that is in the next level, and was
// put there by this worker, comes with the place where it is kept what is asleep at it.
type recent [1 << recentBits]struct {
	id     tree.StateID // plus one; 0 is none
	asleep *tree.Sleep
}

// recentBits makes recent fill an eighth of a second-level cache.
const recentBits = 13

// at returns where a state ID is, if it is there.
func at(id tree.StateID) int { return int(id * 0x9e3779b97f4a7c15 >> (64 - recentBits)) }

// forgetPlaces is called when the places will be used for something else: another level becomes the next one, or what
// was undecided is decided.
func (w *worker) forgetPlaces() {
	for i := range w.recent {
		w.recent[i].asleep = nil
	}
	clear(w.candidates.places)
}

// Candidates are the successors that were not found recently, on their way into the visited set.
type candidates struct {
	ids    []tree.StateID
	asleep []tree.Sleep
	at     []int32       // in recent
	next   int           // of state IDs: the first that may be queued next, of those that are queued together
	places []*tree.Sleep // where the frontier keeps what is asleep; nil for what is not new
}

// fill takes the successors that w has found. It adds to what is asleep at those that were found recently.
func (s *candidates) fill(w *worker) {
	to, sets := w.next.To, w.next.Asleep
	s.grow(len(to))
	n := 0
	for i, id := range to {
		asleep := tree.Sleep(0)
		if len(sets) > 0 {
			asleep = sets[i]
		}
		at := at(id)
		e := &w.recent[at]
		if e.id == id+1 {
			if e.asleep != nil {
				*e.asleep |= asleep
			}
			continue
		}
		s.ids[n], s.at[n], s.asleep[n] = id, int32(at), asleep
		e.id, e.asleep = id+1, &s.asleep[n]
		n++
	}
	s.ids, s.at, s.asleep, s.places = s.ids[:n], s.at[:n], s.asleep[:n], s.places[:n]
	clear(s.places)
	s.next = 0
}

// grow makes room for n state IDs. What points to what is asleep stays right until the next time.
func (s *candidates) grow(n int) {
	s.ids = slices.Grow(s.ids[:0], n)[:n]
	s.at = slices.Grow(s.at[:0], n)[:n]
	s.asleep = slices.Grow(s.asleep[:0], n)[:n]
	s.places = slices.Grow(s.places[:0], n)[:n]
}

// queued says where the frontier keeps what is asleep at a state. Those that are queued
// together are so in the order in which they are in s.
func (s *candidates) queued(id tree.StateID, place *tree.Sleep) {
	for s.ids[s.next] != id {
		s.next++
	}
	*place = s.asleep[s.next]
	s.places[s.next] = place
	s.next++
}

// settle notes the places of what was queued.
func (r *recent) settle(s *candidates) {
	for i, at := range s.at {
		if e := &r[at]; e.id == s.ids[i]+1 {
			e.asleep = s.places[i]
		}
	}
}

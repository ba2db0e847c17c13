package symmetry

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Sleep sets of a quotient. In a system, transitions are ordered by the numbers of their groups (package explore says
// why that loses no state). Rotation maps a group to another one, which would make that argument circular. An order by
// content works: the weight of a transition is a hash of the class of its group and of the contents of the group's
// slots, seen from its own process. Let a state s be found by a transition u from r. Then every transition t that is
// enabled in r, shares no slot with u and has less weight is asleep at s, seen in the frame of its representative.
//
// No state is lost: t leads from r to some q, and u from q to the target w of t from s. If w is not found otherwise by
// the next level, then q is on the same level as s, and u has the same weight in q as in r, since its slots are
// unchanged: more than t has. So in going from (s, t) to (q, u), and on from there if u is asleep at q, weights
// increase. Hence this ends, with a transition to w that is not asleep. Transitions of equal weight do not put each
// other to sleep.

// newSleep numbers the classes of some spans. Bit p*classes+c of a set is class c of process p.
func newSleep(n int, spans []*span, groups []model.Group) model.RotatedSleep {
	var all []*class
	for _, s := range spans {
		for _, c := range s.classes {
			c.number = len(all)
			all = append(all, c)
		}
	}
	z := model.RotatedSleep{Turn: len(all)}
	if n*len(all) > 64 {
		z.Environment = 1 << environmentBit
		return z
	}
	z.Width = n * len(all)
	for p := range n {
		for _, u := range all {
			if u.environment {
				z.Environment |= 1 << len(z.Shares)
			}
			z.Shares = append(z.Shares, 0)
			for q := range n {
				for _, t := range all {
					if overlap(groups[u.members[p].group].Slots, groups[t.members[q].group].Slots) {
						z.Shares[p*len(all)+u.number] |= 1 << (q*len(all) + t.number)
					}
				}
			}
		}
	}
	return z
}

// environmentBit is the bit of the environment's tags if there are too many classes for a set; all others then have bit
// 0.
const environmentBit = 1

// bit returns the bit of the tags of a class seen from the process of a window.
func (q *Quotient) bit(w *window, class int) uint {
	switch {
	case q.sleep.Width > 0:
		return uint(w.process*q.sleep.Turn + class)
	case w.environment:
		return environmentBit
	}
	return 0
}

// overlap reports whether two ascending lists have an element in common.
func overlap(a, b []int) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// A stage is a run of transitions of one class of one process.
type stage struct {
	class  int
	weight uint64
	end    int // in local.jumps
}

// weigh returns the weight of the transitions of a class from the given values of a member's slots.
func (q *Quotient) weigh(c *class, m *member, values []model.Value) uint64 {
	w := uint64(c.number+1) * 0x9e3779b97f4a7c15
	for i, v := range values {
		w = (w ^ q.hashOf(m.from[i]%q.ring.width, v)) * 0xbf58476d1ce4e5b9
		w ^= w >> 29
	}
	return w
}

// contentHashes caches the hashes of slot contents, by value, with the lowest bit set.
type contentHashes = intern.Array[atomic.Uint64]

// hashOf returns the hash of the content with value v at a place in a cell. Unlike the value, it is the same in all
// operating system processes, so that those that share a search agree on what is asleep.
func (q *Quotient) hashOf(place int, v model.Value) uint64 {
	known := q.hashes[place].At(v)
	h := known.Load()
	if h == 0 {
		h = xxhash.Sum64String(q.System.FormatSlot(q.ring.slots[0][place], v)) | 1
		known.Store(h)
	}
	return h
}

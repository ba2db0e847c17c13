package symmetry

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Rank implements reduction.Necklace.
func (q *Quotient) Rank(cell model.Value) uint32 { return uint32(q.cells.at(cell).rank >> 32) }

// Least implements reduction.Necklace.
func (q *Quotient) Least(twice []model.Value) int { return q.cells.leastRotation(twice) }

// Sleep implements reduction.Necklace.
func (q *Quotient) Sleep() reduction.RotatedSleep { return q.sleep }

// Unrotated implements reduction.Necklace.
func (q *Quotient) Unrotated(asleep bool) model.System {
	u := &unrotatedSystem{System: q, q: q, asleep: asleep}
	for _, s := range q.spans {
		for p := range q.ring.n {
			w := &spanGroup{span: s, process: p}
			for _, o := range s.offsets {
				w.slots = append(w.slots, q.ring.wrap(p+o))
			}
			slots := slices.Sorted(slices.Values(w.slots))
			for _, slot := range slots {
				w.order = append(w.order, slices.Index(w.slots, slot))
			}
			u.spanGroups = append(u.spanGroups, w)
			u.groups = append(u.groups, model.Group{Slots: slots, Environment: s.environment})
		}
	}
	return u
}

// unrotatedSystem is a quotient whose transitions lead to states that need not be representatives. Its slots, labels
// and initial states are the same. A group is a span from one process.
type unrotatedSystem struct {
	model.System
	q          *Quotient
	asleep     bool // labels are sleep tags
	spanGroups []*spanGroup
	groups     []model.Group
}

// A spanGroup is a span from one process: a group of the unrotated system.
type spanGroup struct {
	*span
	process int
	slots   []int // by place in the span
	order   []int // the places in the span, by slot
}

// Groups implements model.System.
func (u *unrotatedSystem) Groups() []model.Group { return u.groups }

// Next implements model.System.
func (u *unrotatedSystem) Next(g int, in []model.Value, out *model.Successors) error {
	w := u.spanGroups[g]
	x := u.q.spare.Get().(*expansion)
	defer u.q.spare.Put(x)
	for i, k := range w.order {
		x.put(w.slots[k], in[i])
	}
	l, err := u.q.spanTransitions(w.span, w.process, x)
	if err != nil {
		return err
	}
	choicesPerGroup := math.MaxUint32 / uint32(len(u.spanGroups))
	if l.choices > choicesPerGroup {
		panic(intern.ErrFull)
	}
	first := 0
	for _, r := range l.ranges {
		for i := first; i < r.end; i++ {
			step := l.list[i].steps[w.process]
			step.Choice += l.list[i].choice + uint32(g)*choicesPerGroup
			if u.asleep {
				weight := uint32(r.weight >> (64 - reduction.SleepWeightBits))
				step.Label = model.Label(reduction.NewSleepTag(u.q.bit(w, r.class), weight))
			}
			to := out.Add(step)
			for j, k := range w.order {
				to[j] = l.targets[i*len(w.order)+k]
			}
		}
		first = r.end
	}
	return nil
}

// Sleep sets of a quotient by rotation. In a system, transitions are ordered by the numbers of their groups (package
// explore says why that loses no state). Rotation maps a group to another one, which would make that argument circular.
// An order by content works: the weight of a transition is a hash of the class of its group and of the contents of the
// group's slots, seen from its own process. Let a state s be found by a transition u from r. Then every transition t
// that is enabled in r, shares no slot with u and has less weight is asleep at s, seen in the frame of its
// representative.
//
// No state is lost: t leads from r to some q, and u from q to the target w of t from s. If w is not found otherwise by
// the next level, then q is on the same level as s, and u has the same weight in q as in r, since its slots are
// unchanged: more than t has. So in going from (s, t) to (q, u), and on from there if u is asleep at q, weights
// increase. Hence this ends, with a transition to w that is not asleep. Transitions of equal weight do not put each
// other to sleep.

// newSleep numbers the classes of some spans. Bit p*classes+c of a set is class c of process p.
func newSleep(n int, spans []*span, groups []model.Group) reduction.RotatedSleep {
	var all []*class
	for _, s := range spans {
		for _, c := range s.classes {
			c.number = len(all)
			all = append(all, c)
		}
	}
	z := reduction.RotatedSleep{Turn: len(all)}
	if n*len(all) > 64 {
		z.Environment = 1 << environmentBit
		return z
	}
	z.Width = n * len(all)
	slots := func(bit int) []int { return groups[all[bit%len(all)].members[bit/len(all)].group].Slots }
	for i := range z.Width {
		if all[i%len(all)].environment {
			z.Environment |= 1 << i
		}
		z.Shares = append(z.Shares, 0)
		for j := range z.Width {
			if slices.ContainsFunc(slots(i), func(s int) bool { return slices.Contains(slots(j), s) }) {
				z.Shares[i] |= 1 << j
			}
		}
	}
	return z
}

// environmentBit is the bit of the environment's tags if there are too many classes for a set; all others then have bit
// 0.
const environmentBit = 1

// bit returns the bit of the tags of a class seen from the process of a spanGroup.
func (q *Quotient) bit(w *spanGroup, class int) uint {
	switch {
	case q.sleep.Width > 0:
		return uint(w.process*q.sleep.Turn + class)
	case w.environment:
		return environmentBit
	}
	return 0
}

// A classRange is a range of transitions of one class of one process.
type classRange struct {
	class  int
	weight uint64
	end    int // in cellTransitions.list
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
// operating system processes, so that processes that share a search agree on what is asleep.
func (q *Quotient) hashOf(place int, v model.Value) uint64 {
	known := q.hashes[place].At(v)
	h := known.Load()
	if h == 0 {
		h = xxhash.Sum64String(q.System.FormatSlot(q.ring.slots[0][place], v)) | 1
		known.Store(h)
	}
	return h
}

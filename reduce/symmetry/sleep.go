package symmetry

import (
	"ringcheck/model"
)

// Sleep sets of a quotient. In a system, transitions are ordered by the numbers of their groups (explore says why that loses
// no state). Rotation takes a group to another one, so that argument could go round in circles. An order by content
// will do: the weight of a transition is a hash of the class of its group and of what the group's slots hold,
// seen from its own process. Let a state s be found by a transition u from r. Then every transition t that is possible in r, shares no slot
// with u and weighs less is asleep at s, seen in the frame of its representative.
//
// Nothing is lost: t leads from r to some q, and u from q to the state w to which t leads from s. If w is not found otherwise
// by the next level, then q is of the same level as s, and u has the same weight in q as in r, since its slots hold the
// same: more than t has. So going from (s, t) to (q, u), and on from there if u is asleep at q, weights increase, and
// this ends, with a transition to w that is not asleep. Transitions of equal weight do not put each other to sleep.

// sleepSets knows which transitions of a state share slots. Bit p*classes+c of a set is class c of process p.
type sleepSets struct {
	classes int
	width   int      // bits of a set: classes of all processes; 0 if they are too many
	shares  []uint64 // by class: what shares a slot with the member of process 0
}

// newSleepSets numbers the classes of some spans.
func newSleepSets(n int, spans []*span, groups []model.Group) sleepSets {
	var all []*class
	for _, s := range spans {
		for _, c := range s.classes {
			c.number = len(all)
			all = append(all, c)
		}
	}
	z := sleepSets{classes: len(all)}
	if n*len(all) > 64 {
		return z
	}
	z.width = n * len(all)
	for _, u := range all {
		shares := uint64(0)
		for _, t := range all {
			for p := range n {
				if overlap(groups[u.members[0].group].Slots, groups[t.members[p].group].Slots) {
					shares |= 1 << z.bit(t.number, p)
				}
			}
		}
		z.shares = append(z.shares, shares)
	}
	return z
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

func (z *sleepSets) bit(class, process int) uint { return uint(process*z.classes + class) }

// turned returns a set as it is seen from process p.
func (z *sleepSets) turned(set uint64, p int) uint64 {
	by := p * z.classes
	return (set>>by | set<<(z.width-by)) & (1<<z.width - 1)
}

// sharing returns what shares a slot with a class of process p.
func (z *sleepSets) sharing(class, p int) uint64 {
	by := p * z.classes
	set := z.shares[class]
	return (set<<by | set>>(z.width-by)) & (1<<z.width - 1)
}

// A stage is some transitions of one class of one process.
type stage struct {
	class  int
	weight uint64
	end    int // in local.jumps
}

// weigh returns the weight of the transitions of a class from some values.
func (c *class) weigh(values []model.Value) uint64 {
	w := uint64(c.number+1) * 0x9e3779b97f4a7c15
	for _, v := range values {
		w = (w ^ uint64(v)) * 0xbf58476d1ce4e5b9
		w ^= w >> 29
	}
	return w
}

// An awaking is a class of a process that has transitions.
type awaking struct {
	bit    uint
	weight uint64
}

// A sleeper is a quotient as a model.Sleeper.
type sleeper struct{ *Quotient }

// NextAwake implements model.Sleeper.
func (q sleeper) NextAwake(in []model.Value, asleep uint64, out *model.Successors, after []uint64) (int, []uint64, error) {
	x := q.spare.Get().(*expansion)
	defer q.spare.Put(x)
	x.load(in)
	if err := q.lookUp(q.all, x); err != nil {
		return 0, after, err
	}
	total := 0
	x.awake = x.awake[:0]
	for i, l := range x.found {
		total += len(l.jumps)
		for _, s := range l.stages {
			x.awake = append(x.awake, awaking{q.sleep.bit(s.class, i%q.ring.n), s.weight})
		}
	}
	for i, l := range x.found {
		if len(l.jumps) > 0 {
			after = q.followAwake(x, q.all[i/q.ring.n], i%q.ring.n, l, asleep, out, after)
		}
	}
	return total, after, nil
}

// followAwake adds those of the transitions l of the cells that s is from process p that are not asleep.
func (q sleeper) followAwake(x *expansion, s *span, p int, l *local, asleep uint64, out *model.Successors, after []uint64) []uint64 {
	moved, first := false, 0
	for _, g := range l.stages {
		if asleep>>q.sleep.bit(g.class, p)&1 == 0 {
			puts := q.puts(x, g, p)
			for i := first; i < g.end; i++ {
				at := x.jump(s, p, l, i, 0, out)
				after = append(after, q.sleep.turned(puts, at))
			}
			moved = true
		}
		first = g.end
	}
	if moved {
		x.reset(s, p)
	}
	return after
}

// puts returns what a transition of process p puts to sleep: all that weighs less and shares no slot.
func (q sleeper) puts(x *expansion, g stage, p int) uint64 {
	set := uint64(0)
	for _, t := range x.awake {
		if t.weight < g.weight {
			set |= 1 << t.bit
		}
	}
	return set &^ q.sleep.sharing(g.class, p)
}

package tree

import (
	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
)

// taggedSleep computes the sleep sets of a quotient, whose tags are reduction.SleepTags.
type taggedSleep struct {
	sets     *reduction.SleepSets
	acts     bool                 // whether the environment may act
	possible []reduction.SleepTag // the transitions of a state, including sleeping ones
	after    []Sleep              // the sleep sets of the successors, if there are sleep sets
}

// expandTagged adds the successors of state i of some to x, and the number of those by the environment to out. If there
// are sleep sets, which may be empty, it adds those of the successors.
func (z *taggedSleep) expandTagged(
	w *Worker, i int, h halves, sets []Sleep, x *successors, out *Expansion,
) error {
	first, asleep := len(x.to), Sleep(0)
	if len(sets) > 0 {
		asleep = sets[i]
	}
	m, err := w.movesOf(w.root, h)
	if err == nil {
		z.possible = m.expandAwake(h, asleep, x, z.possible[:0])
		x.count += len(z.possible)
	}
	for k := 0; err == nil && k < len(w.root.directGroups); k++ {
		direct := len(x.to)
		err = w.expandDirect(w.root, w.root.directGroups[k], h, false, x)
		for _, tag := range x.tags[direct:] {
			z.possible = append(z.possible, reduction.SleepTag(tag))
		}
	}
	if len(sets) > 0 && len(z.sets.Shares) > 0 {
		for _, tag := range x.tags[first:] {
			z.after = append(z.after, z.putsToSleep(reduction.SleepTag(tag)))
		}
	}
	if err == nil && z.acts {
		n := 0
		for _, tag := range z.possible {
			n += int(z.sets.Environment >> tag.Bit() & 1)
		}
		out.Environment = append(out.Environment, n)
	}
	return err
}

// expandAwake adds the successors of a state, without direct groups, by the transitions whose tags are not asleep. It
// appends the tags of all transitions to possible.
func (m *moves) expandAwake(
	h halves, asleep Sleep, x *successors, possible []reduction.SleepTag,
) []reduction.SleepTag {
	for i, to := range m.left.moves {
		tag := m.left.tag(i, wide)
		possible = append(possible, reduction.SleepTag(tag))
		if !isAsleep(tag, asleep) {
			x.add(intern.Pair(to, h.right), tag)
		}
	}
	for i, to := range m.right.moves {
		tag := m.right.tag(i, wide)
		possible = append(possible, reduction.SleepTag(tag))
		if !isAsleep(tag, asleep) {
			x.add(intern.Pair(h.left, to), tag)
		}
	}
	for i := range m.spanning {
		s := &m.spanning[i]
		for list := s.list; len(list) > 0; list = list[3:] {
			possible = append(possible, reduction.SleepTag(list[2]))
			if !isAsleep(list[2], asleep) {
				x.cross(m, s, list)
			}
		}
	}
	return possible
}

// isAsleep reports whether a transition with a reduction.SleepTag is asleep.
func isAsleep(tag uint32, asleep Sleep) bool { return asleep>>reduction.SleepTag(tag).Bit()&1 != 0 }

// putsToSleep returns the transitions that u puts to sleep: all possible ones that are lighter and share no slot with
// it.
func (z *taggedSleep) putsToSleep(u reduction.SleepTag) Sleep {
	set := Sleep(0)
	for _, t := range z.possible {
		if t.Weight() < u.Weight() {
			set |= 1 << t.Bit()
		}
	}
	return set &^ z.sets.Shares[u.Bit()]
}

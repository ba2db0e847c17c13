package tree

import (
	"context"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A ring is the additional data of a store of a quotient by rotation. The store has the tree of the unrotated system,
// whose successors are found as usual and then rotated. For most of them, the leads of their halves show with which
// cell the representative begins. If it begins with the first cell, nothing is rotated.
type ring struct {
	model.Necklace
	sleep       model.RotatedSleep
	left, right intern.Array[atomic.Uint32] // by number of a half: its lead; 0 if unknown
}

// A lead describes the cells of the least rank in a half. From the highest bit down: 24 bits of the rank, 6 bits for
// the position of the first such cell, 1 bit if no other cell has these 24 bits, and 1 bit that is always set.
type lead uint32

const (
	leadRank   = 8
	leadCell   = 1<<6 - 1
	leadUnique = 2
	leadKnown  = 1
)

func (l lead) rank() uint32   { return uint32(l) >> leadRank }
func (l lead) cell() int      { return int(l >> 2 & leadCell) }
func (l lead) isUnique() bool { return l&leadUnique != 0 }

// rotate makes s the store of a quotient by rotation, if its system is one. It returns false if a group spans too much
// of a state to be tabulated: then the quotient is treated like any other system.
func (s *Store) rotate(ctx context.Context) bool {
	n, ok := model.As[model.Necklace](s.sys)
	if !ok || s.width < 2 {
		return false
	}
	sys := n.Unrotated(s.set)
	s.buildTree(ctx, sys)
	if len(s.root.directGroups) > 0 {
		return false
	}
	s.tagBits = wide
	s.sys, s.ring = sys, &ring{Necklace: n, sleep: n.Sleep()}
	if s.set {
		s.tagger = labelTag
		return true
	}
	tagger := s.tagger
	s.tagger = func(group int, step model.Step) uint32 {
		if s.groups[group].Environment {
			return tagger(1, step)
		}
		return tagger(0, step)
	}
	return true
}

// sleepTags reports whether the tags serve the sleep sets of a quotient.
func (s *Store) sleepTags() bool { return s.ring != nil && s.set }

func (r *ring) bytes() int64 {
	if r == nil {
		return 0
	}
	return r.left.Bytes() + r.right.Bytes()
}

// rotations is the scratch space of a Worker for rotating the states of a ring.
type rotations struct {
	sleeps   bool
	possible []model.SleepTag // the possible transitions of a state
	collects bool             // whether span collects them, see addAwake
	after    []Sleep          // the sleep sets of the successors, if there are sleep sets
	twice    []model.Value    // two copies of a state
	leads    []leads          // the leads of successors
}

// expandUnrotated is expandRecords for a state of a ring, with the sleep sets of the successors.
func (w *Worker) expandUnrotated(left, right uint32, lrecord, rrecord *record, asleep Sleep, x *expansion) error {
	first := len(x.to)
	w.possible = w.possible[:0]
	err := w.addAwake(left, right, lrecord, rrecord, asleep, x)
	x.count += len(w.possible)
	if w.sleeps {
		for _, tag := range x.tags[first:] {
			w.after = append(w.after, w.putsToSleep(model.SleepTag(tag)))
		}
	}
	return err
}

// addAwake is expandRecords for tags that are model.SleepTags, whose bits sleep sets refer to. It collects all
// transitions in w.possible, and counts none.
func (w *Worker) addAwake(left, right uint32, lrecord, rrecord *record, asleep Sleep, x *expansion) error {
	n := w.root
	m := &w.memos[n.id]
	l, r := &m.left, &m.right
	if err := w.memoOf(n.left, left, lrecord, l); err != nil {
		return err
	}
	if err := w.memoOf(n.right, right, rrecord, r); err != nil {
		return err
	}
	for i, to := range l.moves {
		if tag := l.tag(i, wide); w.awake(tag, asleep) {
			x.add(intern.Pair(to, right), tag)
		}
	}
	for i, to := range r.moves {
		if tag := r.tag(i, wide); w.awake(tag, asleep) {
			x.add(intern.Pair(left, to), tag)
		}
	}
	w.collects = true
	err := w.spanAll(n, l, r, asleep, x)
	w.collects = false
	return err
}

// awake collects a transition, and reports whether it is not asleep.
func (t *rotations) awake(tag uint32, asleep Sleep) bool {
	t.possible = append(t.possible, model.SleepTag(tag))
	return asleep>>model.SleepTag(tag).Bit()&1 == 0
}

// putsToSleep returns the transitions that u puts to sleep: all possible ones that are lighter and share no slot with
// it.
func (w *Worker) putsToSleep(u model.SleepTag) Sleep {
	set := Sleep(0)
	for _, t := range w.possible {
		if t.Weight() < u.Weight() {
			set |= 1 << t.Bit()
		}
	}
	return set &^ w.ring.sleep.Shares[u.Bit()]
}

// representatives rotates the successors in x.
func (w *Worker) representatives(x *expansion) {
	// Read all leads first, so that the reads overlap.
	w.leads = w.leads[:0]
	for _, to := range x.to {
		w.leads = append(w.leads, w.leadsOf(to))
	}
	cut := w.root.right.first
	for i, l := range w.leads {
		at, known := l.firstCell(cut)
		if known && at == 0 {
			continue
		}
		to := &x.to[i]
		w.load(*to)
		if !known {
			if at = w.ring.Least(w.twice); at == 0 {
				continue
			}
		}
		if w.sleeps {
			w.after[i] = w.ring.sleep.Rotate(w.after[i], at)
		}
		if x.large() {
			w.numberMissing(w.root, x)
		}
		w.countWork(w.width)
		x.leftParts.add(w.twice[at:][:cut], i)
		x.rightParts.add(w.twice[at:][cut:w.width], i)
		*to = 0
	}
	w.numberMissing(w.root, x)
}

// load sets w.twice to a state.
func (w *Worker) load(id StateID) {
	w.Vector(id, w.twice)
	copy(w.twice[w.width:], w.twice)
}

// leads has the lead of each half of a state.
type leads struct{ left, right lead }

func (w *Worker) leadsOf(id StateID) leads {
	left, right := intern.Split(id)
	return leads{w.lead(w.root.left, left, &w.ring.left), w.lead(w.root.right, right, &w.ring.right)}
}

// firstCell returns the cell of a state with which its representative begins; known is false if other rotations begin
// with an equal cell. The right half begins at cut.
func (l leads) firstCell(cut int) (at int, known bool) {
	switch a, b := l.left.rank(), l.right.rank(); {
	case a < b:
		return l.left.cell(), l.left.isUnique()
	case a > b:
		return cut + l.right.cell(), l.right.isUnique()
	}
	return 0, false
}

// MaybeSymmetric reports whether a rotation other than the full one may map a state to itself. It may return true
// although none does.
func (w *Worker) MaybeSymmetric(id StateID) bool {
	if w.ring == nil {
		return true
	}
	_, known := w.leadsOf(id).firstCell(0)
	return !known
}

// lead returns the lead of a half.
func (w *Worker) lead(n *node, half uint32, known *intern.Array[atomic.Uint32]) lead {
	p := known.At(half)
	if l := p.Load(); l != 0 {
		return lead(l)
	}
	n.decode(half, w.twice)
	best := lead(leadKnown)
	for cell := n.first; cell < n.end; cell++ {
		rank := w.ring.Rank(w.twice[cell]) >> leadRank
		switch {
		case cell == n.first || rank < best.rank():
			best = lead(rank<<leadRank) | leadKnown
			if k := cell - n.first; k <= leadCell {
				best |= lead(k)<<2 | leadUnique
			}
		case rank == best.rank():
			best &^= leadUnique
		}
	}
	p.Store(uint32(best))
	return best
}

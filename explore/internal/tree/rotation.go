package tree

import (
	"context"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// rotation has the data of the case of a quotient by rotation that all workers share. The store has the tree of the
// unrotated system, whose successors are found as in the plain case and then rotated. For most of them, the leads of
// their halves show with which cell the representative begins. If it begins with the first cell, nothing is rotated.
type rotation struct {
	necklace    reduction.Necklace
	sleep       reduction.RotatedSleep
	sleepTags   bool                           // whether tags are reduction.SleepTags
	environment *environment                   // its marks are unused with sleep tags
	leads       [2]intern.Array[atomic.Uint32] // of the left and right halves, by number; 0 if unknown
}

// useRotation makes s a store of this case, if sys is a quotient by rotation. It returns false if a group has too many
// slots to be tabulated at the root: then the quotient is a plain system.
func (s *Store) useRotation(ctx context.Context, sys model.System, tagger Tagger) bool {
	n, ok := model.As[reduction.Necklace](sys)
	if !ok || s.width < 2 {
		return false
	}
	r := &rotation{necklace: n, sleep: n.Sleep(), sleepTags: tagger == nil}
	s.plant(ctx, n.Unrotated(r.sleepTags), s.height(), nil)
	if len(s.root.directGroups) > 0 {
		return false
	}
	r.environment = newEnvironment(s.source.groups)
	s.source.tag, s.source.tagBits, s.source.omitRepeated = labelTag, wide, r.sleepTags
	if !r.sleepTags {
		s.source.tag = r.environment.tagger(&s.source, func(_, of int, step model.Step) uint32 {
			return tagger(of, step)
		})
	}
	s.newExpander = func(w *Worker) expander {
		return &rotationExpander{
			rotation: r, taggedSleep: taggedSleep{sets: &r.sleep.SleepSets, acts: r.environment.acts}, w: w,
			twice: make([]model.Value, 2*s.width),
		}
	}
	s.sleeps, s.tabulates = r.sleepTags && r.sleep.Width > 0, true
	s.caseArrays = []array{&r.leads[0], &r.leads[1]}
	return true
}

// tagger returns the Tagger of the nodes for the steps of a quotient, whose second group is the environment's. The
// given one gets the groups of both systems.
func (e *environment) tagger(s *source, tagger func(group, of int, step model.Step) uint32) Tagger {
	return func(group int, step model.Step) uint32 {
		isEnvironment := s.groups[group].Environment
		if !isEnvironment {
			return s.mark(tagger(group, 0, step), step)
		}
		tag := s.mark(tagger(group, 1, step), step)
		if tag&repeated == 0 {
			e.mark(tag)
		}
		return tag
	}
}

// A rotationExpander is the expander of a quotient by rotation.
type rotationExpander struct {
	*rotation
	taggedSleep
	w              *Worker
	twice          []model.Value // two copies of a state, one after the other
	successorLeads []leads
}

// halvesMove returns false: a target need not be a representative.
func (r *rotationExpander) halvesMove() bool { return false }

func (r *rotationExpander) orbitSize(id StateID) (n uint64, known bool) {
	_, known = r.leadsOf(id).firstCell(0)
	return uint64(r.w.width), known
}

func (r *rotationExpander) expand(states []StateID, asleep []Sleep, x *successors, out *Expansion) error {
	r.after = r.after[:0]
	err := r.w.expandEach(states, x, out, func(i int, h halves) error {
		if r.sleepTags {
			return r.expandTagged(r.w, i, h, asleep, x, out)
		}
		return r.environment.expand(r.w, h, x, out)
	})
	r.w.numberMissing(r.w.root, x)
	r.rotate(x)
	out.Asleep = append(out.Asleep, r.after...)
	return err
}

// rotate rotates the successors in x and, with sleep sets, the sleep sets of the successors.
func (r *rotationExpander) rotate(x *successors) {
	// Read all leads first, so that the reads overlap.
	r.successorLeads = r.successorLeads[:0]
	for _, to := range x.to {
		r.successorLeads = append(r.successorLeads, r.leadsOf(to))
	}
	root, width := r.w.root, r.w.width
	cut := root.right.first
	for i, l := range r.successorLeads {
		at, known := l.firstCell(cut)
		if known && at == 0 {
			continue
		}
		to := &x.to[i]
		r.w.Vector(*to, r.twice)
		copy(r.twice[width:], r.twice)
		if !known {
			if at = r.necklace.Least(r.twice); at == 0 {
				continue
			}
		}
		if len(r.after) > 0 {
			r.after[i] = r.sleep.Rotate(r.after[i], at)
		}
		if x.large() {
			r.w.numberMissing(root, x)
		}
		r.w.countWork(width)
		x.leftValues.add(r.twice[at:][:cut], i)
		x.rightValues.add(r.twice[at:][cut:width], i)
		*to = 0
	}
	r.w.numberMissing(root, x)
}

package tree

import (
	"context"

	"ringcheck/explore/reduction"
	"ringcheck/model"
)

// useRepresentatives makes s the store of a system of representatives, if sys is one. The store has the tree of the
// unreduced system. It returns false if a group of that system has too many slots to be tabulated at the root.
func (s *Store) useRepresentatives(ctx context.Context, sys model.System, tagger Tagger) bool {
	r, ok := model.As[reduction.RepresentativeSystem](sys)
	if !ok || s.width < 2 {
		return false
	}
	s.plant(ctx, r.Unreduced(), s.height(), nil)
	if len(s.root.directGroups) > 0 {
		return false
	}
	s.source.tag, s.source.tagBits, s.source.omitRepeated = labelTag, wide, tagger == nil
	s.tabulates = true
	newRepresenter := r.Representatives()
	s.newExpander = func(w *Worker) expander {
		return &representativeExpander{w: w, tagger: tagger, representer: newRepresenter(&space{Worker: w})}
	}
	return true
}

// A representativeExpander is the expander of a system of representatives. The reduction finds the successors in the
// space of the unreduced system.
type representativeExpander struct {
	w           *Worker
	tagger      Tagger // of the reduced system; nil if transitions are only counted
	representer reduction.Representer
}

// halvesMove returns false: a target need not be a representative.
func (r *representativeExpander) halvesMove() bool { return false }

func (r *representativeExpander) orbitSize(StateID) (n uint64, known bool) { return 0, false }

func (r *representativeExpander) expand(states []StateID, _ []Sleep, x *successors, out *Expansion) error {
	done := func(n int) { // the representatives before n are complete
		for len(out.Ends) < n {
			out.Ends, out.Counts = append(out.Ends, len(x.to)), append(out.Counts, x.count)
			x.count = 0
		}
	}
	n, err := r.representer.Follow(states, func(i int, step model.Step, to StateID) {
		if step.Repeated && r.tagger == nil {
			return
		}
		done(i)
		tag := uint32(0)
		if r.tagger != nil {
			tag = r.w.source.mark(r.tagger(0, step), step)
		}
		x.add(to, tag)
		if !step.Repeated {
			x.count++
		}
	})
	done(n)
	return err
}

// space is the reduction.Space of an unreduced system.
type space struct {
	*Worker
	possible []reduction.SleepTag // scratch space of Next
}

func (s *space) Number(state []model.Value) uint64    { return s.ID(state) }
func (s *space) Read(id StateID, state []model.Value) { s.Vector(id, state) }

// allButConfluent is the set of all transitions of the unreduced system except the confluent ones, whose bit is 0.
const allButConfluent = ^Sleep(1)

// Next implements reduction.Space, in passes as Expand does.
func (s *space) Next(states []StateID, confluent bool, out *reduction.Arrows) (err error) {
	out.All, out.Ends = out.All[:0], out.Ends[:0]
	s.seek(states)
	x := s.acquire()
	defer s.release(x)
	for i, id := range states {
		if h := s.halves(i, id); confluent {
			err = s.expandConfluent(h, x)
		} else {
			err = s.expand(s.root, h, x)
		}
		if err != nil {
			break
		}
		s.countWork(1)
		out.Ends = append(out.Ends, len(x.to))
	}
	s.numberMissing(s.root, x)
	s.countWork(len(x.to))
	for i, to := range x.to {
		out.All = append(out.All, reduction.Arrow{Tag: reduction.SleepTag(x.tags[i]), To: to})
	}
	return err
}

// expandConfluent adds the successors of a state by confluent transitions.
func (s *space) expandConfluent(h halves, x *successors) error {
	m, err := s.movesOf(s.root, h)
	if err == nil {
		s.possible = m.expandAwake(h, allButConfluent, x, s.possible[:0])
	}
	return err
}

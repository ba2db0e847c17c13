package tree

import (
	"context"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// representation is the additional data of a store of representatives, which has the tree of the unreduced system.
type representation struct {
	all     model.Representatives // nil for any other system
	stepTag Tagger                // of the reduced system
}

// represent makes s the store of a system of representatives, if its system is one. It returns false if some group of
// the unreduced system spans too much of a state to be tabulated.
func (s *Store) represent(ctx context.Context) bool {
	r, ok := model.As[model.RepresentativeSystem](s.sys)
	if !ok || s.width < 2 {
		return false
	}
	sys := r.Unreduced()
	s.buildTree(ctx, sys)
	if len(s.root.directGroups) > 0 {
		return false
	}
	s.representation = representation{r.Representatives(), s.tagger}
	s.sys, s.tagger, s.tagBits = sys, labelTag, wide
	return true
}

// labelTag is the Tagger of a system whose labels are tags.
func labelTag(_ int, step model.Step) uint32 { return uint32(step.Label) }

// expandRepresented adds the successors of representatives.
func (w *Worker) expandRepresented(states []StateID, x *expansion, out *Expansion) error {
	done := func(n int) { // the representatives before n are complete
		for len(out.Ends) < n {
			out.Ends, out.Counts = append(out.Ends, len(x.to)), append(out.Counts, x.count)
			x.count = 0
		}
	}
	n, err := w.representer.Follow(states, func(i int, step model.Step, to StateID) {
		if step.Repeated && w.set {
			return
		}
		done(i)
		tag := uint32(0)
		if w.stepTag != nil {
			tag = w.stepTag(0, step)
		}
		x.add(to, tag)
		if !step.Repeated {
			x.count++
		}
	})
	done(n)
	return err
}

// space is the model.Space of an unreduced system.
type space struct{ *Worker }

func (s space) Number(state []model.Value) uint64    { return s.ID(state) }
func (s space) Read(id StateID, state []model.Value) { s.Vector(id, state) }

// allButConfluent is the set of all transitions of the unreduced system except the confluent ones, whose bit is 0.
const allButConfluent = ^Sleep(1)

// Next implements model.Space, in passes as Expand does.
func (s space) Next(states []StateID, confluent bool, out *model.Arrows) (err error) {
	out.All, out.Ends = out.All[:0], out.Ends[:0]
	s.seek(states)
	x := s.acquire()
	defer s.release(x)
	for i, id := range states {
		l, r := intern.Split(id)
		lrecord, rrecord := s.records[0][i], s.records[1][i]
		if confluent {
			s.possible = s.possible[:0]
			err = s.addAwake(l, r, lrecord, rrecord, allButConfluent, x)
		} else {
			err = s.expandRecords(s.root, l, r, lrecord, rrecord, 0, x)
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
		out.All = append(out.All, model.Arrow{Tag: model.SleepTag(x.tags[i]), To: to})
	}
	return err
}

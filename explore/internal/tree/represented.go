package tree

import (
	"context"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// represented is what a store of representatives knows beyond the tree, which is that of the unreduced system.
type represented struct {
	all     model.Representatives // nil of any other system
	stepTag Tagger                // of the reduced system
}

// represent makes s the store of a system of representatives, if its system is one. It reports false if there is a
// group of the other system that spans too much of a state to be tabulated.
func (s *Store) represent(ctx context.Context) bool {
	r, ok := model.As[model.Represented](s.sys)
	if !ok || s.width < 2 {
		return false
	}
	sys := r.Unreduced()
	s.plant(ctx, sys)
	if len(s.root.direct) > 0 {
		return false
	}
	s.represented = represented{r.Representatives(), s.tagger}
	s.sys, s.tagger, s.tagBits = sys, labelTag, wide
	return true
}

// labelTag is the Tagger of a system whose labels are tags.
func labelTag(_ int, step model.Step) uint32 { return uint32(step.Label) }

// expandRepresented adds the successors of a representative.
func (w *Worker) expandRepresented(id StateID, x *expansion) error {
	return w.representer.Follow(id, func(step model.Step, to StateID) {
		if step.Repeated && w.set {
			return
		}
		tag := uint32(0)
		if w.stepTag != nil {
			tag = w.stepTag(0, step)
		}
		x.add(to, tag)
		if !step.Repeated {
			x.count++
		}
	})
}

// space is the states of an unreduced system: a model.Space.
type space struct{ *Worker }

func (s space) Number(state []model.Value) uint64    { return s.ID(state) }
func (s space) Read(id StateID, state []model.Value) { s.Vector(id, state) }

// notConfluent is a sleep set: all transitions but those that are confluent.
const notConfluent = ^Sleep(1)

func (s space) Next(id StateID, confluent bool, out []model.Arrow) ([]model.Arrow, error) {
	x := s.acquire()
	defer s.release(x)
	asleep := Sleep(0)
	if confluent {
		asleep = notConfluent
	}
	s.possible = s.possible[:0]
	l, r := intern.Split(id)
	if err := s.addAwake(l, r, s.root.left.record(l), s.root.right.record(r), asleep, x); err != nil {
		return out, err
	}
	s.settle(s.root, x)
	s.did(1 + len(x.to))
	for i, to := range x.to {
		out = append(out, model.Arrow{Tag: model.SleepTag(x.tags[i]), To: to})
	}
	return out, nil
}

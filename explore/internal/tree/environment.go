package tree

import (
	"slices"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// environment marks the tags of the environment's transitions, so that an expander can count them: a state that has no
// others is quiescent.
type environment struct {
	acts  bool                        // whether there may be such transitions
	marks intern.Array[atomic.Uint32] // by tag: not 0 if such transitions have it
}

func newEnvironment(groups []model.Group) *environment {
	return &environment{acts: slices.ContainsFunc(groups, func(g model.Group) bool { return g.Environment })}
}

func (e *environment) mark(tag uint32) { e.marks.At(tag).Store(1) }

// count returns the number of tags that are marked. Repeated steps do not count.
func (e *environment) count(tags []uint32) (n int) {
	for _, tag := range tags {
		if tag&repeated == 0 {
			n += int(e.marks.At(tag).Load())
		}
	}
	return n
}

// expand adds the successors of a state to x, and the number of those by the environment to out.
func (e *environment) expand(w *Worker, h halves, x *successors, out *Expansion) error {
	first := len(x.to)
	err := w.expand(w.root, h, x)
	if err == nil && e.acts {
		out.Environment = append(out.Environment, e.count(x.tags[first:]))
	}
	return err
}

package equivalence

import (
	"context"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/bisim/refinement"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// A side is one of two systems whose transitions are asked for state by state. A file is read before.
type side struct {
	refinement.System
	graph    *Graph // with the numbers of what was asked for
	options  *GraphOptions
	labels   *labeller
	alphabet *refinement.Alphabet
	subject  *reduce.Subject   // nil for a file
	fragment *explore.Fragment // likewise
}

// open prepares a system, or reads its file. If that ends early, the System is nil and the graph says so.
func open(ctx context.Context, sys *reduce.System, o *GraphOptions, alphabet *refinement.Alphabet) (*side, error) {
	s := &side{options: o, alphabet: alphabet, labels: &labeller{visible: o.Visible}}
	var err error
	if sys.File != "" {
		if s.graph, err = read(ctx, sys.File, s.labels, o); err == nil && s.graph.LTS != nil {
			s.System = refinement.Of(s.graph.LTS, alphabet)
		}
		return s, err
	}
	if s.subject, err = o.subject(sys); err != nil {
		return nil, err
	}
	s.graph = &Graph{Description: s.subject.Description(), Ending: explore.Ending{Complete: true}}
	err = s.graph.Ending.Phase(ctx, func() error {
		if err := s.subject.Prepare(ctx); err != nil {
			return err
		}
		s.graph.Description = s.subject.Description()
		s.fragment, err = explore.NewFragment(ctx, s.subject.SearchSystem, s.subject.Search.ExploreOptions(), s.label)
		return err
	})
	if s.fragment != nil && err == nil {
		s.System = s.fragment
	}
	return s, err
}

// label returns the number of a label.
func (s *side) label(info model.LabelInfo) lts.Label { return s.alphabet.Label(s.labels.name(info)) }

// close frees the memory, and sets the numbers of the graph.
func (s *side) close() {
	if s == nil || s.fragment == nil {
		return
	}
	result := s.fragment.Result()
	s.graph.Size = Size{States: model.Count(result.Stored), Transitions: model.Count(result.Transitions)}
	s.fragment.Close()
}

// stop records why the system has no further answers, if that is so, and reports it.
func (s *side) stop(e *explore.Ending) bool {
	if s.fragment == nil || s.fragment.Result().Complete() {
		return false
	}
	*e = s.fragment.Result().Ending()
	return true
}

// run returns the run of the full system that a difference shows, replayed by the small-step semantics. cut says why
// it is nil.
func (s *side) run(
	ctx context.Context, d *refinement.Difference, finding string,
) (run *view.Run, cut string, err error) {
	if s.fragment == nil {
		return s.fileRun(d, finding), "", nil
	}
	if s.subject.Liftable() != nil {
		return nil, "runs of orbits of representatives cannot be lifted to the full system", nil
	}
	moves, err := s.fragment.Moves(d.Run)
	if err != nil {
		return nil, "", err
	}
	if s.subject.Reduced != nil {
		if moves, err = s.lift(ctx, moves); err != nil {
			return nil, "", err
		}
	}
	run = verify.FullRun(s.subject, finding, moves)
	if !slices.Equal(s.visible(run), s.trace(d)) {
		return nil, "the run passes orbits between which there are several steps, of which only some are visible", nil
	}
	if d.Kind == refinement.Divergence && slices.Equal(moves[len(moves)-1].State, moves[len(moves)-1-d.Cycle].State) {
		run.Lasso = &model.Lasso{Stem: len(moves) - 1 - d.Cycle, Cycle: d.Cycle}
	}
	return run, "", verify.Confirm(s.subject, moves)
}

// lift returns the run of the full system for one of the searched system.
func (s *side) lift(ctx context.Context, moves []model.Move) ([]model.Move, error) {
	var err error
	if q := s.subject.Reduced.Quotient(); q != nil {
		states := make([][]model.Value, len(moves))
		for i, m := range moves {
			states[i] = m.State
		}
		if moves, err = q.Lift(states, nil); err != nil {
			return nil, err
		}
	}
	moves, _, err = s.subject.Reduced.Lift(ctx, moves)
	return moves, err
}

// trace returns the visible labels of a difference; it leaves out τ, even where that counts.
func (s *side) trace(d *refinement.Difference) []string {
	trace := []string{}
	for _, l := range d.Trace {
		if l != lts.Tau {
			trace = append(trace, s.alphabet.Text(l))
		}
	}
	return trace
}

// visible returns the visible labels of a run.
func (s *side) visible(run *view.Run) []string {
	trace := []string{}
	for _, m := range run.Moves[1:] {
		if text := s.labels.name(run.System.Label(m.Step.Label)); text != lts.TauName {
			trace = append(trace, text)
		}
	}
	return trace
}

// fileRun returns the run of a file, whose states have numbers only.
func (s *side) fileRun(d *refinement.Difference, finding string) *view.Run {
	steps := []view.ValueStep{{State: s.graph.LTS.Initial()}}
	for _, e := range d.Run {
		steps = append(steps, view.ValueStep{Action: s.alphabet.Text(e.Label), State: e.To})
	}
	name := s.graph.Title()
	run := &view.Run{Name: name, Title: name, Finding: finding, Excerpt: view.Values(name, steps), Steps: len(d.Run)}
	if d.Kind == refinement.Divergence {
		run.Lasso = &model.Lasso{Stem: len(d.Run) - d.Cycle, Cycle: d.Cycle}
	}
	return run
}

package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/view"
)

// FullRun returns moves of the full system of a subject as a run. The finding is a sentence about it.
func FullRun(s *reduce.Subject, finding string, moves []model.Move) *view.Run {
	run := &view.Run{
		Name: s.System.Name, Title: s.System.Title(), Finding: finding, System: s.SearchSystem, Moves: moves,
	}
	if s.Full != nil {
		run.System = s.Full
	}
	return run
}

// Confirm takes moves of the full system of a subject step by step: of a spec by the small-step semantics, see Retake.
// It returns an error if there is no such step.
func Confirm(s *reduce.Subject, moves []model.Move) error {
	var err error
	if s.Full != nil {
		err = Retake(s.Full, moves)
	} else {
		err = retrace(s.SearchSystem, moves)
	}
	if err != nil {
		return fmt.Errorf("the run found in %s cannot be replayed: %w", s.System.Name, err)
	}
	return nil
}

// Show replays a run that was found in a subject, and returns it with its explanation.
func Show(s *reduce.Subject, found *Run) (*view.Run, error) {
	var err error
	if s.Full != nil {
		err = Replay(s.Full, found)
	} else {
		err = retrace(s.SearchSystem, found.Moves)
	}
	if err != nil {
		return nil, fmt.Errorf("the run found in %s cannot be replayed: %w", s.System.Name, err)
	}
	if found.EvalError != nil {
		finding := fmt.Sprintf("%v, after %s", found.EvalError, printable.Count(len(found.Moves)-1, "step"))
		return FullRun(s, finding, found.Moves), nil
	}
	run := FullRun(s, "", found.Moves)
	run.Property = found.Property.Name
	terminal := true
	if n := len(found.Moves); n > 0 {
		if _, terminal, err = model.Quiescent(run.System, found.Moves[n-1].State); err != nil {
			return nil, err
		}
	}
	run.Finding = found.Finding(terminal)
	switch {
	case found.Lasso != nil:
		run.Lasso = &model.Lasso{Stem: found.Lasso.Stem, Cycle: found.Lasso.Cycle}
		run.Why = found.Lasso.Reasons()
	case found.Prefix != nil:
		run.Why = found.Prefix.Reasons()
	case found.Moves != nil:
		run.Why, err = Reasons(s, found.Property, found.Moves[len(found.Moves)-1].State)
	}
	return run, err
}

// Finding says in a sentence what a run shows. terminal reports whether its last state is terminal.
func (r *Run) Finding(terminal bool) string {
	text := r.Property.Name
	if r.Property.Doc != "" {
		text += fmt.Sprintf(" (%s)", r.Property.Doc)
	}
	if r.Moves == nil {
		return text + " is violated: no reachable state satisfies it"
	}
	if l := r.Lasso; l != nil {
		text += " is violated: "
		if l.Cycle == 0 {
			return text + "the run ends after " + printable.Count(l.Stem, "step")
		}
		if l.Cycle == 1 {
			return text + fmt.Sprintf("after %s the next one is repeated for ever", printable.Count(l.Stem, "step"))
		}
		return fmt.Sprintf("%safter %s the next %d are repeated for ever", text,
			printable.Count(l.Stem, "step"), l.Cycle)
	}
	steps := printable.Count(len(r.Moves)-1, "step")
	if r.Prefix != nil {
		return text + " is violated after " + steps + ", however the run continues"
	}
	text += " " + r.Property.Kind.Finding + " after " + steps
	switch {
	case !r.Property.Kind.OfEnds():
	case terminal:
		text += ", in a terminal state"
	default:
		text += ", in a state in which only the environment can act"
	}
	return text
}

// retrace returns an error unless each state of the run is a successor of the one before it.
func retrace(sys model.System, moves []model.Move) error {
	for i, m := range moves {
		found := false
		var err error
		if i == 0 {
			err = sys.Initial(func(s []model.Value) bool {
				found = slices.Equal(s, m.State)
				return !found
			})
		} else {
			err = model.Each(sys, moves[i-1].State, func(_ int, step model.Step, next []model.Value) bool {
				found = step.Label == m.Step.Label && slices.Equal(next, m.State)
				return !found
			})
		}
		if !found {
			return cmp.Or(err, fmt.Errorf("there is no step %d", i))
		}
	}
	return nil
}

// RunTo returns a shortest run to a state of the searched system in which a model error occurred, lifted to the full
// system where possible.
func RunTo(ctx context.Context, s *reduce.Subject, state []model.Value, failure error) (*view.Run, error) {
	moves, err := explore.Path(ctx, s.SearchSystem, s.Search.ExploreOptions(),
		func(_ int, to []model.Value) bool { return slices.Equal(to, state) })
	if err != nil {
		return nil, fmt.Errorf("no run that leads there was found: %w", err)
	}
	run := FullRun(s, "", moves)
	run.System = s.SearchSystem
	if s.Reduced == nil {
		return run, nil
	}
	if q := s.Reduced.Quotient(); q != nil {
		states := make([][]model.Value, len(moves))
		for i, m := range moves {
			states[i] = m.State
		}
		end := q.Member(state)
		run.System = q.Beneath()
		run.Moves, err = q.Lift(states, func(state []model.Value) bool { return slices.Equal(state, end) })
	}
	if err != nil || s.Liftable() != nil {
		return run, err
	}
	run.System = s.Full
	run.Moves, err = s.Reduced.LiftToError(ctx, run.Moves, failure)
	return run, err
}

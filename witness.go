package ringcheck

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/verify"
)

// ExtremeRun returns a run that attains the greatest (scheduler max) or least (min) value of an expected reward, of a protocol without chance; or, if
// the greatest is infinite, one that never comes to the goal. It was taken again, step by step, by a second implementation.
func ExtremeRun(ctx context.Context, sys *System, q Quantity, opt Options) (*Run, error) {
	const reason = "a run is one of the full system"
	switch opt = only([]Options{opt}); {
	case opt.Symmetry != NoSymmetry:
		return nil, refuse("symmetry", string(opt.Symmetry), reason)
	case opt.Reduction != NoReduction:
		return nil, refuse("reduce", string(opt.Reduction), reason)
	}
	sys, err := sys.withGoals(q.Until)
	if err != nil {
		return nil, &RequestError{Err: err}
	}
	rewards := slices.DeleteFunc(slices.Clone(sys.protocol.Rewards), func(r *ir.Reward) bool { return r.Name != q.Reward })
	x, err := sys.process(ctx, rewards, opt)
	if err != nil || x.mdp == nil {
		return nil, err
	}
	p, m := x.Prepared, x.mdp
	problem, err := prob.Prepare(ctx, m, x.goals[0])
	if err != nil {
		return nil, err
	}
	query, err := q.query(m)
	if err != nil {
		return nil, err
	}
	path, err := problem.Witness(ctx, m, query.Scheduler, query.Reward)
	if err != nil {
		return nil, &RequestError{Err: err}
	}
	moves, err := retrace(ctx, p, m, path)
	if err != nil {
		return nil, err
	}
	if err := verify.Retake(p.System, opt.bounds(), moves); err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", sys.Name, err)
	}
	run := &Run{Finding: runFinding(q, path), sys: sys, shown: p.System, full: p.System, moves: moves}
	if path.Cycle >= 0 {
		run.Lasso = &Lasso{Stem: path.Cycle, Cycle: len(path.Branches) - path.Cycle}
	}
	return run, nil
}

// runFinding says what a run shows.
func runFinding(q Quantity, path *prob.Path) string {
	extreme := map[string]string{"min": "least", "max": "greatest"}[q.Scheduler]
	switch {
	case path.Goal:
		return fmt.Sprintf("%s until %s: a run with the %s number of them, %s long", q.Reward, q.Until, extreme, printable.Count(len(path.Branches), "step"))
	case path.Cycle < 0:
		return fmt.Sprintf("until %s: a run that ends before, after %s", q.Until, printable.Count(len(path.Branches), "step"))
	}
	return fmt.Sprintf("until %s: a run that never comes to that, and repeats itself from step %d on", q.Until, path.Cycle+1)
}

// retrace explores the system once more for the states of a path, which have the same numbers as in the process, and the steps between them.
func retrace(ctx context.Context, p *Prepared, m *prob.MDP, path *prob.Path) ([]model.Move, error) {
	numbers := m.Follow(path)
	states, steps := make(map[uint64][]model.Value), make(map[uint64][]explore.Transition)
	for _, n := range numbers {
		states[uint64(n)] = nil
	}
	result, err := explore.Walk(ctx, p.System, p.Search, explore.Visitor{
		State: func(id uint64, _ int, state []model.Value) error {
			if _, ok := states[id]; ok {
				states[id] = append([]model.Value(nil), state...)
			}
			return nil
		},
		Transitions: func(from uint64, list []explore.Transition) error {
			if _, ok := states[from]; ok {
				steps[from] = append([]explore.Transition(nil), list...)
			}
			return nil
		},
	})
	if err == nil && !result.Complete() {
		err = fmt.Errorf("%w: %v", ErrIncomplete, result.Stop)
	}
	if err != nil {
		return nil, err
	}
	moves := []model.Move{{State: states[uint64(numbers[0])]}}
	for i, branch := range path.Branches {
		t := steps[uint64(numbers[i])][branch]
		moves = append(moves, model.Move{Step: t.Step, State: states[t.To]})
	}
	return moves, nil
}

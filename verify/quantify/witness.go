package quantify

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/verify/prob"
)

// extreme returns the reward whose extreme value a witness attains.
func (q *query) extreme() string {
	if len(q.Rewards) == 1 {
		return q.Rewards[0]
	}
	return "messages"
}

// attain finds a run that attains the greatest or least expected reward of a protocol without probabilities or, if the
// greatest is infinite, a run that never reaches the goal. A replay confirms the run.
func (q *query) attain(ctx context.Context, s *reduce.Subject) error {
	extreme := Quantity{Until: q.report.Until, Reward: q.extreme(), Scheduler: q.Witness}
	query, err := extreme.query(q.mdp)
	if err != nil {
		return err
	}
	problem, err := prob.Prepare(ctx, q.mdp, q.goals[0])
	if err != nil {
		return err
	}
	path, err := problem.Witness(ctx, q.mdp, query.Scheduler, query.Reward)
	if err != nil {
		return &model.RequestError{Option: "witness", Value: q.Witness, Err: err}
	}
	moves, err := statesOf(ctx, s, q.mdp, path)
	if err != nil {
		return err
	}
	if err := verify.Retake(s.Full, moves); err != nil {
		return fmt.Errorf("the two implementations of %s disagree: %w", q.sys.Name, err)
	}
	run := verify.FullRun(s, runFinding(extreme, path), moves)
	if path.Cycle >= 0 {
		run.Lasso = &model.Lasso{Stem: path.Cycle, Cycle: len(path.Branches) - path.Cycle}
	}
	q.report.Witness = &AttainedRun{extreme.Reward, q.Witness, run.Length(), run.Lasso, run}
	return nil
}

// runFinding says in a sentence what a path shows.
func runFinding(q Quantity, path *prob.Path) string {
	extreme := map[string]string{"min": "least", "max": "greatest"}[q.Scheduler]
	switch {
	case path.Goal:
		return fmt.Sprintf("%s until %s: a run with the %s number of them, %s long", q.Reward, q.Until, extreme,
			printable.Count(len(path.Branches), "step"))
	case path.Cycle < 0:
		return fmt.Sprintf("until %s: a run that ends before, after %s", q.Until,
			printable.Count(len(path.Branches), "step"))
	}
	return fmt.Sprintf("until %s: a run that never reaches it, and repeats its steps from step %d on", q.Until,
		path.Cycle+1)
}

// statesOf returns a path as a run. It explores the system again, in which states have the same numbers as in m.
func statesOf(ctx context.Context, s *reduce.Subject, m *prob.MDP, path *prob.Path) ([]model.Move, error) {
	numbers := m.Follow(path)
	states, steps := make(map[uint64][]model.Value), make(map[uint64][]explore.Transition)
	for _, n := range numbers {
		states[uint64(n)] = nil
	}
	result, err := explore.Walk(ctx, s.Full, s.Search.ExploreOptions(), explore.Visitor{
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
	if err == nil {
		err = result.Err()
	}
	if err != nil {
		return nil, err
	}
	moves := []model.Move{{State: states[uint64(numbers[0])]}}
	for i, branch := range path.Branches {
		step := steps[uint64(numbers[i])][branch]
		moves = append(moves, model.Move{Step: step.Step, State: states[step.To]})
	}
	return moves, nil
}

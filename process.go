package ringcheck

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
)

// goalLabel returns the label of a goal in a file: the goal itself if it is one word, otherwise "goal".
func goalLabel(until string) string {
	for _, c := range until {
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return "goal"
		}
	}
	if until == reduce.Terminal {
		return "goal"
	}
	return until
}

// A Quantity is the probability of reaching a goal, or an expected reward until then.
type Quantity struct {
	Until     string `json:"until"`               // "elected", "terminal" or an expression
	Reward    string `json:"reward,omitempty"`    // "" for the probability
	Within    *int   `json:"within,omitempty"`    // of a probability: at most so many steps; nil for any number
	Scheduler string `json:"scheduler,omitempty"` // "uniform", "min" or "max"
}

// name names the quantity without its goal and scheduler.
func (q *Quantity) name() string {
	switch {
	case q.Reward != "":
		return "expected " + q.Reward
	case q.Within != nil:
		return fmt.Sprintf("probability within %s", printable.Count(*q.Within, "step"))
	}
	return "probability"
}

func (q Quantity) String() string {
	return fmt.Sprintf("%s until %s (%s)", q.name(), q.Until, q.Scheduler)
}

func (q Quantity) query(m *prob.MDP) (prob.Query, error) {
	query := prob.Query{Within: -1}
	var err error
	if query.Scheduler, err = prob.ParseScheduler(q.Scheduler); err != nil {
		return query, &RequestError{Err: err}
	}
	if q.Within != nil {
		query.Within = *q.Within
	}
	if q.Reward != "" {
		if query.Reward = m.Reward(q.Reward); query.Reward == nil {
			return query, &RequestError{Err: fmt.Errorf("there is no reward %s", q.Reward)}
		}
	}
	return query, nil
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
func (t *task) statesOf(ctx context.Context, m *prob.MDP, path *prob.Path) ([]model.Move, error) {
	numbers := m.Follow(path)
	states, steps := make(map[uint64][]model.Value), make(map[uint64][]explore.Transition)
	for _, n := range numbers {
		states[uint64(n)] = nil
	}
	result, err := explore.Walk(ctx, t.Full, t.opt.ExploreOptions(), explore.Visitor{
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

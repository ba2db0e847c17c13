package ringcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ringcheck/internal/printable"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
)

// The goals that have a word of their own.
const (
	UntilElected  = "elected"  // after the event that declares a leader
	UntilTerminal = "terminal" // in a state without transitions
)

// A Quantity is a probability or an expected reward: of reaching a goal, until it is reached.
type Quantity struct {
	Until     string `json:"until"`               // UntilElected, UntilTerminal or an expression
	Reward    string `json:"reward,omitempty"`    // "" for the probability
	Within    *int   `json:"within,omitempty"`    // of a probability: the number of steps, nil for any
	Scheduler string `json:"scheduler,omitempty"` // "uniform", "min" or "max"
}

// name says what the number is, but for the goal and the scheduler.
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

// Election returns the event that declares a leader: the one called leader, or the only one there is; "" if there is none.
func Election(p *ir.Protocol) string {
	for _, e := range p.Events {
		if e.Name == "leader" || len(p.Events) == 1 {
			return e.Name
		}
	}
	return ""
}

// Asking returns the system with goals in its protocol, in the same order: expressions that are resolved as those in
// properties of the spec are.
func (s *System) Asking(goals ...string) (*System, error) {
	if s.protocol == nil {
		return nil, fmt.Errorf("%s is not an instance of a spec", s.Name)
	}
	p, err := s.Spec.Ask(s.given, goals...)
	if err != nil {
		return nil, err
	}
	return &System{Name: s.Name, Spec: s.Spec, given: s.given, protocol: p}, nil
}

// withGoals is Asking, where UntilElected is a goal, too.
func (s *System) withGoals(goals ...string) (*System, error) {
	if i := slices.Index(goals, UntilElected); i >= 0 && s.protocol != nil {
		event := Election(s.protocol)
		if event == "" {
			return nil, fmt.Errorf("no event of %s declares a leader", s.Name)
		}
		goals = slices.Clone(goals)
		goals[i] = event + " happens"
	}
	return s.Asking(goals...)
}

// Values returns quantities of a system, in the same order, certified as package prob has it. If the exploration does not come to its end
// there are none.
func Values(ctx context.Context, sys *System, quantities []Quantity, opt ...Options) ([]prob.Interval, Ending, error) {
	var goals []string
	for _, q := range quantities {
		if !slices.Contains(goals, q.Until) {
			goals = append(goals, q.Until)
		}
	}
	sys, err := sys.withGoals(goals...)
	if err != nil {
		return nil, Ending{}, &RequestError{Err: err}
	}
	x, err := sys.process(ctx, sys.protocol.Rewards, only(opt))
	if err != nil {
		return nil, Ending{}, err
	}
	ending := x.ending
	if x.mdp == nil {
		return nil, ending, nil
	}
	values := make([]prob.Interval, len(quantities))
	for i, goal := range goals {
		if err := askAll(ctx, x.mdp, x.goals[i], goal, quantities, values); err != nil {
			return nil, ending, cmp.Or(ending.Stop(ctx, err), ending.Err())
		}
	}
	return values, ending, nil
}

// askAll asks for the quantities that are about one goal.
func askAll(ctx context.Context, m *prob.MDP, reached prob.Goal, goal string, quantities []Quantity, values []prob.Interval) error {
	problem, err := prob.Prepare(ctx, m, reached)
	if err != nil {
		return err
	}
	var queries []prob.Query
	var places []int
	for i, q := range quantities {
		if q.Until == goal {
			query, err := q.query(m)
			if err != nil {
				return err
			}
			queries, places = append(queries, query), append(places, i)
		}
	}
	for i, a := range problem.Ask(ctx, queries, prob.Options{}) {
		if a.Err != nil {
			return a.Err
		}
		values[places[i]] = a.Interval
	}
	return nil
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

package ringcheck

import (
	"fmt"
	"slices"

	"ringcheck/internal/printable"
	"ringcheck/prob"
)

// The predefined goals.
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

// Election returns the event of a spec that declares a leader: the one called leader, or the only one there is; "" if
// there is none.
func (s *System) Election() string {
	if s.protocol == nil {
		return ""
	}
	for _, e := range s.protocol.Events {
		if e.Name == "leader" || len(s.protocol.Events) == 1 {
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

// withGoals is like Asking but also accepts UntilElected.
func (s *System) withGoals(goals ...string) (*System, error) {
	if i := slices.Index(goals, UntilElected); i >= 0 && s.protocol != nil {
		event := s.Election()
		if event == "" {
			return nil, fmt.Errorf("no event of %s declares a leader", s.Name)
		}
		goals = slices.Clone(goals)
		goals[i] = event + " happens"
	}
	return s.Asking(goals...)
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

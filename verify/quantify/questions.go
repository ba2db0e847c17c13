package quantify

import (
	"fmt"
	"slices"
	"strconv"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify/prob"
)

// Questions ask for probabilities of reaching a goal and for expected rewards until then. The zero value asks for the
// probability and the expected numbers of steps and messages; for a file, for the probability and all its rewards.
type Questions struct {
	// Until is the goal: "elected" (after the event that declares a leader), "terminal" or an expression. "" is
	// "elected" if the spec has such an event, otherwise "terminal". Of a file, Until is a label or "terminal", and ""
	// its only label.
	Until string
	// Within asks for the probabilities within these numbers of steps or, if Unit is a reward, before a run accumulates
	// more of it. Rewards asks for the expectations of these rewards. If either is given, nothing else is asked for.
	Within  []int
	Unit    string
	Rewards []string
	// Scheduler is "all", "uniform", "min" or "max"; "" is "all".
	Scheduler string
	// Quantities, unless it is empty, replaces all of the above. Answers come in the same order.
	Quantities []Quantity
	// Precision is the greatest width of an interval relative to its value; 0 means 1e-10. Exact asks for rational
	// numbers.
	Precision float64
	Exact     bool
	// Strict refuses files that are only read with a warning, see Report.Warnings.
	Strict bool
	// Witness is "max" or "min" for a run with the greatest or least value of the reward, by default of messages.
	Witness string
	// Process, if not nil, is called with the process of the first goal before the questions are answered: the states
	// before the goal and, as its last state, the goal, which has a label. An error ends the work.
	Process func(*prob.MDP) error
}

// Schedulers returns the values of Questions.Scheduler, the default first.
func Schedulers() []string {
	return []string{"all", prob.Uniform.String(), prob.Min.String(), prob.Max.String()}
}

// limits refuses numbers of steps that cannot be asked for.
func (q *Questions) limits() error {
	if q.Unit != "" && len(q.Within) == 0 {
		return model.Refuse("unit", q.Unit, "it needs a limit")
	}
	within := slices.Clone(q.Within)
	for _, a := range q.Quantities {
		switch {
		case a.Unit != "" && a.Within == nil:
			return model.Refuse("unit", a.Unit, "it needs a limit")
		case a.Within != nil && a.Reward != "":
			return model.Refuse("within", strconv.Itoa(*a.Within), "it limits a probability, not reward %s", a.Reward)
		case a.Within != nil:
			within = append(within, *a.Within)
		}
	}
	for _, n := range within {
		if n < 0 || n > ir.MostSteps {
			return model.Refuse("within", strconv.Itoa(n), "must be from 0 to %d", ir.MostSteps)
		}
	}
	return nil
}

// A Quantity is the probability of reaching a goal, or an expected reward until then.
type Quantity struct {
	Until     string `json:"until"`               // "elected", "terminal" or an expression
	Reward    string `json:"reward,omitempty"`    // "" for the probability
	Within    *int   `json:"within,omitempty"`    // of a probability: the maximum of Unit until then; nil for any
	Unit      string `json:"unit,omitempty"`      // a reward; "" for steps
	Scheduler string `json:"scheduler,omitempty"` // "uniform", "min" or "max"
}

// name names the quantity without its goal and scheduler.
func (q *Quantity) name() string {
	switch {
	case q.Reward != "":
		return "expected " + q.Reward
	case q.Within != nil:
		if q.Unit != "" {
			return fmt.Sprintf("probability within %d %s", *q.Within, q.Unit)
		}
		return fmt.Sprintf("probability within %s", printable.Count(*q.Within, "step"))
	}
	return "probability"
}

func (q Quantity) String() string {
	return fmt.Sprintf("%s until %s (%s)", q.name(), q.Until, q.Scheduler)
}

// rewards returns the rewards that the quantity is about.
func (q *Quantity) rewards() []string {
	return slices.DeleteFunc([]string{q.Reward, q.Unit}, func(name string) bool { return name == "" })
}

func (q Quantity) query(m *prob.MDP) (prob.Query, error) {
	query := prob.Query{Within: -1}
	var err error
	if query.Scheduler, err = prob.ParseScheduler(q.Scheduler); err != nil {
		return query, &model.RequestError{Err: err}
	}
	if q.Within != nil {
		query.Within = *q.Within
	}
	query.Reward, query.Unit = m.Reward(q.Reward), m.Reward(q.Unit)
	for _, name := range q.rewards() {
		if m.Reward(name) == nil {
			return query, &model.RequestError{Err: fmt.Errorf("there is no reward %s", name)}
		}
	}
	return query, nil
}

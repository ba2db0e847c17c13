package verify

import (
	"fmt"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
)

// A Verdict is the result for one property.
type Verdict struct {
	Name string `json:"name"`
	// Kind is "invariant", "terminal", "reachable", "recoverable", "ltl", "probability" or "expected".
	Kind  string `json:"kind"`
	Doc   string `json:"doc"`
	Holds *bool  `json:"holds"` // null: the search ended too early to tell, or the property has an error
	// States is the number of states that violate the property, or satisfy it if it is a reachable one. Only the
	// symbolic engine can leave it unknown.
	States model.Number `json:"states"`
	// TraceLength is the length of a shortest run to such a state, or to the error; null without such a run, or under a
	// reduction, whose steps represent several.
	TraceLength *int     `json:"trace_length"`
	Why         []string `json:"why,omitempty"` // why it is false at the end of that run, line by line
	// EvalError says why the property has no value in some state where it needs one.
	EvalError *model.Error `json:"fault,omitempty"`
	// Fairness is the assumption of an LTL property about runs: "fair", "strongly fair of Deliver, with probability
	// one". Lasso is the shape of an infinite run that violates it, nil if a finite one does however it continues.
	Fairness string       `json:"fairness,omitempty"`
	Lasso    *model.Lasso `json:"lasso,omitempty"`
	// Warnings say where the property states less than it seems to.
	Warnings []model.Warning `json:"warnings,omitempty"`
	// Value is the probability or expected reward that a claim is about; nil if it is not known.
	Value *prob.Value `json:"value,omitempty"`
}

// Outcome returns whether the property holds.
func (v *Verdict) Outcome() Outcome {
	switch {
	case v.Holds == nil:
		return Unknown
	case *v.Holds:
		return Holds
	}
	return Violated
}

// NewVerdict returns the verdict of a judgment in a subject.
func NewVerdict(s *reduce.Subject, v *Judgment) (Verdict, error) {
	p := v.Property
	verdict := Verdict{Name: p.Name, Kind: p.Kind.String(), Doc: p.Doc, Warnings: ir.Warnings(v.Warnings)}
	if v.Outcome != Unknown {
		verdict.Holds = new(v.Outcome == Holds)
	}
	if v.State != nil && s.Search.Reduction == reduce.NoReduction {
		verdict.TraceLength = &v.Level
	}
	if p.Temporal != nil {
		verdict.Fairness = p.Temporal.String()
	}
	if v.Reason != "" {
		verdict.Why = []string{v.Reason}
	}
	var err error
	switch {
	case v.Outcome != Violated:
	case v.Lasso != nil:
		if s.Search.Reduction == reduce.NoReduction {
			verdict.Lasso = &model.Lasso{Stem: v.Lasso.Stem, Cycle: v.Lasso.Cycle}
		}
		verdict.Why = v.Lasso.Reasons()
	case v.Prefix != nil:
		verdict.Why = v.Prefix.Reasons()
	default:
		verdict.Why, err = Reasons(s, p, v.State)
	}
	if v.EvalError != nil {
		verdict.addError(s, v.EvalError)
	}
	return verdict, err
}

// addError adds an error, with its state, to a verdict.
func (v *Verdict) addError(s *reduce.Subject, e *EvalError) {
	v.EvalError = e.ModelError()
	after := ""
	if s.Search.Reduction == reduce.NoReduction {
		after = " after " + printable.Count(e.Level, "step")
		if v.Holds == nil {
			v.TraceLength = &e.Level
		}
	}
	place := ""
	if v.EvalError.Place != "" {
		place = v.EvalError.Place + ": "
	}
	v.Why = append(v.Why, fmt.Sprintf("it has no value%s: %s%s", after, place, v.EvalError.Message))
	v.Why = append(v.Why, StateLines(s.Full, e.State)...)
}

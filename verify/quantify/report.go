package quantify

import (
	"context"
	"errors"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
	"ringcheck/view"
)

// A Report is the report of Quantify.
type Report struct {
	reduce.Description
	explore.Ending
	States   model.Count  `json:"states"`
	Choices  model.Count  `json:"choices"`
	Branches model.Count  `json:"branches"`
	Results  []Answer     `json:"results"`
	Witness  *AttainedRun `json:"witness,omitempty"`
	explore.Cost
	Warnings []model.Warning `json:"warnings,omitempty"` // what was assumed about a file

	Until string `json:"-"` // the goal
	Event string `json:"-"` // that declares a leader, "" if that is not known
}

// An Answer is the value of a Quantity.
type Answer struct {
	Query     string `json:"query"` // "probability" or "expected"
	Reward    string `json:"reward,omitempty"`
	Until     string `json:"until"`
	Within    *int   `json:"within,omitempty"`
	Unit      string `json:"unit,omitempty"`
	Scheduler string `json:"scheduler"`
	prob.Value
}

// Name names the quantity without its goal and scheduler.
func (a *Answer) Name() string {
	return (&Quantity{Reward: a.Reward, Within: a.Within, Unit: a.Unit}).name()
}

// An AttainedRun is a run that attains an extreme reward, or never reaches the goal.
type AttainedRun struct {
	Reward    string       `json:"reward"`
	Scheduler string       `json:"scheduler"`
	Length    int          `json:"length"`
	Lasso     *model.Lasso `json:"lasso,omitempty"`
	Run       *view.Run    `json:"-"`
}

// note makes the report incomplete if an answer is less precise than requested, or if time ran out.
func (r *Report) note(ctx context.Context, a *Answer, err error) error {
	var wide *prob.ErrPrecision
	switch {
	case errors.As(err, &wide):
		r.Ending = explore.Incomplete("precision", "%s: %w", a.Name(), wide)
	case errors.Is(err, prob.ErrTooLarge):
		return model.Refuse("exact", "", "%s: %w", a.Name(), err)
	case err != nil:
		return r.Ending.Stop(ctx, err)
	}
	return nil
}

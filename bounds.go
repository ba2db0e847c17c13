package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/verify"
)

// symmetricGoal returns an error that wraps verify.ErrAsymmetric unless goal provably has the same value in all
// rotations of a state.
func symmetricGoal(sys *compile.System, goal *ir.Formula) error {
	switch {
	case goal == nil:
		return nil
	case goal.Op == ir.StateAtom:
		return verify.Symmetric(&ir.Property{Kind: ir.Reachable, Name: "goal", Body: goal.State, Pos: goal.Pos}, sys)
	}
	return cmp.Or(symmetricGoal(sys, goal.X), symmetricGoal(sys, goal.Y))
}

// bounds returns the chosen claims about probabilities and expected rewards.
func (t *task) bounds() ([]*ir.Bound, error) {
	if t.sys.protocol == nil {
		return nil, nil
	}
	var list []*ir.Bound
	for _, b := range t.sys.protocol.Bounds {
		switch {
		case t.opt.Properties != nil && !slices.Contains(t.opt.Properties, b.Name):
		case t.opt.Reduction != NoReduction:
			return nil, refuse("reduce", string(t.opt.Reduction),
				"it leaves out steps and choices, and %s is about their number: choose terminal properties", b.Name)
		default:
			list = append(list, b)
		}
	}
	return list, nil
}

// decide decides the claims about probabilities and expected rewards, whose verdicts are the last of a report: the
// system is explored once more, with all its transitions.
func (t *task) decide(ctx context.Context, r *Report, bounds []*ir.Bound) error {
	if len(bounds) == 0 {
		return nil
	}
	asked := prob.Protocol{System: t.full, Searched: t.target}
	for _, b := range bounds {
		if t.opt.Symmetry != NoSymmetry {
			if err := symmetricGoal(t.full, b.Goal); err != nil {
				return propertyError(fmt.Errorf("%s: %w", b.Name, err))
			}
		}
		asked.Goals = append(asked.Goals, b.Goal)
		if b.Reward != nil && !slices.Contains(asked.Rewards, b.Reward) {
			asked.Rewards = append(asked.Rewards, b.Reward)
		}
	}
	m, goals, result, err := asked.Process(ctx, t.opt.search())
	if err != nil {
		return boundError(err)
	}
	if m == nil && r.Complete {
		if r.Ending, r.fault, err = t.ending(result); err != nil {
			return err
		}
	}
	if m == nil {
		return nil
	}
	verdicts := r.Properties[len(r.Properties)-len(bounds):]
	for i, b := range bounds {
		var reward *prob.Reward
		if b.Reward != nil {
			reward = m.Reward(b.Reward.Name)
		}
		if err := verdicts[i].decide(ctx, b, m, goals[i], reward); err != nil {
			return err
		}
	}
	return nil
}

// decide decides one claim.
func (v *Verdict) decide(ctx context.Context, b *ir.Bound, m *prob.MDP, goal prob.Goal, reward *prob.Reward) error {
	p, err := prob.Prepare(ctx, m, goal)
	if err != nil {
		return err
	}
	holds, i, err := p.Decide(ctx, b, reward)
	if err != nil {
		return err
	}
	v.Holds, v.Value = &holds, new(NewValue(i))
	v.explain(b, i)
	return nil
}

// explain adds to v what a missed or never reached goal means.
func (v *Verdict) explain(b *ir.Bound, value prob.Interval) {
	missed := value == prob.Infinite
	never := b.Reward == nil && b.Within < 0 && value.Exact != nil && value.Exact.Sign() == 0
	switch scheduler := prob.Claim(b, nil).Scheduler; {
	case missed && *v.Holds && scheduler == prob.Uniform:
		v.warn(b, "the goal is missed with a probability above 0, so that the expectation is infinite")
	case missed && *v.Holds:
		v.warn(b, "no scheduler reaches the goal with probability one, so that the expectation is infinite")
	case missed && scheduler == prob.Max:
		v.Why = append(v.Why, "some scheduler misses the goal with a probability above 0; prob --witness max shows how")
	case missed:
		v.Why = append(v.Why, "the goal is missed with a probability above 0")
	case never && *v.Holds && scheduler != prob.Min && b.Value.Sign() > 0:
		v.warn(b, "the goal is never reached, under any scheduler")
	}
}

func (v *Verdict) warn(b *ir.Bound, text string) {
	v.Warnings = append(v.Warnings, Warning{b.Pos.String(), text})
}

func boundVerdict(b *ir.Bound) Verdict {
	v := Verdict{Name: b.Name, Kind: "probability", Doc: b.Doc, States: Count(0).Number()}
	trivial := "every probability is from 0 to 1, so that this says nothing"
	low, high := b.Value.Sign(), b.Value.Cmp(big.NewRat(1, 1))
	if b.Reward != nil {
		v.Kind, trivial, high = "expected", "every expected reward is at least 0, so that this says nothing", -1
	}
	switch r := b.Relation; {
	case r == ir.AtLeast && low <= 0, r == ir.Greater && low < 0, r == ir.AtMost && high >= 0, r == ir.Less && high > 0:
		v.warn(b, trivial)
	}
	return v
}

// together reports whether all properties hold; nil means unknown.
func together(list []Verdict) *bool {
	holds := new(true)
	for i := range list {
		switch list[i].Outcome() {
		case verify.Violated:
			return new(false)
		case verify.Unknown:
			holds = nil
		}
	}
	return holds
}

// boundError marks errors in goals and rewards as errors of the request.
func boundError(err error) error {
	var goal *prob.GoalError
	var value *ir.Error
	if errors.As(err, &goal) || errors.As(err, &value) {
		return &RequestError{Err: err}
	}
	return err
}

package verify

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
)

// Bounds are the bounds on probabilities and expected rewards that are chosen in a subject.
type Bounds struct {
	Verdicts []Verdict // in the order of the bounds
	// Invalid is a state in which a goal or a reward has no value, of several the one with the shortest run; nil if
	// none is known.
	Invalid *EvalError
	// Search is the exploration that ended before the bounds could be decided, nil if it was complete.
	Search *explore.Result

	subject *reduce.Subject
}

// NewBounds returns the bounds of a subject, which are not decided yet.
func NewBounds(s *reduce.Subject) *Bounds {
	all := &Bounds{subject: s}
	for _, b := range s.Bounds {
		all.Verdicts = append(all.Verdicts, undecidedBound(b))
	}
	return all
}

// Decide decides the bounds. It explores the system, with all its transitions; once more without each goal or reward
// that has no value somewhere. An error wraps ErrAsymmetric, or is one of package prob or of ctx.
func (a *Bounds) Decide(ctx context.Context) error { return a.decide(ctx, a.subject.Bounds) }

// decide decides some of the bounds.
func (a *Bounds) decide(ctx context.Context, bounds []*ir.Bound) error {
	if len(bounds) == 0 {
		return nil
	}
	s := a.subject
	asked := prob.Protocol{System: s.Full, Searched: s.SearchSystem}
	for _, b := range bounds {
		if err := symmetricBound(s, b); err != nil {
			return err
		}
		asked.Goals = append(asked.Goals, b.Goal)
		for _, r := range []*ir.Reward{b.Reward, b.Unit} {
			if r != nil && !slices.Contains(asked.Rewards, r) {
				asked.Rewards = append(asked.Rewards, r)
			}
		}
	}
	m, goals, result, err := asked.Process(ctx, s.Search.ExploreOptions())
	var invalid *prob.EvalError
	switch {
	case errors.As(err, &invalid):
		rest, err := a.setInvalid(ctx, bounds, invalid)
		if err != nil {
			return err
		}
		return a.decide(ctx, rest)
	case err != nil:
		return err
	case m == nil:
		a.Search = result
		return nil
	}
	for i, b := range bounds {
		if err := a.verdict(b).decide(ctx, b, m, goals[i]); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns the verdict on a bound.
func (a *Bounds) verdict(b *ir.Bound) *Verdict {
	return &a.Verdicts[slices.Index(a.subject.Bounds, b)]
}

// setInvalid records that a goal or a reward of some bounds has no value, and returns the other bounds.
func (a *Bounds) setInvalid(
	ctx context.Context, bounds []*ir.Bound, invalid *prob.EvalError,
) (rest []*ir.Bound, err error) {
	s := a.subject
	level, state, reason := invalid.Level, invalid.State, invalid.Err
	if invalid.Reward != nil {
		if at := (*ir.Error)(nil); errors.As(reason, &at) {
			reason = &ir.Error{Pos: at.Pos, Message: "reward " + invalid.Reward.Name + ": " + at.Message}
		}
		moves, err := explore.Path(ctx, s.SearchSystem, s.Search.ExploreOptions(), func(_ int,
			state []model.Value) (has bool) {
			_ = model.Each(s.SearchSystem, state, func(_ int, step model.Step, _ []model.Value) bool {
				has = step.Label == invalid.Label
				return !has
			})
			return has
		})
		if err != nil {
			return nil, err
		}
		level = len(moves) - 1
		state = moves[level].State
	}
	for _, b := range bounds {
		if b.Goal != invalid.Goal && (invalid.Reward == nil || b.Reward != invalid.Reward && b.Unit != invalid.Reward) {
			rest = append(rest, b)
			continue
		}
		p := &ir.Property{Name: b.Name, Kind: property.Invariant, Pos: b.Pos}
		e := For(s).NewEvalError(p, invalid.Body, reason, level, state)
		a.verdict(b).addError(s, e)
		if a.Invalid == nil || e.Level < a.Invalid.Level {
			a.Invalid = e
		}
	}
	return rest, nil
}

// decide decides a bound on a goal of m.
func (v *Verdict) decide(ctx context.Context, b *ir.Bound, m *prob.MDP, goal prob.Goal) error {
	p, err := prob.Prepare(ctx, m, goal)
	if err != nil {
		return err
	}
	in := func(r *ir.Reward) *prob.Reward {
		if r == nil {
			return nil
		}
		return m.Reward(r.Name)
	}
	holds, i, err := p.Decide(ctx, b, in(b.Reward), in(b.Unit))
	if err != nil {
		return err
	}
	v.Holds, v.Value = &holds, new(i.Value())
	if *v.Holds && goal.Begins(m) {
		v.warn(b, "the goal holds in every initial state, so the "+
			map[bool]string{true: "expectation is 0", false: "probability is 1"}[b.Reward != nil])
		return nil
	}
	v.explain(b, i)
	return nil
}

// explain adds to v what follows if the goal can be missed or is never reached.
func (v *Verdict) explain(b *ir.Bound, value prob.Interval) {
	missed := value == prob.Infinite
	never := b.Reward == nil && b.Within < 0 && value.Exact != nil && value.Exact.Sign() == 0
	switch scheduler := prob.Claim(b, nil, nil).Scheduler; {
	case missed && *v.Holds && scheduler == prob.Uniform:
		v.warn(b, "the goal is missed with a probability above 0, so the expectation is infinite")
	case missed && *v.Holds:
		v.warn(b, "no scheduler reaches the goal with probability one, so the expectation is infinite")
	case missed && scheduler == prob.Max:
		v.Why = append(v.Why, "some scheduler misses the goal with a probability above 0; prob --witness max shows how")
	case missed:
		v.Why = append(v.Why, "the goal is missed with a probability above 0")
	case never && *v.Holds && scheduler != prob.Min && b.Value.Sign() > 0:
		v.warn(b, "the goal is never reached, under any scheduler")
	}
}

func (v *Verdict) warn(b *ir.Bound, text string) {
	v.Warnings = append(v.Warnings, model.Warning{Place: b.Pos.String(), Text: text})
}

// undecidedBound returns the verdict on a bound that is not decided yet.
func undecidedBound(b *ir.Bound) Verdict {
	v := Verdict{Name: b.Name, Kind: "probability", Doc: b.Doc,
		Warnings: ir.Warnings(b.Warnings), States: model.Count(0).Number()}
	trivial := "every probability is from 0 to 1, so this always holds"
	low, high := b.Value.Sign(), b.Value.Cmp(big.NewRat(1, 1))
	if b.Reward != nil {
		v.Kind, trivial, high = "expected", "every expected reward is at least 0, so this always holds", -1
	}
	switch r := b.Relation; {
	case r == ir.AtLeast && low <= 0, r == ir.Greater && low < 0, r == ir.AtMost && high >= 0, r == ir.Less && high > 0:
		v.warn(b, trivial)
	}
	return v
}

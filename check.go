package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/verify/prob"
)

// Check decides properties of a system in one search. A search that ends early is not an error: see Report.Err. The
// error is a *RequestError, or says why the search could not begin.
func Check(ctx context.Context, sys *System, checks Checks, search Search) (*Report, error) {
	t, err := newCheckTask(sys, checks, search)
	if err != nil {
		return nil, err
	}
	err = t.Countable()
	if err == nil && t.Search.Engine == Symbolic {
		err = t.undecidable()
	}
	if err != nil {
		return nil, err
	}
	r, err := t.check(ctx, t.Chosen, func() (*verify.Report, error) {
		if t.Search.Engine == Symbolic {
			return t.checkSymbolically(ctx)
		}
		return t.subject().Check(ctx, t.Chosen, t.Search.ExploreOptions())
	})
	if err != nil {
		return nil, err
	}
	if t.undecidable() != nil {
		r.advice = nil // the symbolic engine would refuse them
	}
	err = t.decide(ctx, r, t.Bounds)
	for _, phase := range []func(context.Context, *Report) error{t.cover, t.countWithoutGhosts} {
		if err == nil {
			err = r.Phase(ctx, func() error { return phase(ctx, r) })
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// decide adds the verdicts on bounds to a report of the other ones.
func (t *task) decide(ctx context.Context, r *Report, bounds []*ir.Bound) error {
	for _, b := range bounds {
		r.Verdicts.Properties = append(r.Verdicts.Properties, boundVerdict(b))
	}
	if len(bounds) == 0 {
		return nil
	}
	err := r.Phase(ctx, func() error { return t.compute(ctx, r, bounds) })
	r.Verdicts.Holds = allHold(r.Verdicts.Properties)
	return err
}

// check prepares t and reports the verdicts of do; they are unknown if ctx ends before do begins.
func (t *task) check(
	ctx context.Context, properties []*ir.Property, do func() (*verify.Report, error),
) (*Report, error) {
	found, early, err := reduce.Do(ctx, t.Subject, do)
	begun := found != nil
	switch {
	case err != nil:
		return nil, propertyError(err)
	case !begun:
		found = &verify.Report{Search: t.Unbegun(ctx)}
		if t.Search.Engine == Symbolic {
			found.Diagrams = t.unbegunSymbolic(ctx)
		}
		found.Elapsed = found.Search.Elapsed
		for _, p := range properties {
			found.Verdicts = append(found.Verdicts, verify.Verdict{Property: p})
		}
	}
	r, err := t.checked(found)
	if err == nil && early.Err() != nil && (!begun || r.Complete || found.Search.Stop == explore.Matched) {
		r.Ending = early
	}
	return r, err
}

// cover adds the coverage of the spec if it was requested.
func (t *task) cover(ctx context.Context, r *Report) error {
	if !t.checks.Coverage || !r.search.Complete() {
		return nil
	}
	list, err := verify.Cover(ctx, t.Full, t.Search.Bounds(), t.Search.ExploreOptions())
	if err != nil {
		return err
	}
	for _, c := range list {
		one := Covered{Place: c.Pos.String(), Kind: string(c.Kind), Equation: c.Equation, Action: c.Action,
			States: Count(c.States)}
		one.Line, one.Column = c.Pos.Line, c.Pos.Column
		if c.Kind == verify.CoversCondition {
			one.False = new(Count(c.False))
		}
		r.Verdicts.Coverage = append(r.Verdicts.Coverage, one)
	}
	return nil
}

// newCheckTask returns a task with its chosen properties.
func newCheckTask(sys *System, checks Checks, search Search) (*task, error) {
	t, err := newTask(sys, search)
	if err == nil {
		err = cmp.Or(checks.permits(search.Engine), t.Choose(checks.Properties, checks.Fairness))
	}
	if err != nil {
		return nil, err
	}
	t.checks = checks
	return t, nil
}

// checked returns the report for verdicts.
func (t *task) checked(found *verify.Report) (*Report, error) {
	verdicts := &Verdicts{}
	for i := range found.Verdicts {
		v := &found.Verdicts[i]
		verdict, err := t.verdict(v)
		if err != nil {
			return nil, err
		}
		if verdict.States = Count(v.Count).Number(); found.Diagrams != nil {
			verdict.States = Number{Int: v.Large}
		}
		verdicts.Properties = append(verdicts.Properties, verdict)
	}
	if found.Holds() || found.Violated() {
		verdicts.Holds = new(found.Holds())
	}
	r := t.report(found.Search, found.Diagrams, found.Elapsed)
	r.Verdicts, r.Storage = verdicts, nil
	for i := range found.Verdicts {
		r.addInvalid(found.Verdicts[i].Fault)
	}
	return r, nil
}

func (t *task) verdict(v *verify.Verdict) (Verdict, error) {
	p := v.Property
	verdict := Verdict{Name: p.Name, Kind: p.Kind.String(), Doc: p.Doc, Warnings: ir.Warnings(v.Warnings)}
	if v.Outcome != verify.Unknown {
		verdict.Holds = new(v.Outcome == verify.Holds)
	}
	if v.State != nil && t.Search.Reduction == NoReduction {
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
	case v.Outcome != verify.Violated:
	case v.Lasso != nil:
		if t.Search.Reduction == NoReduction {
			verdict.Lasso = &Lasso{Stem: v.Lasso.Stem, Cycle: v.Lasso.Cycle}
		}
		verdict.Why = v.Lasso.Reasons()
	default:
		verdict.Why, err = verify.Reasons(t.Subject, p, v.State)
	}
	if v.Fault != nil {
		verdict.addFault(t, v.Fault)
	}
	return verdict, err
}

// addFault adds a fault, with its state, to a verdict.
func (v *Verdict) addFault(t *task, e *verify.EvalError) {
	v.Fault = e.Fault()
	after := ""
	if t.Search.Reduction == NoReduction {
		after = " after " + printable.Count(e.Level, "step")
		if v.Holds == nil {
			v.TraceLength = &e.Level
		}
	}
	place := ""
	if v.Fault.Place != "" {
		place = v.Fault.Place + ": "
	}
	v.Why = append(v.Why, fmt.Sprintf("it has no value%s: %s%s", after, place, v.Fault.Message))
	v.Why = append(v.Why, verify.StateLines(t.Full, e.State)...)
}

// addInvalid records the fault of a property in a report, unless it has one with a run that is as short.
func (r *Report) addInvalid(e *verify.EvalError) {
	if e != nil && (r.invalid == nil || e.Level < r.invalid.Level) {
		r.invalid = e
	}
}

// Validate checks a search of a system, as far as possible without exploring it, and the names of properties. The error
// is a *RequestError.
func Validate(sys *System, properties []string, search Search) error {
	t, err := newTask(sys, search)
	if err == nil && properties != nil {
		err = t.Choose(properties, "")
	}
	return err
}

// compute decides the bounds on probabilities and expected rewards, which have verdicts in the report. It explores the
// system again, with all its transitions; once more without each goal or reward that has no value somewhere.
func (t *task) compute(ctx context.Context, r *Report, bounds []*ir.Bound) error {
	if len(bounds) == 0 {
		return nil
	}
	asked := prob.Protocol{System: t.Full, Searched: t.Searched}
	for _, b := range bounds {
		if t.Search.Symmetry != NoSymmetry {
			if err := verify.SymmetricGoal(t.Full, b.Goal); err != nil {
				return propertyError(fmt.Errorf("%s: %w", b.Name, err))
			}
		}
		asked.Goals = append(asked.Goals, b.Goal)
		if b.Reward != nil && !slices.Contains(asked.Rewards, b.Reward) {
			asked.Rewards = append(asked.Rewards, b.Reward)
		}
	}
	m, goals, result, err := asked.Process(ctx, t.Search.ExploreOptions())
	var invalid *prob.EvalError
	if errors.As(err, &invalid) {
		rest, err := t.setInvalid(ctx, r, bounds, invalid)
		if err != nil {
			return err
		}
		return t.compute(ctx, r, rest)
	}
	if err != nil {
		return err
	}
	if m == nil && r.Complete {
		r.Ending, r.fault = result.Ending(), result.FaultState
	}
	if m == nil {
		return nil
	}
	for i, b := range bounds {
		var reward *prob.Reward
		if b.Reward != nil {
			reward = m.Reward(b.Reward.Name)
		}
		if err := r.Property(b.Name).decide(ctx, b, m, goals[i], reward); err != nil {
			return err
		}
	}
	return nil
}

// setInvalid records that a goal or a reward of some bounds has no value, and returns the other bounds.
func (t *task) setInvalid(
	ctx context.Context, r *Report, bounds []*ir.Bound, invalid *prob.EvalError,
) (rest []*ir.Bound, err error) {
	level, state, reason := invalid.Level, invalid.State, invalid.Err
	if invalid.Reward != nil {
		if at := (*ir.Error)(nil); errors.As(reason, &at) {
			reason = &ir.Error{Pos: at.Pos, Message: "reward " + invalid.Reward.Name + ": " + at.Message}
		}
		moves, err := explore.Path(ctx, t.Searched, t.Search.ExploreOptions(), func(_ int,
			state []model.Value) (has bool) {
			_ = model.Each(t.Searched, state, func(_ int, step model.Step, _ []model.Value) bool {
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
		if b.Goal != invalid.Goal && (b.Reward == nil || b.Reward != invalid.Reward) {
			rest = append(rest, b)
			continue
		}
		p := &ir.Property{Name: b.Name, Kind: ir.Invariant, Pos: b.Pos}
		e := t.subject().NewEvalError(p, invalid.Body, reason, level, state)
		r.Property(b.Name).addFault(t, e)
		r.addInvalid(e)
	}
	return rest, nil
}

// decide decides one bound.
func (v *Verdict) decide(ctx context.Context, b *ir.Bound, m *prob.MDP, goal prob.Goal, reward *prob.Reward) error {
	p, err := prob.Prepare(ctx, m, goal)
	if err != nil {
		return err
	}
	holds, i, err := p.Decide(ctx, b, reward)
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
	switch scheduler := prob.Claim(b, nil).Scheduler; {
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
	v.Warnings = append(v.Warnings, Warning{Place: b.Pos.String(), Text: text})
}

// boundVerdict returns the verdict on a bound that is not decided yet.
func boundVerdict(b *ir.Bound) Verdict {
	v := Verdict{Name: b.Name, Kind: "probability", Doc: b.Doc,
		Warnings: ir.Warnings(b.Warnings), States: Count(0).Number()}
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

// allHold reports whether all properties hold; nil means unknown.
func allHold(list []Verdict) *bool {
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

// A task is a search of a system, and the checks to make.
type task struct {
	*reduce.Subject
	checks Checks
}

func newTask(sys *System, search Search) (*task, error) {
	s, err := reduce.NewSubject(sys, search)
	if err != nil {
		return nil, err
	}
	s.Visible = func(ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64) (
		reduce.Visibility, error) {
		visible, err := verify.Seen(ctx, sys, properties, memory)
		return visible, propertyError(err)
	}
	return &task{Subject: s}, nil
}

// newStepwiseTask is newTask for an operation that visits states one by one.
func newStepwiseTask(sys *System, search Search) (*task, error) {
	if err := search.Stepwise(); err != nil {
		return nil, err
	}
	return newTask(sys, search)
}

// subject returns the system for verify.
func (t *task) subject() verify.Subject {
	s := verify.For(t.Subject)
	s.StopFirst = t.checks.StopFirst
	if tell := t.checks.Violated; tell != nil {
		s.Met = func(p *ir.Property, level int) {
			if t.Search.Reduction != NoReduction {
				level = -1
			}
			tell(p.Name, level)
		}
	}
	return s
}

// propertyError marks errors about properties as errors of the request.
func propertyError(err error) error {
	var e *verify.EvalError
	switch {
	case errors.As(err, &e):
		return &RequestError{Err: err}
	case errors.Is(err, verify.ErrAsymmetric):
		return model.Refuse("symmetry", string(Rotation), "%w; --property chooses others", err)
	case errors.Is(err, verify.ErrTemporal):
		return &RequestError{Err: err}
	}
	return err
}

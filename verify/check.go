package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"sync/atomic"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/verify/product"
)

// An Outcome is the verdict on a property without its evidence.
type Outcome int

// The outcomes.
const (
	Unknown  Outcome = iota // the search ended too early
	Holds                   // in all reachable states
	Violated                // there is a counterexample
)

func (o Outcome) String() string {
	switch o {
	case Holds:
		return "holds"
	case Violated:
		return "violated"
	}
	return "unknown"
}

// A Judgment is the outcome for one property, with its counts, evidence and warnings.
type Judgment struct {
	Property *ir.Property
	Outcome  Outcome
	// EvalError has a state in which the property has no value; nil if every state has one. With an EvalError, no state
	// shows that the property holds, and the Outcome is Unknown unless other states decide it.
	EvalError *EvalError
	// Count is the number of states that decide the Outcome: for a Reachable property those where the body is true, for
	// the others the states that violate it.
	Count  uint64
	Large  *big.Int      // this number after a symbolic search, instead of Count; nil if unknown
	Run    *Run          // after a symbolic search, a shortest run of the searched system to such a state
	Level  int           // the length of a shortest run to such a state
	State  []model.Value // the last state of that run, a state of the protocol; nil without a run
	Lasso  *Lasso        // an infinite run that violates an LTL property, or nil
	Prefix *Prefix       // a finite run to State that violates an LTL property however it continues, or nil
	Reason string        // why the Outcome of a complete search is Unknown, or what was not judged
	// Warnings point out where the property may be weaker than intended. Check sets them.
	Warnings []ir.Warning

	searched []model.Value  // the state of the searched system for State
	idle     []ir.Warning   // for an LTL property that holds: the parts without influence
	kinds    []product.Kind // the kinds of the steps of its runs
}

// A Result is the result of Check.
type Result struct {
	Search    *explore.Result  // of a symbolic search, only how it ended and which kinds of state there are
	Diagrams  *symbolic.Result // nil unless the search was symbolic
	Judgments []Judgment       // in the order of the properties
	Elapsed   time.Duration    // the time until everything was decided
}

// Holds reports whether every property holds.
func (r *Result) Holds() bool {
	return !slices.ContainsFunc(r.Judgments, func(v Judgment) bool { return v.Outcome != Holds })
}

// Violated reports whether some property is violated.
func (r *Result) Violated() bool {
	return slices.ContainsFunc(r.Judgments, func(v Judgment) bool { return v.Outcome == Violated })
}

// Check decides properties of s with one search; it sets opt.Observer, Until, Tag and Match. For a recoverable property
// it keeps 8 more bytes per state. An error wraps ErrAsymmetric or ErrTemporal, or means that the search could not
// begin. If ctx ends before or after the search, the error is ctx's, with a report of the results so far, if any. A
// search that ends early is no error: see Result.Search.
func (s Verifier) Check(ctx context.Context, properties []*ir.Property, opt explore.Options) (*Result, error) {
	c, err := newChecker(ctx, s, properties, bodiesOf(hollows(properties))...)
	if err != nil {
		return nil, err
	}
	r, err := c.decide(ctx, opt)
	if err != nil {
		return r, err
	}
	err = effort.Do(ctx, func() error {
		return s.warn(ctx, r, func(unseen []*instance) (complete bool, err error) {
			opt.Observer, opt.Until, opt.Match = newObserver(ctx, s, nil, unseen, nil), nil, nil
			result, err := explore.Run(ctx, s.searched(), opt)
			return err == nil && result.Complete(), cmp.Or(err, ctx.Err())
		})
	})
	if err == nil {
		err = s.warnHollow(r, func(i int, _ *ir.Property) (bool, error) { return c.atEnds(r.Search, i), nil })
	}
	r.Elapsed = time.Since(c.begin)
	return r, err
}

// decide judges the properties. LTL properties require a search that keeps more data about each state. If that data
// does not fit in memory, a search without it judges the other properties.
func (c *checker) decide(ctx context.Context, opt explore.Options) (*Result, error) {
	opt.Until = c.ends
	if c.wants((*property.Kind).OfRuns) {
		k := newKinds(c.verifier.searched())
		tagged := opt
		tagged.Tag = k.tag
		r, err := c.search(ctx, tagged, true, func(space *explore.Space, r *Result) error {
			if err := c.judgeAlways(ctx, r, space, k); err != nil || !r.Search.Complete() {
				return err
			}
			_, err := c.decideTemporal(ctx, r, space, k)
			return err
		})
		if err != nil || r.Search.Stop != explore.MemoryLimit {
			return r, err
		}
	}
	r, err := c.search(ctx, opt, c.wants((*property.Kind).OfFutures), nil)
	if err == nil && r.Search.Complete() {
		r.unfit(nil)
	}
	return r, err
}

// search searches and judges all properties except LTL. With keep it calls then, unless that is nil, with the states.
func (c *checker) search(
	ctx context.Context, opt explore.Options, keep bool, then func(space *explore.Space, r *Result) error,
) (*Result, error) {
	opt.Observer = c.observer
	if !keep {
		result, err := explore.Run(ctx, c.verifier.searched(), opt)
		if err != nil {
			return nil, err
		}
		return c.report(result), nil
	}
	space, err := explore.Keep(ctx, c.verifier.searched(), opt)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	r := c.report(space.Result())
	if r.Search.Complete() {
		err = c.recoverable(ctx, space, r)
	}
	if err == nil && then != nil {
		err = then(space, r)
	}
	return r, err
}

// A checker judges properties by the classes of the states.
type checker struct {
	verifier   Verifier
	properties []*ir.Property
	temporal   []*temporal // by property: nil except for LTL properties
	observer   classifier
	met        []atomic.Bool // by property: Verifier.OnViolation was called
	begin      time.Time
}

// newChecker returns a checker that ends with ctx. Its observer also evaluates the expressions in more.
func newChecker(ctx context.Context, s Verifier, properties []*ir.Property, more ...ir.Expr) (_ *checker, err error) {
	defer effort.Catch(&err)
	if err := s.permits(properties); err != nil {
		return nil, err
	}
	c := &checker{
		verifier: s, properties: properties, temporal: make([]*temporal, len(properties)),
		met: make([]atomic.Bool, len(properties)), begin: time.Now(),
	}
	if s.Holds != nil {
		if len(properties) > maxValueProperties {
			return nil, fmt.Errorf("there are %d properties; at most %d can be checked at once",
				len(properties), maxValueProperties)
		}
		c.observer = &valueObserver{properties: len(properties), holds: s.Holds}
		return c, nil
	}
	bodies := append(bodiesOf(properties), more...)
	for i, p := range properties {
		if !p.Kind.OfRuns() {
			continue
		}
		t, err := newTemporal(s.representative(p), s.System.Protocol())
		if err != nil {
			return nil, err
		}
		t.bodies = len(bodies)
		bodies = append(bodies, t.predicates()...)
		if s.searched() == model.System(s.System) && s.System.ActsAlone() {
			t.observeEvents()
		}
		for _, o := range t.occurrences {
			bodies = append(bodies, o)
		}
		c.temporal[i] = t
	}
	c.observer = newObserver(ctx, s, bodies, nil, nil)
	return c, nil
}

func bodiesOf(properties []*ir.Property) (bodies []ir.Expr) {
	for _, p := range properties {
		bodies = append(bodies, p.Body)
	}
	return bodies
}

// wants reports whether some properties are of such a kind.
func (c *checker) wants(is func(*property.Kind) bool) bool {
	return slices.ContainsFunc(c.properties, func(p *ir.Property) bool { return is(p.Kind) })
}

// report judges all properties except the recoverable and LTL ones by the classes of the states.
func (c *checker) report(result *explore.Result) *Result {
	r := c.judge(result, func(yield func(*explore.Observation, []outcome) bool) {
		for class := range result.Classes {
			if !yield(&result.Classes[class], c.outcomes(uint32(class))) {
				return
			}
		}
	})
	c.undefinedAtoms(r)
	return r
}

// judge does so from observations of states and the values of the bodies of the properties in them.
func (c *checker) judge(result *explore.Result, seen iter.Seq2[*explore.Observation, []outcome]) *Result {
	r := &Result{Search: result}
	for _, p := range c.properties {
		r.Judgments = append(r.Judgments, Judgment{Property: p})
	}
	for seen, outcomes := range seen {
		for i, o := range outcomes {
			v := &r.Judgments[i]
			sighting := relevant(v.Property.Kind, seen)
			if sighting.Count == 0 {
				continue
			}
			if o.err != nil {
				v.recordError(c.verifier, sighting, v.Property.Body, o.err)
			} else if v.Property.Kind.Decides(o.value != 0) {
				v.add(c.verifier.searched(), sighting)
			}
		}
	}
	for i := range r.Judgments {
		v := &r.Judgments[i]
		v.judge(result.Complete())
		if v.Property.Kind.OfRuns() && result.Stop == explore.ModelFailure {
			v.Reason = "the model has an error, and it is not known how runs continue after it"
		}
		v.State = c.verifier.decode(v.searched)
	}
	r.Elapsed = time.Since(c.begin)
	return r
}

// outcomes returns the values of the bodies of the properties in the states of a class.
func (c *checker) outcomes(class uint32) []outcome {
	return c.observer.outcomes(class)[:len(c.properties)]
}

// relevant returns the states of a class that a property of the given kind concerns.
func relevant(kind *property.Kind, seen *explore.Observation) *explore.Sighting {
	if kind.OfEnds() {
		return &seen.Quiescent
	}
	return &seen.All
}

// add counts the states of one more class.
func (v *Judgment) add(sys model.System, s *explore.Sighting) {
	if v.searched == nil || earlier(sys, s, v.Level, v.searched) {
		v.Level, v.searched = s.Level, s.State
	}
	v.Count += s.Count
}

// earlier reports whether the run to a sighting is shorter than one of the given length to a state; of equally short
// ones the order of the states decides.
func earlier(sys model.System, s *explore.Sighting, level int, state []model.Value) bool {
	return s.Level < level || s.Level == level && model.Compare(sys, s.State, state) < 0
}

// judge sets the outcome of a property that is neither recoverable nor LTL.
func (v *Judgment) judge(complete bool) {
	switch kind := v.Property.Kind; {
	case !kind.Statewise():
	case kind.Existential() && v.Count > 0:
		v.Outcome = Holds
	case v.Count > 0:
		v.Outcome = Violated
	case v.EvalError != nil:
	case complete && kind.Existential():
		v.Outcome = Violated
	case complete:
		v.Outcome = Holds
	}
}

// recoverable judges the recoverable properties.
func (c *checker) recoverable(ctx context.Context, space *explore.Space, r *Result) error {
	for i := range r.Judgments {
		v := &r.Judgments[i]
		if !v.Property.Kind.OfFutures() {
			continue
		}
		trap, err := c.trap(ctx, space, i)
		switch {
		case errors.Is(err, explore.ErrIncomplete), errors.Is(err, explore.ErrMemory):
			continue
		case err != nil:
			return err
		}
		v.Count = trap.States
		switch {
		case trap.States == 0 && v.EvalError == nil:
			v.Outcome = Holds
		case trap.States > 0:
			v.Outcome, v.Level, v.searched = Violated, trap.Level, trap.State
			v.State = c.verifier.decode(trap.State)
		}
	}
	return nil
}

// trap returns the states that violate recoverable property i. A state in which the property has no value counts as a
// goal.
func (c *checker) trap(ctx context.Context, space *explore.Space, i int) (trap *explore.Trap, err error) {
	defer effort.Catch(&err)
	o, body := c.observer, i
	if c.verifier.Holds == nil { // an observer of only this property has few classes
		o, body = newObserver(ctx, c.verifier, []ir.Expr{c.properties[i].Body}, nil, nil), 0
	}
	var goals intern.Array[atomic.Uint32] // by class: whether it is a goal, plus one; 0 if unknown
	trap, err = space.Trap(ctx, o, func(class uint32) bool {
		known := goals.At(class)
		if known.Load() == 0 {
			outcome := o.outcomes(class)[body]
			known.Store(1)
			if outcome.err != nil || outcome.value != 0 {
				known.Store(2)
			}
		}
		return known.Load() == 2
	})
	return trap, err
}

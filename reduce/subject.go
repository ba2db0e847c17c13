package reduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/machine"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce/symmetry"
)

// A Subject is a system to be searched. Prepare compiles and reduces it.
type Subject struct {
	*System
	Search Search

	Full         *compile.System // the full system; nil unless System is an instance of a spec
	SearchSystem model.System    // the system to search, Full or a smaller one
	Reduced      *ReducedSystem  // the reductions of Full; nil likewise

	// ChosenProperties are the properties to decide, in the order of the spec, and Bounds the bounds on probabilities
	// and expected rewards. A reduction preserves the values of ChosenProperties.
	ChosenProperties []*ir.Property
	Bounds           []*ir.Bound

	names []string // of the chosen properties and bounds; nil means all
	began time.Time

	// Visible returns a function for confluence.Options.Observes: it reports which steps properties can observe.
	Visible func(ctx context.Context, sys *compile.System, properties []*ir.Property, memory uint64) (
		func(before, after model.Value, moved bool) bool, error)
	// Decides, if not nil, returns an error if the search system of the prepared subject does not decide what is asked.
	// Auto is then another symmetry.
	Decides func(s *Subject) error
}

// NewSubject returns a subject without properties that is not prepared yet. The error is a *model.RequestError: the
// search is invalid, or does not fit the system.
func NewSubject(sys *System, search Search) (*Subject, error) {
	search = search.Normal()
	if err := search.Validate(); err != nil {
		return nil, err
	}
	if sys.File != "" {
		return nil, model.Refuse("", "",
			"%s is a file of states and transitions, which are explored already", sys.File)
	}
	s := &Subject{System: sys, Search: search, SearchSystem: sys.Direct, began: time.Now()}
	switch {
	case sys.Protocol == nil:
		return s, s.Search.dependent()
	case search.Engine == Symbolic:
		return s, s.Search.WithoutSymmetry(notSymbolic)
	}
	return s, nil
}

// Choose chooses the properties and bounds with the given names; nil means all. LTL properties assume the given
// fairness, unless it is "". The error is a *model.RequestError.
func (s *Subject) Choose(names []string, fair Fairness) error {
	if err := OneOf("fair", string(fair), Choices("fair")); err != nil {
		return err
	}
	if err := s.System.CheckNames(names); err != nil {
		return err
	}
	s.names = names
	for _, q := range s.DeclaredProperties() {
		if s.chooses(q.Name) {
			s.ChosenProperties = append(s.ChosenProperties, fair.replace(q))
		}
	}
	if s.Protocol == nil {
		return nil
	}
	for _, b := range s.Protocol.Bounds {
		if s.chooses(b.Name) {
			s.Bounds = append(s.Bounds, b)
		}
	}
	return nil
}

// chooses reports whether a property or bound is chosen.
func (s *Subject) chooses(name string) bool { return s.names == nil || slices.Contains(s.names, name) }

// Named reports whether the properties and bounds were chosen by name.
func (s *Subject) Named() bool { return s.names != nil }

// Countable returns a *model.RequestError if bounds are chosen under a reduction, which does not preserve them.
func (s *Subject) Countable() error {
	var names []string
	for _, b := range s.Bounds {
		names = append(names, b.Name)
	}
	if names != nil && s.Search.Reduction != NoReduction {
		return model.Refuse("reduce", string(s.Search.Reduction),
			"it leaves out steps and choices that these properties count: %s; --property chooses others",
			strings.Join(names, ", "))
	}
	return nil
}

// ChosenHolds returns the function that evaluates the chosen properties; nil if the properties are not Go functions.
func (s *Subject) ChosenHolds() func(int, model.Value) bool {
	return s.System.HoldsOf(s.names)
}

// Description describes the system with its reductions.
func (s *Subject) Description() Description {
	d := s.System.Description()
	d.Reduction, d.Symmetry = s.Search.Reduction.String(), s.Search.Symmetry.String()
	d.Assumption = s.Search.Assume
	return d
}

// Prepare compiles an instance of a spec, and applies the reduction and the symmetry. If ctx ends that, the error wraps
// explore.ErrIncomplete.
func (s *Subject) Prepare(ctx context.Context) (err error) {
	if s.Protocol == nil {
		return nil
	}
	begin := time.Now()
	if s.Full, err = s.System.Compile(ctx, &s.Search); err != nil {
		return err
	}
	if err := s.reduce(ctx); err != nil {
		return err
	}
	s.Search.Logf("%d slots, %d transition groups; reduction %v, symmetry %v; made ready in %.3f s",
		len(s.SearchSystem.Slots()), len(s.SearchSystem.Groups()), s.Search.Reduction, s.Search.Symmetry,
		time.Since(begin).Seconds())
	return nil
}

// Compile returns the transition system of an instance of a spec.
func (s *System) Compile(ctx context.Context, search *Search) (*compile.System, error) {
	if err := s.Explorable(); err != nil {
		return nil, err
	}
	need := compile.Need(s.Protocol)
	if search.Memory != 0 && need > max(search.Memory, 1<<20) || need > machine.Memory() {
		return nil, fmt.Errorf("%w: a system of %d processes and %d channels takes at least %d bytes",
			explore.ErrBudget, s.Protocol.N, len(s.Protocol.Links), need)
	}
	return compile.New(ctx, s.Protocol, search.Bounds())
}

// reduce applies the reduction and the symmetry to the compiled system.
func (s *Subject) reduce(ctx context.Context) (err error) {
	var visible Visibility
	if s.Search.Reduction != NoReduction && s.Visible != nil {
		if visible, err = s.Visible(ctx, s.Full, s.ChosenProperties, s.Search.Memory/4); err != nil {
			return err
		}
	}
	if s.Search.Symmetry == Auto && s.Search.Reduction == OnTheFly {
		// The reason is one for Auto, so there is no error.
		_ = s.Search.WithoutSymmetry("only the search would find whether each state has one representative")
	}
	if s.Search.Symmetry == Auto {
		err = s.applyAny(ctx, visible)
	} else {
		if err = s.apply(ctx, s.Search.Symmetry, visible); err == nil {
			s.Reduced.logSymmetry(s.Search)
		}
	}
	switch {
	case ctx.Err() != nil:
		return explore.ContextError(ctx, err)
	case errors.Is(err, compile.ErrCoupled):
		return &model.RequestError{Option: "reduce", Value: string(s.Search.Reduction), Err: errors.Unwrap(err)}
	case err != nil:
		return &model.RequestError{Option: "symmetry", Value: string(s.Search.Symmetry), Err: errors.Unwrap(err)}
	}
	return nil
}

// apply applies the reduction and a symmetry, which is not Auto, to the compiled system.
func (s *Subject) apply(ctx context.Context, kind Symmetry, visible Visibility) error {
	search := s.Search
	search.Symmetry = kind
	reduced, err := Apply(ctx, s.Full, search, visible, s.invariants()...)
	if err == nil {
		s.Reduced, s.SearchSystem, s.Search.Symmetry = reduced, reduced.System, reduced.Symmetry
	}
	return err
}

// applyAny applies the reduction and the greatest symmetry under which the system decides what is asked, or none. With
// a reduction, rotation is the faster way to permutations that are rotations only.
func (s *Subject) applyAny(ctx context.Context, visible Visibility) error {
	ring := s.Protocol.Topology.Ring
	found, err := s.try(ctx, Permutation, visible)
	reduces := s.Search.Reduction != NoReduction || s.Search.Assume != ""
	if permuted := found; err == nil && ring && reduces && (!permuted || s.Reduced.quotient.Rotations()) {
		found, err = s.try(ctx, Rotation, visible)
		if permuted && !found && err == nil {
			found, err = s.try(ctx, Permutation, visible)
		}
	}
	switch {
	case err != nil:
		return err
	case !found:
		s.Search.Logf("symmetry: none")
		return s.apply(ctx, NoSymmetry, visible)
	case ring && s.Reduced.quotient.Rotations():
		s.Search.Symmetry = Rotation
	}
	s.Reduced.logSymmetry(s.Search)
	return nil
}

// try applies the reduction and a symmetry. It returns false if the system does not have it, or does not decide what is
// asked under it.
func (s *Subject) try(ctx context.Context, kind Symmetry, visible Visibility) (bool, error) {
	err := s.apply(ctx, kind, visible)
	if err != nil && !errors.Is(err, symmetry.ErrAsymmetric) {
		return false, err
	}
	if err == nil && s.Decides != nil {
		err = s.Decides(s)
	}
	if err != nil {
		s.Search.Logf("symmetry: not %s: %v", kind, err)
	}
	return err == nil, nil
}

// InvariantsOf returns the parts of a property whose values a symmetry must not change.
func InvariantsOf(p *ir.Property) (list []symmetry.Invariant) {
	add := func(i symmetry.Invariant) {
		i.Break = symmetry.Break{Pos: p.Pos, Text: "property " + p.Name}
		list = append(list, i)
	}
	switch {
	case p.Temporal == nil:
		add(symmetry.Invariant{Body: p.Body})
	case p.Temporal.Chance == ir.PositiveProbability:
		// A conjunction that is violated with probability one can have conjuncts that are not.
		p.Temporal.Formula.Walk(func(f *ir.Formula) {
			if f.State != nil {
				add(symmetry.Invariant{Body: f.State})
			}
		})
	default:
		add(symmetry.Invariant{Formula: p.Temporal.Formula})
	}
	if p.Temporal != nil {
		add(symmetry.Invariant{OfRuns: true})
		for i := range p.Temporal.Fair {
			for _, eq := range p.Temporal.Fair[i].Equations {
				add(symmetry.Invariant{Equation: eq})
			}
		}
	}
	return list
}

// invariants returns the parts of the properties and goals whose values a symmetry must not change.
func (s *Subject) invariants() (list []symmetry.Invariant) {
	add := func(name string, pos syntax.Pos, body ir.Expr) {
		if body != nil {
			list = append(list, symmetry.Invariant{Break: symmetry.Break{Pos: pos, Text: name}, Body: body})
		}
	}
	for _, p := range s.ChosenProperties {
		list = append(list, InvariantsOf(p)...)
	}
	for _, b := range s.Bounds {
		b.Goal.Walk(func(f *ir.Formula) { add("property "+b.Name, b.Pos, f.State) })
	}
	for _, goal := range s.Protocol.Goals {
		goal.Walk(func(f *ir.Formula) { add("goal", goal.Pos, f.State) })
	}
	return list
}

// Liftable returns a *model.RequestError if runs of the searched system cannot be lifted to the full one.
func (s *Subject) Liftable() error {
	if s.Search.Reduction == OnTheFly && s.Search.Symmetry != NoSymmetry && s.Search.Symmetry != Auto {
		return model.Refuse("reduce", string(s.Search.Reduction),
			"runs of orbits of representatives cannot be lifted to the full system: leave the symmetry out")
	}
	return nil
}

// Prepare returns the prepared subject of a search. Its errors are the errors of NewSubject and Subject.Prepare.
func Prepare(ctx context.Context, sys *System, search Search) (*Subject, error) {
	s, err := NewSubject(sys, search)
	if err != nil {
		return nil, err
	}
	return s, explore.ContextError(ctx, effort.Do(ctx, func() error { return s.Prepare(ctx) }))
}

// Do prepares s and calls do. If ctx or a limit ends either, early says so; the result is nil if do has not returned
// one.
func Do[R any](ctx context.Context, s *Subject, do func() (*R, error)) (result *R, early explore.Ending, err error) {
	err = early.Phase(ctx, func() (err error) {
		if err = s.Prepare(ctx); err == nil {
			result, err = do()
		}
		return err
	})
	return result, early, err
}

// Explore is Do for the explicit engine. If ctx ends before the search begins, the result is empty.
func (s *Subject) Explore(ctx context.Context, do func() (*explore.Result, error)) (*explore.Result, error) {
	result, early, err := Do(ctx, s, do)
	switch {
	case result != nil || err != nil:
		return result, err
	case ctx.Err() == nil:
		return nil, early.Err() // a limit
	}
	return s.Unbegun(ctx), nil
}

// Unbegun returns the result of a search that ctx ended before it began.
func (s *Subject) Unbegun(ctx context.Context) *explore.Result {
	return &explore.Result{Stop: explore.StopFor(ctx), Elapsed: time.Since(s.began)}
}

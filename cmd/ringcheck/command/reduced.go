package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
	"ringcheck/verify"
)

// A reduced is a system made smaller, and the invariant that is assumed for that and has to be watched.
type reduced struct {
	*reduce.Applied
	full      *compile.System
	assume    *confluence.Assumption // nil: nothing
	invariant *ir.Property           // nil: none
	monitor   *verify.Monitor        // of the invariant
}

// apply returns the system to be searched for sys.
func (r *reduction) apply(ctx context.Context, sys *compile.System) (*reduced, error) {
	s := &reduced{full: sys}
	var err error
	if s.invariant, err = r.invariant(sys.Protocol()); err != nil {
		return nil, err
	}
	switch {
	case s.invariant != nil:
		s.assume = confluence.Invariant(s.invariant)
	case r.assume == noConflict:
		s.assume = confluence.NoConflict()
	}
	s.Applied, err = reduce.Apply(ctx, sys, reduce.Options{
		Level:      r.level(),
		Assume:     s.assume,
		Rotation:   r.symmetry == rotation || r.symmetry == dihedral,
		Reflection: r.symmetry == dihedral,
	})
	if ctx.Err() != nil {
		_, err := contextStop(ctx)
		return nil, err
	}
	if err != nil {
		return nil, wrongRequestf("--symmetry %s: %w", r.symmetry, errors.Unwrap(err))
	}
	if s.invariant != nil {
		s.monitor, err = verify.NewMonitor(s.subject(), []*ir.Property{s.invariant})
	}
	if err != nil {
		return nil, wrongRequestf("--symmetry %s: %w", r.symmetry, err)
	}
	return s, nil
}

// invariant returns the invariant that --assume names, nil if it names none. One that is called like an assumption of
// another kind cannot be assumed.
func (r *reduction) invariant(p *ir.Protocol) (*ir.Property, error) {
	var names []string
	for _, q := range p.Properties {
		switch {
		case q.Kind != ir.Invariant:
		case slices.Contains(assumptions(), q.Name):
			if q.Name == r.assume && r.assuming != nil && r.assuming.Changed {
				return nil, wrongRequestf("--assume %s: the invariant of %s with that name cannot be assumed, for the word means something else here: rename it",
					q.Name, p.Name)
			}
		case q.Name == r.assume:
			return q, nil
		default:
			names = append(names, q.Name)
		}
	}
	if !r.assumesInvariant() {
		return nil, nil
	}
	if len(names) == 0 {
		return nil, wrongRequestf("--assume %s: want %s; %s states no invariant that can be assumed", r.assume, strings.Join(assumptions(), " or "), p.Name)
	}
	return nil, wrongRequestf("--assume %s: want %s, or an invariant that %s states with these options (%s)", r.assume,
		strings.Join(assumptions(), ", "), p.Name, strings.Join(names, ", "))
}

// assumption returns what is assumed, "" if nothing is.
func (r *reduction) assumption() string {
	if r.assume == noAssumption {
		return ""
	}
	return r.assume
}

func (r *reduction) assumesInvariant() bool {
	return r.assume != "" && !slices.Contains(assumptions(), r.assume)
}

// subject returns what to verify properties of.
func (s *reduced) subject() verify.Subject {
	return verify.Subject{System: s.full, Searched: s.Applied.System}
}

// watch returns the options of a search in which the invariant is checked.
func (s *reduced) watch(opt explore.Options) explore.Options {
	if s.monitor == nil {
		return opt
	}
	return s.monitor.Watch(opt)
}

// broken returns a failure if the invariant does not hold in a state that a search has met, and that state.
func (s *reduced) broken(r *explore.Result) (*failure, []model.Value, error) {
	if s.monitor == nil {
		return nil, nil, nil
	}
	report, err := s.monitor.Report(r)
	if err != nil {
		return nil, nil, wrongRequest(err)
	}
	v := &report.Verdicts[0]
	if v.Outcome != verify.Violated {
		return nil, nil, nil
	}
	lines, err := why(s.full, s.invariant, v.State)
	if err != nil {
		return nil, nil, err
	}
	f := &failure{status: statusViolated, err: fmt.Errorf("the assumption %s does not hold", s.invariant.Name)}
	f.rendered = describe(f) + strings.Join(lines, "\n") + "\n"
	return f, v.Searched(), nil
}

// useless reports whether the invariant had nothing to say about what is confluent.
func (s *reduced) useless(r *reduction) bool {
	return s.invariant != nil && r.kind != noReduction && !s.assume.Used()
}

// runTo describes a shortest run to a state of the searched system.
func (s *reduced) runTo(ctx context.Context, state []model.Value, opt explore.Options) string {
	run, err := explore.Path(ctx, s.Applied.System, opt, func(_ int, to []model.Value) bool { return slices.Equal(to, state) })
	shown := s.Applied.System
	if err == nil {
		shown, run, err = lift(s.Applied, run, state)
	}
	if err != nil {
		return fmt.Sprintf("the run that leads there was not found: %v\n", err)
	}
	return fmt.Sprintf("after %d steps:\n%s", len(run)-1, newPrinter(shown).run(run))
}

// lift turns a run of a searched system that ends in the state last into one of the full system.
func lift(sys *reduce.Applied, run []explore.Move, last []model.Value) (model.System, []explore.Move, error) {
	q := sys.Quotient()
	if q == nil {
		return sys.System, run, nil
	}
	states := make([][]model.Value, len(run))
	for i, m := range run {
		states[i] = m.State
	}
	end := make([]model.Value, len(q.System.Slots()))
	q.Decode(last, 0, end)
	lifted, err := q.Lift(states, func(state []model.Value) bool { return slices.Equal(state, end) })
	return q.System, lifted, err
}

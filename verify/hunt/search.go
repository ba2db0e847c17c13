package hunt

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// A Report is the report of Search: what was tried.
type Report struct {
	reduce.Description
	explore.Ending
	Seed       uint64   `json:"seed"`
	Properties []string `json:"properties"` // that were hunted
	Attempts
	Found   int `json:"found,omitempty"` // the steps of what was found before it was shortened
	Workers int `json:"workers"`
	explore.Cost
}

// Search looks for a run that violates a chosen invariant or terminal property of s, in a system with too many states
// for a breadth-first search. The run is shortened and replayed; it need not be a shortest one. If the run is nil, the
// properties may still be violated: the report is never complete. The search ends with ctx, or when s.Search.MaxStates
// states have been visited. It also returns a run to a model error; the report then has the error. The error is a
// *model.RequestError, or says why the search could not begin.
func Search(ctx context.Context, s *reduce.Subject, seed uint64) (*view.Run, *Report, error) {
	goals, err := huntable(s)
	if err != nil {
		return nil, nil, err
	}
	workers := cmp.Or(s.Search.Workers, runtime.GOMAXPROCS(0))
	r := &Report{Description: s.Description(), Seed: seed, Workers: workers}
	for _, p := range goals {
		r.Properties = append(r.Properties, p.Name)
	}
	began := time.Now()
	var run *view.Run
	err = r.Phase(ctx, func() (err error) {
		run, err = r.search(ctx, s, goals)
		return err
	})
	r.Cost = explore.CostSince(began)
	return run, r, err
}

// huntable returns the chosen properties that a single state violates.
func huntable(s *reduce.Subject) ([]*ir.Property, error) {
	const full = "a hunt follows runs of the full system"
	switch {
	case s.System.Protocol == nil:
		return nil, model.Refuse("hunt", "", "%s is not an instance of a spec", s.System.Name)
	case s.Search.Reduction != reduce.NoReduction:
		return nil, model.Refuse("reduce", string(s.Search.Reduction), full)
	}
	if err := s.Search.WithoutSymmetry(full); err != nil {
		return nil, err
	}
	var goals []*ir.Property
	for _, p := range s.ChosenProperties {
		switch {
		case p.Kind.Safety():
			goals = append(goals, p)
		case s.Named():
			return nil, model.Refuse("property", p.Name,
				"a hunt looks for single states: it finds no violation of %s properties", p.Kind)
		}
	}
	switch {
	case s.Named() && len(s.Bounds) > 0:
		return nil, model.Refuse("property", s.Bounds[0].Name, "a probability bound has no single counterexample run")
	case len(goals) == 0:
		return nil, model.Refuse("hunt", "", "%s states neither an invariant nor a terminal property", s.System.Name)
	}
	return goals, nil
}

// search searches, and replays and shortens what it found.
func (r *Report) search(ctx context.Context, s *reduce.Subject, goals []*ir.Property) (run *view.Run, err error) {
	if err := s.Prepare(ctx); err != nil {
		return nil, err
	}
	found, tried, err := Run(ctx, s.Full, goals, Options{
		Workers: r.Workers, Seed: r.Seed, MaxStates: s.Search.MaxStates, Memory: s.Search.Budget(),
	})
	if err != nil {
		return nil, err
	}
	r.Attempts = *tried
	if found == nil {
		r.Ending = (&explore.Result{Stop: tried.Stop}).Ending()
		return nil, nil
	}
	r.Found = len(found.Moves) - 1
	if found.Invalid != nil {
		e := &verify.EvalError{Property: found.Property, Err: found.Invalid}
		r.Ending = explore.EndedBy(e.ModelError(), &model.RequestError{Err: e})
		return verify.Show(s, &verify.Run{Property: found.Property, EvalError: e, Moves: found.Moves})
	}
	r.Ending = (&explore.Result{Stop: tried.Stop, ModelError: found.ModelError}).Ending()
	if found.ModelError != nil {
		finding := fmt.Sprintf("%v, after %s", found.ModelError, printable.Count(r.Found, "step"))
		return verify.FullRun(s, finding, found.Moves), verify.Retake(s.Full, found.Moves)
	}
	if found.Moves, err = Shorten(ctx, s.Full, found.Property, found.Moves); err != nil {
		return nil, err
	}
	if run, err = verify.Show(s, &verify.Run{Property: found.Property, Moves: found.Moves}); err == nil {
		run.Finding += "; this run was found by a hunt, and there may be shorter ones"
	}
	return run, err
}

package ringcheck

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
	"ringcheck/verify/hunt"
)

// A Hunted is the report of Hunt: what was tried.
type Hunted struct {
	Description
	Ending
	Seed       uint64   `json:"seed"`
	Properties []string `json:"properties"` // that were hunted
	hunt.Report
	Found        int     `json:"found,omitempty"` // the steps of what was found before it was shortened
	Workers      int     `json:"workers"`
	Seconds      float64 `json:"seconds"`
	PeakRSSBytes uint64  `json:"peak_rss_bytes"`
}

// Hunt looks for a run that violates an invariant or a terminal property in a system with too many states for
// Counterexample, see package hunt. The run is shortened and replayed; it need not be a shortest one. If the run is
// nil, the properties may still be violated: the report is never complete. Hunt ends with ctx, or when
// Options.MaxStates states have been visited. It also returns a run to a fault of the model; the report then has the
// fault.
func Hunt(ctx context.Context, sys *System, seed uint64, opt ...Options) (*Run, *Hunted, error) {
	t, err := newCheckTask(sys, only(opt))
	if err != nil {
		return nil, nil, err
	}
	goals, err := t.huntable()
	if err != nil {
		return nil, nil, err
	}
	r := &Hunted{Description: t.Description(), Seed: seed, Workers: cmp.Or(t.opt.Workers, runtime.GOMAXPROCS(0))}
	for _, p := range goals {
		r.Properties = append(r.Properties, p.Name)
	}
	begun := time.Now()
	var run *Run
	err = r.Phase(ctx, func() (err error) {
		run, err = t.hunt(ctx, goals, r)
		return err
	})
	r.Seconds, r.PeakRSSBytes = seconds(time.Since(begun)), machine.PeakRSS()
	return run, r, propertyError(err)
}

// huntable returns the chosen properties that a single state violates.
func (t *task) huntable() ([]*ir.Property, error) {
	const full = "a hunt follows runs of the full system"
	switch {
	case t.System.Protocol == nil:
		return nil, model.Refuse("hunt", "", "%s is no instance of a spec", t.System.Name)
	case t.opt.Reduction != NoReduction:
		return nil, model.Refuse("reduce", string(t.opt.Reduction), full)
	case t.opt.Symmetry != NoSymmetry:
		return nil, model.Refuse("symmetry", string(t.opt.Symmetry), full)
	}
	var goals []*ir.Property
	for _, p := range t.Chosen {
		switch {
		case p.Kind == ir.Invariant, p.Kind == ir.Terminal:
			goals = append(goals, p)
		case t.opt.Properties != nil:
			return nil, model.Refuse("property", p.Name,
				"a hunt looks for single states: it finds no violation of %s properties", p.Kind)
		}
	}
	switch {
	case t.opt.Properties != nil && len(t.Bounds) > 0:
		return nil, model.Refuse("property", t.Bounds[0].Name, "a probability bound has no single counterexample run")
	case len(goals) == 0:
		return nil, model.Refuse("hunt", "", "%s states neither an invariant nor a terminal property", t.System.Name)
	}
	return goals, nil
}

// hunt hunts, and replays and shortens what it found.
func (t *task) hunt(ctx context.Context, goals []*ir.Property, r *Hunted) (run *Run, err error) {
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	found, tried, err := hunt.Run(ctx, t.Full, goals, hunt.Options{
		Workers: r.Workers, Seed: r.Seed, MaxStates: t.opt.MaxStates, Memory: t.opt.Budget(),
	})
	if err != nil {
		return nil, err
	}
	r.Report = *tried
	if found == nil {
		r.Ending = (&explore.Result{Stop: tried.Stop}).Ending()
		return nil, nil
	}
	r.Found = len(found.Moves) - 1
	if found.Invalid != nil {
		e := &verify.EvalError{Property: found.Property, Err: found.Invalid}
		r.Ending = explore.EndedBy(e.Fault(), &RequestError{Err: e})
		return verify.Show(t.Subject, &verify.Run{Property: found.Property, Fault: e, Moves: found.Moves})
	}
	r.Ending = (&explore.Result{Stop: tried.Stop, Fault: found.Fault}).Ending()
	if found.Fault != nil {
		finding := fmt.Sprintf("%v, after %s", found.Fault, printable.Count(r.Found, "step"))
		return verify.FullRun(t.Subject, finding, found.Moves), verify.Retake(t.Full, found.Moves)
	}
	if found.Moves, err = hunt.Shorten(ctx, t.Full, found.Property, found.Moves); err != nil {
		return nil, err
	}
	if run, err = verify.Show(t.Subject, &verify.Run{Property: found.Property, Moves: found.Moves}); err == nil {
		run.Finding += "; this run was found by a hunt, and there may be shorter ones"
	}
	return run, err
}

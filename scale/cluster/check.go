package cluster

import (
	"context"
	"maps"
	"slices"

	"ringcheck"
	"ringcheck/model"
	"ringcheck/scale/level"
	"ringcheck/verify"
)

// Check implements command.Cluster.
func (e *Engine) Check(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Report, error) {
	s, err := e.search(ctx, sys, opt, (*ringcheck.System).PrepareCheck)
	if err != nil {
		return nil, err
	}
	defer s.leave(ctx)
	r, _, _, err := s.check(ctx)
	return r, err
}

// Counterexample implements command.Cluster. It stops with the pipeline that finds the first violation.
func (e *Engine) Counterexample(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Run, *ringcheck.Report, error) {
	s, err := e.search(ctx, sys, opt, (*ringcheck.System).PrepareCheck)
	if err != nil {
		return nil, nil, err
	}
	defer s.leave(ctx)
	s.until = s.broken
	r, v, end, err := s.check(ctx)
	if err != nil || v == nil {
		return nil, r, err
	}
	var states [][]model.Value
	if end != nil {
		if states, err = s.back(ctx, v.Level, end); err != nil {
			return nil, nil, err
		}
	}
	run, err := s.prepared.Run(v, states)
	return run, r, err
}

// check searches, and judges the properties.
func (s *search) check(ctx context.Context) (*ringcheck.Report, *verify.Verdict, []model.Value, error) {
	stop, err := s.all(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	observed, err := s.observed()
	if err != nil {
		return nil, nil, nil, refuse("dir", s.dir, "%w", err)
	}
	return s.prepared.CheckReport(ctx, s.result(stop), observed, s.last.Shown)
}

// broken reports whether an invariant or a terminal property is violated.
func (s *search) broken(m *level.Manifest) bool {
	judge := s.prepared.Judge
	for told, o := range m.Observations {
		if judge.Breaks(told, false) || o.Quiescent.Count > 0 && judge.Breaks(told, true) {
			return true
		}
	}
	return false
}

// observed returns the observations of all states.
func (s *search) observed() (list []verify.Observed, err error) {
	for _, told := range slices.Sorted(maps.Keys(s.last.Observations)) {
		o := s.last.Observations[told]
		seen, err := o.Of(s.prepared.Searched)
		if err != nil {
			return nil, err
		}
		list = append(list, verify.Observed{Told: told, Observation: seen})
	}
	return list, nil
}

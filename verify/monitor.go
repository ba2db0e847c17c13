package verify

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Monitor checks invariants in the states that a search meets which is made for something else.
type Monitor struct{ checker *checker }

// NewMonitor returns a monitor of searches of what s says, until ctx is done. The error wraps ErrAsymmetric, or is that of ctx.
func NewMonitor(ctx context.Context, s Subject, invariants []*ir.Property) (*Monitor, error) {
	c, err := newChecker(ctx, s, invariants)
	return &Monitor{c}, err
}

// Watch returns the options for a search that ends, as explore.Matched, after a level in which an invariant is violated.
func (m *Monitor) Watch(opt explore.Options) explore.Options {
	opt.Observer, opt.Until = m.checker.observer, m.checker.breaks
	return opt
}

// Report returns the verdicts on the invariants after such a search. The error is an *EvalError.
func (m *Monitor) Report(r *explore.Result) (*Report, error) { return m.checker.report(r) }

// Searched returns the state of the searched system that a violated verdict is about.
func (v *Verdict) Searched() []model.Value { return v.searched }

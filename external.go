package ringcheck

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// A Prepared is a system ready to be searched by an engine: compiled, and reduced as the options say.
type Prepared struct {
	Description
	System   model.System    // the full one
	Searched model.System    // the reduced one, to be searched; System if nothing is reduced
	Search   explore.Options // limits, workers and progress of the search
	Judge    *verify.Judge   // evaluates the properties in states; nil unless PrepareCheck returned this

	task *task
}

// Prepare compiles and reduces a system for an engine of the caller's.
func Prepare(ctx context.Context, sys *System, search Search) (*Prepared, error) {
	t, err := newStepwiseTask(sys, search)
	if err != nil {
		return nil, err
	}
	if err := explore.ContextError(ctx, effort.Do(ctx, func() error { return t.Prepare(ctx) })); err != nil {
		return nil, err
	}
	return t.prepared(nil), nil
}

// PrepareCheck is Prepare for an engine that decides properties and visits the states one by one: only invariants,
// terminal and reachable properties may be chosen.
func PrepareCheck(ctx context.Context, sys *System, properties []string, search Search) (*Prepared, error) {
	t, err := newCheckTask(sys, Checks{Claims: Claims{Properties: properties}}, search)
	if err == nil {
		err = cmp.Or(search.Stepwise(), t.statewise())
	}
	if err != nil {
		return nil, err
	}
	judge, early, err := reduce.Do(ctx, t.Subject,
		func() (*verify.Judge, error) { return verify.NewJudge(ctx, t.subject(), t.Chosen) })
	if err = cmp.Or(err, early.Err()); err != nil {
		return nil, propertyError(err)
	}
	return t.prepared(judge), nil
}

func (t *task) prepared(judge *verify.Judge) *Prepared {
	p := &Prepared{t.Description(), t.System.Direct, t.Searched, t.Search.ExploreOptions(), judge, t}
	if t.Full != nil {
		p.System = t.Full
	}
	return p
}

// statewise returns an error if a chosen property or bound cannot be decided state by state; it names those that can.
func (t *task) statewise() error {
	if err := t.Countable(); err != nil {
		return err
	}
	var others, names []string
	for _, p := range t.Chosen {
		if p.Kind == ir.Recoverable || p.Kind == ir.LTL {
			others = append(others, p.Name)
		} else {
			names = append(names, p.Name)
		}
	}
	for _, b := range t.Bounds {
		others = append(others, b.Name)
	}
	switch {
	case len(others) == 0:
		return nil
	case len(names) == 0:
		return model.Refuse("property", others[0], "it is not decided state by state: check it with ringcheck")
	}
	return model.Refuse("property", others[0], "it is not decided state by state: choose from %s", strings.Join(names,
		", "))
}

// Report returns the report of a search of the system.
func (p *Prepared) Report(ctx context.Context, r *explore.Result) (*Report, error) {
	report := p.task.report(r, nil, r.Elapsed)
	return report, p.task.countWithoutGhosts(ctx, report)
}

// CheckReport returns the report of a search of the system. It takes what was observed in states, and the numbers of
// what these states have shown, see Judge.Told. It also returns the first verdict that a run can show, and the state of
// Searched in which that run ends; nil if there is none.
func (p *Prepared) CheckReport(
	ctx context.Context, r *explore.Result, observed []verify.Observed, shown []int,
) (*Report, *verify.Verdict, []model.Value, error) {
	found, err := p.Judge.Report(ctx, r, observed, shown)
	if err != nil {
		return nil, nil, nil, propertyError(err)
	}
	c, err := p.task.checked(found)
	if err == nil {
		err = p.task.countWithoutGhosts(ctx, c)
	}
	v, end := found.First()
	return c, v, end, err
}

// Run returns the run that a verdict is about, given its states in Searched. A second implementation has replayed it
// step by step.
func (p *Prepared) Run(v *verify.Verdict, states [][]model.Value) (*Run, error) {
	if len(states) == 0 {
		return verify.Show(p.task.Subject, &verify.Run{Property: v.Property})
	}
	found, err := p.task.subject().Run(v, states)
	if err != nil {
		return nil, err
	}
	return verify.Show(p.task.Subject, found)
}

// Confirm returns moves of System from one of its initial states as a run, after a second implementation has repeated
// them. The finding says what it shows, in a sentence.
func (p *Prepared) Confirm(moves []model.Move, finding string) (*Run, error) {
	if err := verify.Repeat(p.task.Full, moves); err != nil {
		return nil, fmt.Errorf("a run of %s cannot be replayed: %w", p.task.System.Name, err)
	}
	return verify.FullRun(p.task.Subject, finding, moves), nil
}

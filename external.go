package ringcheck

import (
	"cmp"
	"context"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A Prepared is a system ready to be searched by an engine: compiled, and made smaller as the options say.
type Prepared struct {
	Subject
	System   model.System    // the full one
	Searched model.System    // what is to be searched in its place, which can be the same
	Search   explore.Options // the means
	// Judge tells what matters of a state to the properties that are checked; nil unless PrepareCheck has returned
	// this.
	Judge *verify.Judge

	task *task
}

// Prepare makes a system ready for an engine of the caller's.
func (s *System) Prepare(ctx context.Context, opt ...Options) (*Prepared, error) {
	t, err := prepare(ctx, s, only(opt))
	if err != nil {
		return nil, err
	}
	return t.prepared(nil), nil
}

// PrepareCheck makes a system and its properties ready for an engine of the caller's that visits the states one by one:
// these are invariants, terminal and reachable properties, and none of the others may be chosen.
func (s *System) PrepareCheck(ctx context.Context, opt ...Options) (*Prepared, error) {
	t, err := newCheckTask(s, only(opt))
	if err == nil {
		err = t.statewise()
	}
	if err != nil {
		return nil, err
	}
	judge, early, err := search(ctx, t,
		func() (*verify.Judge, error) { return verify.NewJudge(ctx, t.subject(), t.chosen) })
	if err = cmp.Or(err, early.err); err != nil {
		return nil, propertyError(err)
	}
	return t.prepared(judge), nil
}

func (t *task) prepared(judge *verify.Judge) *Prepared {
	p := &Prepared{Subject: t.about(), System: t.sys.direct, Searched: t.target, Search: t.opt.search(), Judge: judge, task: t}
	if t.full != nil {
		p.System = t.full
	}
	return p
}

// statewise returns an error if one of the properties, or of the bounds that are chosen, is not decided state by state.
// It says which are.
func (t *task) statewise() error {
	bounds, err := t.bounds()
	if err != nil {
		return err
	}
	var others, names []string
	for _, p := range t.chosen {
		if p.Kind == ir.Recoverable || p.Kind == ir.LTL {
			others = append(others, p.Name)
		} else {
			names = append(names, p.Name)
		}
	}
	for _, b := range bounds {
		others = append(others, b.Name)
	}
	switch {
	case len(others) == 0:
		return nil
	case len(names) == 0:
		return refuse("property", others[0], "it is not decided state by state: check it with ringcheck")
	}
	return refuse("property", others[0], "it is not decided state by state: choose from %s", strings.Join(names, ", "))
}

// Report makes a report of a search of the system.
func (p *Prepared) Report(ctx context.Context, r *explore.Result) (*Report, error) {
	report := p.task.report(r, nil, r.Elapsed)
	return report, p.task.countWithoutGhosts(ctx, report)
}

// CheckReport makes a report of a search of the system, of what the Judge has told of its states, and was shown. It
// also returns the verdict of which a run is to be shown, and the state of Searched where that ends: nil if there is
// none.
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

// Run returns the run that a verdict is about, given the states of Searched on the way. It was taken again, step by
// step, by a second implementation.
func (p *Prepared) Run(v *verify.Verdict, states [][]model.Value) (*Run, error) {
	if len(states) == 0 {
		return p.task.run(&verify.Run{Property: v.Property})
	}
	found, err := p.task.subject().Run(v, states)
	if err != nil {
		return nil, err
	}
	return p.task.run(found)
}

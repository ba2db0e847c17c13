package ringcheck

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/effort"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// Explore counts the reachable states, the transitions and the terminal states of a system, breadth first. A search
// that ends early is not an error: see Report.Err. The error is a *RequestError, or says why the search could not
// begin.
func Explore(ctx context.Context, sys *System, search Search) (*Report, error) {
	return ExploreInto(ctx, nil, nil, sys, search)
}

// ExploreInto is Explore with a store that keeps the search, and what it is about, so that it can go on after an
// interruption; see explore.Options.
func ExploreInto(
	ctx context.Context, into *store.Store, about json.RawMessage, sys *System, search Search,
) (*Report, error) {
	t, err := newTask(sys, search)
	switch {
	case err != nil:
		return nil, err
	case t.Search.Engine == Symbolic:
		return t.exploreSymbolically(ctx)
	}
	result, err := t.Explore(ctx, func() (*explore.Result, error) {
		opt := t.Search.ExploreOptions()
		opt.Store, opt.About = into, about
		return explore.Run(ctx, t.SearchSystem, opt)
	})
	if err != nil {
		return nil, err
	}
	r := t.report(result, nil, result.Elapsed)
	return r, r.Phase(ctx, func() error { return t.countWithoutGhosts(ctx, r) })
}

// Export explores a system and writes its transitions, with τ for all labels but events if events is set. States are
// numbered in the order in which they are found. If there are several initial states, one more state follows all
// others, with a τ to each of them. If w fails, the report so far is returned with the error.
func Export(ctx context.Context, sys *System, w lts.Writer, events bool, search Search) (*Report, error) {
	if search.Reduction == OnTheFly {
		search.Workers = 1 // representatives can depend on the order in which states are visited
	}
	if err := search.WithoutSymmetry("only transitions of the full system can be written"); err != nil {
		return nil, err
	}
	t, err := newStepwiseTask(sys, search)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &exporter{out: w, cancel: cancel}
	result, err := t.Explore(ctx, func() (*explore.Result, error) {
		g.label = memo.Of(func(l model.Label) string {
			if info := t.SearchSystem.Label(l); info.Visible || !events {
				return info.Text
			}
			return lts.TauName
		})
		return explore.Walk(ctx, t.SearchSystem, t.Search.ExploreOptions(), explore.Visitor{State: g.state,
			Transitions: g.transitions})
	})
	if err != nil {
		return nil, err
	}
	if result.Complete() && g.err == nil {
		g.err = g.close(result.States)
	}
	r := t.report(result, nil, result.Elapsed)
	if g.err != nil {
		r.Complete, r.Stopped = false, "output"
	}
	return r, g.err
}

// An exporter writes the transitions of a system.
type exporter struct {
	out     lts.Writer
	label   func(model.Label) string
	initial []uint64
	cancel  func() // ends the walk once err is set; its numbers so far stay known
	err     error
}

func (g *exporter) state(id uint64, level int, _ []model.Value) error {
	if level == 0 {
		g.initial = append(g.initial, id)
	}
	return nil
}

func (g *exporter) transitions(from uint64, all []explore.Transition) error {
	for _, t := range all {
		if g.err != nil {
			break
		}
		if t.Repeated {
			continue
		}
		if g.err = g.out.Transition(from, g.label(t.Label), t.To); g.err != nil {
			g.cancel()
		}
	}
	return nil
}

// close completes the file, whose formats have one initial state.
func (g *exporter) close(states uint64) error {
	if len(g.initial) == 1 {
		return g.out.Close(g.initial[0], states)
	}
	for _, s := range g.initial {
		if err := g.out.Transition(states, lts.TauName, s); err != nil {
			return err
		}
	}
	return g.out.Close(states, states+1)
}

// maxGhosts is the largest number of stored states with which a system is searched again without its ghosts.
const maxGhosts = 1 << 20

// countWithoutGhosts sets the number of states without the ghosts of the spec after a complete search, which shows what
// the ghosts cost. No step depends on a ghost, so the states without ghosts are the states of the system without them.
// Large systems are not searched again.
func (t *task) countWithoutGhosts(ctx context.Context, r *Report) error {
	p := t.System.Protocol
	if p == nil || !p.HasGhosts() ||
		r.Enumeration == nil || !r.search.Complete() || r.Enumeration.StoredStates > maxGhosts {
		return nil
	}
	bare := *t.System
	var err error
	if bare.Protocol, err = t.System.Spec.Declarations.WithoutGhosts(t.System.Given); err != nil {
		return err
	}
	search := t.Search
	search.Progress, search.Log = nil, nil
	other, err := reduce.Prepare(ctx, &bare, search)
	if err != nil {
		return err
	}
	found, err := explore.Run(ctx, other.SearchSystem, other.Search.ExploreOptions())
	if err != nil {
		return err
	}
	if found.Complete() {
		r.Enumeration.StatesWithoutGhosts = new(Count(found.States))
	}
	return ctx.Err()
}

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
	return t.newPrepared(nil), nil
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
		func() (*verify.Judge, error) { return verify.NewJudge(ctx, t.verifier(), t.ChosenProperties) })
	if err = cmp.Or(err, early.Err()); err != nil {
		return nil, t.propertyError(err)
	}
	return t.newPrepared(judge), nil
}

func (t *task) newPrepared(judge *verify.Judge) *Prepared {
	p := &Prepared{t.Description(), t.System.Direct, t.SearchSystem, t.Search.ExploreOptions(), judge, t}
	if t.Full != nil {
		p.System = t.Full
	}
	return p
}

// statewise returns an error if a chosen property or bound cannot be decided state by state. The error names the
// properties that can.
func (t *task) statewise() error {
	if err := t.Countable(); err != nil {
		return err
	}
	var others, names []string
	for _, p := range t.ChosenProperties {
		if !p.Kind.Statewise() {
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
// what these states have shown, see Judge. It also returns the first verdict that a run can show, and the state of
// Searched in which that run ends; nil if no property is violated.
func (p *Prepared) CheckReport(
	ctx context.Context, r *explore.Result, observed []verify.ClassObservation, shown []int,
) (*Report, *verify.Judgment, []model.Value, error) {
	found, err := p.Judge.Report(ctx, r, observed, shown)
	if err != nil {
		return nil, nil, nil, p.task.propertyError(err)
	}
	c, err := p.task.newCheckReport(found)
	if err == nil {
		err = p.task.countWithoutGhosts(ctx, c)
	}
	v, end := found.First()
	return c, v, end, err
}

// Run returns the run that a verdict is about, given its states in Searched. A second implementation has replayed it
// step by step.
func (p *Prepared) Run(v *verify.Judgment, states [][]model.Value) (*Run, error) {
	if len(states) == 0 {
		return verify.Show(p.task.Subject, &verify.Run{Property: v.Property})
	}
	found, err := p.task.verifier().Run(v, states)
	if err != nil {
		return nil, err
	}
	return verify.Show(p.task.Subject, found)
}

// Confirm returns moves of System from one of its initial states as a run, after a second implementation has repeated
// them. The finding is a sentence about the run.
func (p *Prepared) Confirm(moves []model.Move, finding string) (*Run, error) {
	if err := verify.Repeat(p.task.Full, moves); err != nil {
		return nil, fmt.Errorf("a run of %s cannot be replayed: %w", p.task.System.Name, err)
	}
	return verify.FullRun(p.task.Subject, finding, moves), nil
}

package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/verify"
)

// prefix records the hypotheses after the last event that is explained.
func (f *follower) prefix(s *sets) error {
	f.report.Explains += s.explained
	f.report.Hypotheses = len(s.now)
	if len(s.now) == 0 { // it has not begun
		f.exact = false
		return nil
	}
	every, some := s.violated()
	f.some |= some
	if s.whole || !s.unseen { // all unobserved steps have been followed
		f.every |= every
	} else {
		f.exact = false
	}
	if !f.Run {
		return nil
	}
	return f.explanation(s.now[0].path())
}

// judged records the verdicts on the invariants.
func (f *follower) judged() {
	f.report.AllHypotheses = f.exact
	for i, p := range f.judge.properties {
		holds := f.some>>i&1 == 0
		certain := f.every>>i&1 != 0
		if holds {
			certain = f.exact && !f.judge.unknown
		}
		verdict := Property{Name: p.Name, Holds: &holds, Certain: certain}
		if e := f.judge.invalid[i]; e != nil {
			verdict.Fault, verdict.invalid = e.Fault(), e
			if holds {
				verdict.Holds, verdict.Certain = nil, false
			}
		}
		f.report.Properties = append(f.report.Properties, verdict)
	}
}

// followDepth looks for one run, whatever the order.
func (f *follower) followDepth(ctx context.Context, d *depth) error {
	d.normal = !slices.ContainsFunc(d.events, func(e *logged) bool { return e.state })
	initial, err := f.network.initial()
	if err != nil {
		return err
	}
	d.show = func(tried int) { f.show(f.report.Explains+d.stack[len(d.stack)-1].events(), tried) }
	start, path, err := d.search(ctx, initial)
	d.visited = nil // other searches follow
	if err != nil {
		if errors.Is(err, errUnexplained) {
			f.reportConflict(ctx, d, initial)
		}
		f.report.Explains += d.far.events()
		path, start = d.far.path, d.far.start
	} else {
		f.report.Explains, f.report.Hypotheses = f.report.Explains+len(d.events), 1
	}
	if start == nil {
		return err
	}
	f.judgePath(ctx, start, path)
	if err == nil {
		f.judgeAll(ctx, d, initial)
	}
	if !f.Run {
		return err
	}
	return errors.Join(err, f.explanation(start, path))
}

// depth returns a search for a run that explains an agenda.
func (f *follower) depth(a *agenda) *depth {
	return &depth{network: f.network, agenda: a, limit: f.Memory / 2, visits: workForOne}
}

// judgePath evaluates the invariants along one run of several.
func (f *follower) judgePath(ctx context.Context, start []model.Value, path []move) {
	f.some |= f.judge.broken(start, f.network)
	for i := range path {
		if ctx.Err() != nil { // in a large network states take long
			f.judge.unknown = true
			break
		}
		f.some |= f.judge.broken(path[i].after, f.network)
	}
	f.exact = false
}

// judgeAll determines which invariants are violated by all runs that explain what a search has explained, if that is
// fast: those for which there is no run that avoids states that violate them.
func (f *follower) judgeAll(ctx context.Context, found *depth, initial [][]model.Value) {
	f.network.whole = true // a persistent set only has all events in common with the other moves, not all states
	defer func() { f.network.whole = false }()
	for i := range f.judge.properties {
		if f.some>>i&1 == 0 || f.every>>i&1 != 0 {
			continue
		}
		d := f.depth(found.agenda)
		d.most, d.visits, d.relaxed = workForAll/f.sys.Protocol().N, 0, found.relaxed
		d.avoid = func(state []model.Value) bool { return f.judge.broken(state, f.network)>>i&1 != 0 }
		if _, _, err := d.search(ctx, initial); errors.Is(err, errUnexplained) {
			f.every |= 1 << i
		}
	}
}

// expected returns the events that are possible in some of the states in place of one that is not explained, without
// duplicates: those of a process, or of all if it is anybody.
func (f *follower) expected(states [][]model.Value, of int, wrong *pattern) Alternatives {
	all := Alternatives{}
	known := make(map[model.Label]bool)
	shown := func(label model.Label) (int, bool) { return -1, !f.network.hides(label) }
	for _, state := range states {
		moves, _ := f.network.moves(nil, state, of, shown) // those there are, if a process cannot begin
		for i := 0; i < len(moves); i++ {
			m := moves[i]
			if m.group == initialization {
				moves, _ = f.network.moves(moves, m.after, m.process, shown)
			}
			if m.group >= 0 && !known[m.step.Label] && !wrong.matches(f.sys, m.step.Label) {
				known[m.step.Label] = true
				all = append(all, f.network.event(m.step.Label))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

// explanation makes a run of the moves from a state. The semantics replays it before it is shown.
func (f *follower) explanation(start []model.Value, path []move) error {
	moves, _, err := f.network.run(start, path)
	if err != nil {
		return err
	}
	unlogged := []bool{false}
	for _, l := range path {
		if l.group >= 0 {
			unlogged = append(unlogged, l.event < 0)
		}
	}
	finding := fmt.Sprintf("a run that explains %s", printable.Count(f.report.Explains, "event"))
	if err := verify.Repeat(f.sys, moves); err != nil {
		return fmt.Errorf("a run of %s cannot be replayed: %w", f.report.Spec, err)
	}
	f.report.Run = &Run{finding, moves, unlogged, f.sys}
	return nil
}

package ringcheck

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/verify"
	"ringcheck/view"
)

// Limits for the excerpt that is drawn of a run of a large system: its processes and steps, and the processes whose
// past it is.
const (
	drawnProcesses = 8
	drawnSteps     = 100
	drawnFor       = 4
)

// Run returns the first run that violates a property, up to where it does. It is taken again and replayed by the
// small-step semantics. Of a run of a large system, what matters most is drawn, and the error may be replay.ErrLong.
func (r *SimulationReport) Run(ctx context.Context, property string) (*Run, error) {
	return r.run(ctx, property, false)
}

// ShortRun returns a run that violates a property, of as few steps of the first one that does as replay.Run.Shorten
// finds: the others are of no importance to it. It is not the shortest of all; that takes a search, see Counterexample.
func (r *SimulationReport) ShortRun(ctx context.Context, property string) (*Run, error) {
	return r.run(ctx, property, true)
}

func (r *SimulationReport) run(ctx context.Context, property string, short bool) (*Run, error) {
	violated := func(e Estimate) bool { return e.Name == property && e.Kind != "event" && e.Against != nil }
	i := slices.IndexFunc(r.Estimates, violated)
	if i < 0 {
		return nil, fmt.Errorf("property %s: no run violates it", property)
	}
	s, e := r.by, &r.Estimates[i]
	if e.Steps > replay.Longest {
		return nil, replay.ErrLong
	}
	schedule, err := s.runs.Record(ctx, s.plan.Seed, uint64(*e.Against), e.Steps)
	if err != nil {
		return nil, err
	}
	p := s.properties[slices.IndexFunc(s.properties, func(p *ir.Property) bool { return p.Name == property })]
	x := &extract{protocol: s.sys.protocol, property: p}
	x.fault = replay.Fault{End: p.Kind == ir.Terminal, Is: func(state *replay.State) (bool, error) {
		env := x.protocol.NewEnv(state)
		env.Sets = state.Sets()
		v, err := p.Body.Eval(env)
		return v == 0, err
	}}
	if err := x.take(ctx, schedule); err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.sys.Name, err)
	}
	if short {
		if err := x.take(ctx, schedule.Shorten(ctx, x.past.Steps, x.fault)); err != nil {
			return nil, err
		}
	}
	if s.large(len(x.causes)) {
		return x.draw(ctx, s.sys)
	}
	return x.whole(ctx, s)
}

// large reports whether a run of so many steps is too large to be shown with whole states, which should not take more
// than a second: for each step, all successors of a state are listed.
func (s *simulator) large(steps int) bool {
	p := s.sys.protocol
	return len(p.Large) > 0 || steps > 50_000 || float64(steps)*float64(p.N)*float64(p.N+p.NumberOfLinks()) > 10_000_000
}

// whole returns the run as one of the compiled system.
func (x *extract) whole(ctx context.Context, s *simulator) (*Run, error) {
	full, err := s.sys.compile(ctx, &s.opt)
	if err != nil {
		return nil, err
	}
	moves, err := x.schedule.Moves(ctx, full)
	if err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.sys.Name, err)
	}
	found := &verify.Run{Property: x.property, Moves: moves}
	run := &Run{
		Property: x.property.Name, Finding: finding(found, true), sys: s.sys, shown: full, full: full, moves: moves,
	}
	run.why, err = explain(full, x.property, moves[len(moves)-1].State)
	return run, err
}

// An extract is a replayed run with what matters of it.
type extract struct {
	protocol *ir.Protocol
	property *ir.Property
	fault    replay.Fault

	schedule *replay.Run
	causes   []replay.Cause
	last     *replay.State
	why      *verify.Witness
	past     *replay.Past
	received []int // by step: the one that takes its message, counted from 1, 0 if none does
	all      bool  // whether all of the run is drawn
}

// take replays a run, and explains the violation at its end.
func (x *extract) take(ctx context.Context, schedule *replay.Run) (err error) {
	x.schedule = schedule
	if x.causes, x.last, err = schedule.Causes(ctx); err != nil {
		return err
	}
	shown, err := x.fault.Holds(x.last)
	if err == nil && !shown {
		err = fmt.Errorf("replaying: %s is not violated in the last state", x.property.Name)
	}
	if err != nil {
		return err
	}
	if x.why, err = verify.ExplainView(x.protocol, x.property, x.last, x.last.Sets()); err != nil {
		return err
	}
	x.past = replay.NewPast(x.causes, x.protocol.N, x.decisive())
	x.received = make([]int, len(x.causes))
	for i, c := range x.causes {
		if c.Sender > 0 {
			x.received[c.Sender-1] = i + 1
		}
	}
	return nil
}

// decisive returns the processes that make the property false: those that are counted, or are all that it looks at, or
// else those that were the last to act.
func (x *extract) decisive() []int {
	var all []int
	for _, s := range x.why.Sums {
		all = append(all, s.Nodes...)
	}
	if len(all) == 0 && len(x.why.Processes) <= drawnFor {
		all = x.why.Processes
	}
	for i := len(x.causes) - 1; i >= 0 && len(all) == 0; i-- {
		if p := x.causes[i].Process; p >= 0 {
			all = append(all, int(p))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), drawnFor)]
}

// draw replays the run once more and draws some processes: what they do in the past of those that are decisive, and the
// messages between them.
func (x *extract) draw(ctx context.Context, sys *System) (*Run, error) {
	processes := x.everybody()
	x.all = processes != nil
	if !x.all {
		processes = x.past.Chosen(drawnProcesses)
	}
	slices.Sort(processes)
	drawn, count := make([]bool, len(x.causes)), 0
	for i := len(x.causes) - 1; i >= 0 && count < drawnSteps; i-- {
		if drawn[i] = x.drawable(i, processes); drawn[i] {
			count++
		}
	}
	picture, err := view.Excerpt(ctx, x.protocol, x.schedule, processes, drawn)
	if err != nil {
		return nil, err
	}
	found := &verify.Run{Property: x.property, Moves: make([]model.Move, 1+len(x.causes))}
	run := &Run{Property: x.property.Name, sys: sys, part: picture, steps: len(x.causes), why: x.reasons()}
	run.Finding = finding(found, true)
	if count < len(x.causes) {
		const text = "; drawn are %d of these steps, of %d of %d processes"
		run.Finding += fmt.Sprintf(text, count, len(processes), x.protocol.N)
	}
	return run, nil
}

// everybody returns the processes that act or are sent something, nil if the run is too long to draw or they are too
// many.
func (x *extract) everybody() []int {
	if len(x.causes) > drawnSteps {
		return nil
	}
	var all []int
	for _, d := range x.schedule.Steps {
		if d.Process >= 0 {
			all = append(all, d.Process)
		}
		if d.Message.Message != nil {
			all = append(all, x.protocol.Link(d.Link(x.protocol)).To)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > drawnProcesses {
		return nil
	}
	return all
}

// drawable reports whether a step in the past belongs to a process that is drawn, as does the other end of its message,
// if it has one.
func (x *extract) drawable(i int, processes []int) bool {
	draws := func(p int32) bool { return p >= 0 && slices.Contains(processes, int(p)) }
	c := x.causes[i]
	if x.all {
		return x.schedule.Steps[i].Kind != model.TickAction
	}
	if !x.past.Steps[i] || !draws(c.Process) {
		return false
	}
	switch x.schedule.Steps[i].Kind {
	case model.ReceiveAction:
		return c.Sender > 0 && draws(x.causes[c.Sender-1].Process)
	case model.SendAction:
		at := x.received[i] - 1
		return at >= 0 && x.past.Steps[at] && draws(x.causes[at].Process)
	}
	return true
}

// reasons says what makes the property false.
func (x *extract) reasons() []string {
	var lines []string
	if len(x.why.Bindings) > 0 {
		lines = append(lines, "it fails for "+bindings(x.why.Bindings))
	}
	for _, s := range x.why.Sums {
		lines = append(lines, total(s))
	}
	points := x.protocol.PointNames()
	for _, p := range x.decisive() {
		lines = append(lines, fmt.Sprintf("  %-20s %s", x.protocol.ProcessName(p), points[x.last.Local(p).Point.ID]))
	}
	return lines
}

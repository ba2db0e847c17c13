package ringcheck

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// Limits of the excerpt that is drawn of a run of a large system.
const (
	drawnProcesses = 8
	drawnSteps     = 100
	maxCulprits    = 4 // processes whose past is drawn
)

// Run returns the first run that violates a property, up to the violation. The run is recorded again and replayed by
// the small-step semantics. Of a large system only an excerpt is drawn; the error may be replay.ErrLong.
func (r *SimulationReport) Run(ctx context.Context, property string) (*Run, error) {
	return r.run(ctx, property, false)
}

// ShortRun is Run without the steps that replay.Run.Shorten finds to be irrelevant to the violation. It is not
// necessarily a shortest run; Counterexample searches for that.
func (r *SimulationReport) ShortRun(ctx context.Context, property string) (*Run, error) {
	return r.run(ctx, property, true)
}

func (r *SimulationReport) run(ctx context.Context, property string, short bool) (*Run, error) {
	i := slices.IndexFunc(r.Estimates, func(e Estimate) bool { return e.Name == property && e.Violated() })
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
	x := &extract{protocol: s.Protocol, property: p}
	x.fault = replay.Fault{End: p.Kind == ir.Terminal, Is: func(state *replay.State) (bool, error) {
		env := x.protocol.NewEnv(state)
		env.Sets = state.Sets()
		v, err := p.Body.Eval(env)
		return v == 0, err
	}}
	if err := x.take(ctx, schedule); err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.Name, err)
	}
	if short {
		if err := x.take(ctx, schedule.Shorten(ctx, x.past.Steps, x.fault)); err != nil {
			return nil, err
		}
	}
	if s.large(len(x.causes)) {
		return x.draw(ctx, s.System)
	}
	return x.whole(ctx, s)
}

// large reports whether a run of so many steps is too large to be shown with whole states. That lists all successors of
// a state for each step, and should not take more than a second.
func (s *simulator) large(steps int) bool {
	p := s.Protocol
	return len(p.Large) > 0 || steps > 50_000 || float64(steps)*float64(p.N)*float64(p.N+p.NumberOfLinks()) > 10_000_000
}

// whole returns the run as one of the compiled system.
func (x *extract) whole(ctx context.Context, s *simulator) (*Run, error) {
	full, err := s.Compile(ctx, &s.Search)
	if err != nil {
		return nil, err
	}
	moves, err := x.schedule.Moves(ctx, full)
	if err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.Name, err)
	}
	t := &reduce.Subject{System: s.System, Search: s.Search, Searched: full, Full: full}
	return verify.Show(t, &verify.Run{Property: x.property, Moves: moves})
}

// An extract is a replayed run with the causes of the violation at its end.
type extract struct {
	protocol *ir.Protocol
	property *ir.Property
	fault    replay.Fault

	schedule *replay.Run
	causes   []replay.Cause
	last     *replay.State
	why      *verify.Witness
	past     *replay.Past
	received []int // by step: the step that receives its message, counted from 1; 0 if none does
	all      bool  // whether all of the run is drawn
}

// take replays a run and explains the violation at its end.
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
	x.past = replay.NewPast(x.causes, x.protocol.N, x.culprits())
	x.received = make([]int, len(x.causes))
	for i, c := range x.causes {
		if c.Sender > 0 {
			x.received[c.Sender-1] = i + 1
		}
	}
	return nil
}

// culprits returns the processes that make the property false: those that it counts, or all that it depends on if they
// are few, or else the last one that acted.
func (x *extract) culprits() []int {
	var all []int
	for _, s := range x.why.Sums {
		all = append(all, s.Nodes...)
	}
	if len(all) == 0 && len(x.why.Processes) <= maxCulprits {
		all = x.why.Processes
	}
	for i := len(x.causes) - 1; i >= 0 && len(all) == 0; i-- {
		if p := x.causes[i].Process; p >= 0 {
			all = append(all, int(p))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxCulprits)]
}

// draw replays the run again and draws some processes: their steps in the past of the culprits, and the messages
// between them.
func (x *extract) draw(ctx context.Context, sys *System) (*Run, error) {
	processes := x.participants()
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
	run := &Run{Name: sys.Name, Title: sys.Title(), Property: x.property.Name, Excerpt: picture, Steps: len(x.causes),
		Why: x.reasons()}
	run.Finding = found.Finding(true)
	if count < len(x.causes) {
		const text = "; drawn are %d of these steps, of %d of %d processes"
		run.Finding += fmt.Sprintf(text, count, len(processes), x.protocol.N)
	}
	return run, nil
}

// participants returns the processes that act or are sent messages; nil if they are too many, or the run is too long,
// to draw them all.
func (x *extract) participants() []int {
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

// drawable reports whether step i is drawn: it is in the past of the culprits, and its process is drawn, as is that at
// the other end of its message, if it has one.
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

// reasons says, line by line, what makes the property false.
func (x *extract) reasons() []string {
	lines, points := x.why.Lines(), x.protocol.PointNames()
	for _, p := range x.culprits() {
		lines = append(lines, fmt.Sprintf("  %-20s %s", x.protocol.ProcessName(p), points[x.last.Local(p).Point.ID]))
	}
	return lines
}

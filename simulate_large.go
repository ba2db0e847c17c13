package ringcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/simulate"
	"ringcheck/simulate/replay"
	"ringcheck/simulate/sparse"
	"ringcheck/verify"
	"ringcheck/view"
)

// Of a run of a large system, what is drawn has at most so many processes and steps, and it is the past of so many processes at most.
const (
	drawnProcesses = 8
	drawnSteps     = 100
	drawnFor       = 4
)

// large reports whether a run of so many steps is too large to be taken again with its whole states. A step of that takes some time for
// each process and channel of each process, since it lists all successors. What is not shortened first should not take more than a second.
func (s *simulator) large(steps uint64, short bool) bool {
	p := s.sys.protocol
	most := 10_000_000.
	if short {
		most = 100_000_000
	}
	return len(p.Large) > 0 || !short && steps > 50_000 || float64(steps)*float64(p.N)*float64(p.N+p.NumberOfLinks()) > most
}

// largeRun replays a run of a large system that violates a property, and draws what of it matters.
func (s *simulator) largeRun(ctx context.Context, p *ir.Property, e *Estimate, short bool) (*Run, error) {
	if e.Steps > replay.Longest {
		return nil, replay.ErrLong
	}
	schedule, err := s.runner.record(ctx, s, uint64(*e.Against), e.Steps)
	if err != nil {
		return nil, err
	}
	fault := replay.Fault{End: p.Kind == ir.Terminal, Is: func(state *replay.State) (bool, error) {
		env := s.sys.protocol.NewEnv(state)
		env.Sets = state.Sets()
		v, err := p.Body.Eval(env)
		return v == 0, err
	}}
	x := &extract{protocol: s.sys.protocol, property: p, fault: fault}
	if err := x.take(ctx, schedule); err != nil {
		return nil, fmt.Errorf("the two implementations of %s disagree: %w", s.sys.Name, err)
	}
	if short {
		if err := x.take(ctx, schedule.Shorten(ctx, x.past.Steps, fault)); err != nil {
			return nil, err
		}
	}
	return x.draw(ctx, s.sys)
}

// An extract is what of a run matters.
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

// take replays a run, and finds out what it shows.
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

// decisive returns the processes that make the property false: those that are counted, or are all that it looks at, or else those that
// were the last to act.
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

// draw replays the run once more and draws some processes: what they do in the past of those that are decisive, and the messages between them.
func (x *extract) draw(ctx context.Context, sys *System) (*Run, error) {
	processes := x.everybody()
	x.all = processes != nil
	if !x.all {
		processes = x.past.Chosen(drawnProcesses)
	}
	slices.Sort(processes)
	picture := view.NewExcerpt(x.protocol, processes)
	drawn := make([]bool, len(x.causes))
	count := 0
	first := len(x.causes) // that is drawn
	for i := len(x.causes) - 1; i >= 0 && count < drawnSteps; i-- {
		if drawn[i] = x.drawable(i, picture); drawn[i] {
			count++
			first = i
		}
	}
	for i := range first {
		if x.received[i] > first && x.drawable(i, picture) {
			d := &x.schedule.Deeds[i]
			picture.Message(d.Message.String(), d.Link)
		}
	}
	number := 0
	_, err := x.schedule.Play(ctx, func(s *replay.State, d *replay.Deed, _ int) error {
		i := number - 1
		number++
		switch {
		case i == first-1:
			picture.Start(s)
		case i >= first && d.Kind == model.TickAction:
			picture.Tick(s)
		case i >= first && drawn[i]:
			text := ""
			if d.Message.Message != nil {
				text = d.Message.String()
			}
			return picture.Step(s, view.KindOf(d.Kind), d.Process, d.Text, text, d.Link)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := &verify.Run{Property: x.property, Moves: make([]model.Move, 1+len(x.causes))}
	run := &Run{Property: x.property.Name, sys: sys, part: picture.Trace(), steps: len(x.causes), why: x.reasons()}
	run.Finding = finding(found, true)
	if count < len(x.causes) {
		run.Finding += fmt.Sprintf("; drawn are %d of these steps, of %d of %d processes", count, len(processes), x.protocol.N)
	}
	return run, nil
}

// everybody returns the processes that act or are sent something, nil if the run is too long to draw or they are too many.
func (x *extract) everybody() []int {
	if len(x.causes) > drawnSteps {
		return nil
	}
	var all []int
	for _, d := range x.schedule.Deeds {
		if d.Process >= 0 {
			all = append(all, d.Process)
		}
		if d.Message.Message != nil {
			all = append(all, x.protocol.Link(d.Link).To)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > drawnProcesses {
		return nil
	}
	return all
}

// drawable reports whether a step is one of a process that is drawn and in the past, and its message, if it has one, goes to another such.
func (x *extract) drawable(i int, picture *view.Excerpt) bool {
	c := x.causes[i]
	if x.all {
		return c.Process >= 0
	}
	if c.Process < 0 || !x.past.Steps[i] || !picture.Draws(int(c.Process)) {
		return false
	}
	switch x.schedule.Deeds[i].Kind {
	case model.ReceiveAction:
		return c.Sender > 0 && x.causes[c.Sender-1].Process >= 0 && picture.Draws(int(x.causes[c.Sender-1].Process))
	case model.SendAction:
		at := x.received[i] - 1
		return at >= 0 && x.past.Steps[at] && picture.Draws(int(x.causes[at].Process))
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

// record implements runner.
func (r compiledRunner) record(ctx context.Context, s *simulator, run, steps uint64) (*replay.Run, error) {
	w, err := r.Walk()
	if err != nil {
		return nil, err
	}
	links := make(map[int]int) // by slot
	for link := range r.Protocol().Links {
		links[r.SlotOfLink(link)] = link
	}
	var schedule *replay.Run
	var before []model.Value
	err = simulate.Again(ctx, w, s.plan.Seed, run, max(1, steps), func() (err error) {
		now := simulate.State(w)
		if schedule == nil {
			schedule, err = r.begin(now, s.opt.bounds())
		} else if uint64(len(schedule.Deeds)) < steps {
			err = schedule.Add(r.deed(simulate.Taken(w), before, now, links), schedule.Sets)
		}
		before = append(before[:0], now...)
		return err
	})
	return schedule, err
}

// deed tells of a step.
func (r compiledRunner) deed(taken model.Step, before, after []model.Value, links map[int]int) replay.Deed {
	label := r.Label(taken.Label)
	d := replay.Deed{Kind: label.Kind, Process: label.Process, Text: label.Text}
	if d.Process >= 0 {
		d.Next = r.Local(after[r.SlotOfProcess(d.Process)])
	}
	for i, slot := range r.Slots() { // of the others, only those that count faults
		d.Counted = d.Counted || slot.Kind == model.OtherSlot && before[i] != after[i]
	}
	if label.Slot >= 0 {
		more, fewer := r.Contents(before[label.Slot]), r.Contents(after[label.Slot])
		if len(more) < len(fewer) {
			more, fewer = fewer, more
		}
		d.Link, d.Message = links[label.Slot], without(more, fewer)
	}
	return d
}

// without returns what the longer of two lists of messages has and the other one has not.
func without(list, rest []ir.Content) ir.Content {
	rest = slices.Clone(rest)
	for _, c := range list {
		i := slices.IndexFunc(rest, func(other ir.Content) bool { return other.Compare(c) == 0 })
		if i < 0 {
			return c
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return ir.Content{}
}

// begin returns a run that begins with an initial state.
func (r compiledRunner) begin(state []model.Value, opt step.Options) (schedule *replay.Run, err error) {
	p := r.Protocol()
	err = p.Initial(func(processes []ir.Local, channels [][]ir.Content) bool {
		for process, l := range processes {
			if has := r.Local(state[r.SlotOfProcess(process)]); has.Point != l.Point || !slices.Equal(has.Env, l.Env) {
				return true
			}
		}
		processes = slices.Clone(processes)
		for i := range processes {
			processes[i].Env = slices.Clone(processes[i].Env)
		}
		schedule = replay.New(p, opt, processes, channels, &ir.Sets{})
		return false
	})
	if err == nil && schedule == nil {
		err = errors.New("replaying: no such initial state")
	}
	return schedule, err
}

// record implements runner.
func (r sparseRunner) record(ctx context.Context, s *simulator, run, steps uint64) (*replay.Run, error) {
	walk, err := r.Walk()
	if err != nil {
		return nil, err
	}
	w, p := walk.(*sparse.Run), r.Protocol()
	var schedule *replay.Run
	var faults step.Tally
	err = simulate.Again(ctx, w, s.plan.Seed, run, max(1, steps), func() error {
		if schedule == nil {
			sets, i := &ir.Sets{}, -1
			processes, channels, err := p.Begin(sets, func(_ *ir.Assignment, values []int64) {
				i++
				copy(values, w.Assigned[i])
			})
			schedule = replay.New(p, s.opt.bounds(), processes, channels, sets)
			return err
		}
		if uint64(len(schedule.Deeds)) == steps {
			return nil
		}
		d := replay.Deed{Kind: w.Last.Kind, Process: w.Process, Text: w.Text(), Drawn: w.Drawn, Counted: w.Faults() != faults}
		faults = w.Faults()
		if d.Process >= 0 {
			d.Next = w.Local(d.Process)
		}
		switch d.Kind {
		case model.ReceiveAction:
			d.Link, d.Message = p.InLink(d.Process, w.Last.Port), w.Last.Message
			d.Message.Age = w.Age
		case model.SendAction:
			d.Link, d.Message = p.OutLink(d.Process, w.Last.Port), w.Last.Message
		case model.LossAction, model.DuplicateAction:
			d.Link, d.Message = int(w.Last.Port), w.Last.Message
			d.Message.Age = w.Age
		}
		return schedule.Add(d, w.Sets())
	})
	return schedule, err
}

package view

import (
	"errors"
	"fmt"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// New makes a run of sys ready to be drawn: run[0] is its first state, each further Move a step of sys. The
// caption names the protocol, its parameters and options; the caller adds what the run is to show. It is an
// error if run is empty or not a run of sys.
func New(sys *compile.System, run []explore.Move) (*Trace, error) {
	if len(run) == 0 {
		return nil, errors.New("drawing a run: there is no state")
	}
	b := newBuilder(sys)
	if err := b.start(run[0].State); err != nil {
		return nil, fmt.Errorf("drawing a run: %w", err)
	}
	for i, m := range run[1:] {
		if err := b.step(i+1, m); err != nil {
			return nil, fmt.Errorf("drawing a run: step %d: %w", i+1, err)
		}
	}
	return b.trace, nil
}

// A builder makes a Trace, step by step.
type builder struct {
	sys      *compile.System
	protocol *ir.Protocol
	trace    *Trace
	points   []string // names of the control points
	link     []int    // by slot: the link whose channel it is
	flights  [][]int  // by link: the messages under way
}

// plain returns a builder without a system, of a trace without processes and links.
func plain(p *ir.Protocol) *builder {
	b := &builder{
		protocol: p,
		points:   p.PointNames(),
		trace:    &Trace{Caption: caption(p), FIFO: p.Channel == ir.FIFO, Parts: parts(p)},
	}
	for _, e := range p.Events {
		b.trace.Events = append(b.trace.Events, e.Name)
	}
	return b
}

func newBuilder(sys *compile.System) *builder {
	p := sys.Protocol()
	b := plain(p)
	b.sys, b.link, b.flights = sys, make([]int, len(sys.Slots())), make([][]int, len(p.Links))
	b.trace.N, b.trace.Ring = p.N, p.Topology.Linear()
	if len(p.Kinds) > 0 {
		for process := range p.N {
			b.trace.Names = append(b.trace.Names, p.ProcessName(process))
		}
	}
	for i, l := range p.Links {
		b.link[sys.SlotOfLink(i)] = i
		b.trace.Links = append(b.trace.Links, b.newLink(l))
	}
	return b
}

func (b *builder) newLink(l ir.Link) Link {
	if !b.trace.Ring {
		return Link{From: l.From, To: l.To}
	}
	last := b.protocol.N - 1
	return Link{
		From:      l.From,
		To:        l.To,
		Direction: b.protocol.FormatPort(l.Out),
		Seam:      l.Out == ir.Right && l.From == last || l.Out == ir.Left && l.From == 0,
	}
}

func caption(p *ir.Protocol) Caption {
	return Caption{
		Title:    strings.Join(append([]string{p.Name}, formatSettings(p.Params)...), ", "),
		Settings: strings.Join(formatSettings(p.Options), ", "),
	}
}

func formatSettings(settings []ir.Setting) []string {
	var parts []string
	for _, s := range settings {
		parts = append(parts, s.Name+" = "+s.Type.Format(s.Value))
	}
	return parts
}

// start adds the initial state.
func (b *builder) start(state []model.Value) error {
	if err := b.check(state); err != nil {
		return err
	}
	for l := range b.trace.Links {
		for _, c := range b.sys.Contents(state[b.sys.SlotOfLink(l)]) {
			b.send(0, l, c.String())
		}
	}
	b.trace.Steps = []Step{{
		Kind:      Start,
		Process:   -1,
		Text:      "initial state",
		Processes: b.processes(state),
		Channels:  b.channels(),
	}}
	return nil
}

// check returns an error if state has the wrong number of slots.
func (b *builder) check(state []model.Value) error {
	if len(state) != len(b.link) {
		return fmt.Errorf("a state has %d slots, this one has %d", len(b.link), len(state))
	}
	return nil
}

// step adds a step and the state after it.
func (b *builder) step(i int, m explore.Move) error {
	if err := b.check(m.State); err != nil {
		return err
	}
	label := b.sys.Label(m.Step.Label)
	s := Step{Kind: KindOf(label.Kind), Process: label.Process, Action: label.Text}
	var err error
	switch s.Kind {
	case Send:
		s.Message = b.send(i, b.link[label.Slot], label.Message)
	case Receive:
		s.Message, err = b.receive(i, b.link[label.Slot], label.Message)
	case Loss:
		s.Message, err = b.lose(i, b.link[label.Slot], label.Message, m.State)
	case Duplicate:
		s.Message, err = b.duplicate(i, b.link[label.Slot], label.Message, m.State)
	case Tick:
		b.expire(m.State)
	}
	if err == nil {
		err = b.compare(m.State)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", label.Text, err)
	}
	s.Processes = b.processes(m.State)
	s.Channels = b.channels()
	s.Changes = changes(b.trace.Steps[i-1].Processes, s.Processes)
	s.Text = b.trace.sentence(&s)
	b.trace.Steps = append(b.trace.Steps, s)
	return nil
}

// KindOf returns the step kind of an action.
func KindOf(k model.ActionKind) Kind {
	return map[model.ActionKind]Kind{
		model.SendAction: Send, model.ReceiveAction: Receive, model.EventAction: Event, model.Internal: Internal,
		model.LossAction: Loss, model.DuplicateAction: Duplicate, model.CrashAction: Crash, model.RecoverAction: Recover,
		model.TickAction: Tick,
	}[k]
}

func (b *builder) processes(state []model.Value) []Process {
	all := make([]Process, b.protocol.N)
	seen := b.seen(state)
	for p := range all {
		all[p] = b.process(seen, p)
	}
	return all
}

// process returns the local state of a process.
func (b *builder) process(seen settledView, p int) Process {
	l := seen.local(p)
	s := b.protocol.Settled(l, seen.sets)
	return Process{
		Name:  equationName(s.Point.Equation),
		Vars:  variables(s),
		Role:  b.role(seen, p, l),
		Exact: ir.FormatLocal(b.points[l.Point.ID], l),
	}
}

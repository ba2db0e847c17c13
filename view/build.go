package view

import (
	"errors"
	"fmt"
	"slices"
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
	sys      *compile.System // nil in an Excerpt
	protocol *ir.Protocol
	trace    *Trace
	points   []string // names of the control points
	link     []int    // by slot: the link whose channel it is, -1 if it is none
	flights  [][]int  // by link: the messages under way
}

// plain returns a builder without a system, of a trace without processes and links.
func plain(p *ir.Protocol) *builder {
	b := &builder{
		protocol: p,
		points:   p.PointNames(),
		trace: &Trace{
			Caption: Caption{
				Title:    strings.Join(append([]string{p.Name}, formatSettings(p.Params)...), ", "),
				Settings: strings.Join(formatSettings(p.Options), ", "),
			},
			FIFO:  p.Channel == ir.FIFO,
			Roles: roles(p),
		},
	}
	for _, e := range p.Events {
		b.trace.Events = append(b.trace.Events, e.Name)
	}
	return b
}

func formatSettings(settings []ir.Setting) []string {
	var parts []string
	for _, s := range settings {
		parts = append(parts, s.Name+" = "+s.Type.Format(s.Value))
	}
	return parts
}

func newBuilder(sys *compile.System) *builder {
	p := sys.Protocol()
	b := plain(p)
	b.sys, b.link, b.flights = sys, slices.Repeat([]int{-1}, len(sys.Slots())), make([][]int, len(p.Links))
	b.trace.N, b.trace.Ring = p.N, p.Topology.Linear()
	if len(p.Kinds) > 0 {
		for process := range p.N {
			b.trace.Names = append(b.trace.Names, p.ProcessName(process))
		}
	}
	for i, l := range p.Links {
		b.link[sys.SlotOfLink(i)] = i
		link := Link{From: l.From, To: l.To}
		if b.trace.Ring {
			link.Direction = p.FormatPort(l.Out)
			link.Seam = l.Out == ir.Right && l.From == p.N-1 || l.Out == ir.Left && l.From == 0
		}
		b.trace.Links = append(b.trace.Links, link)
	}
	return b
}

// start adds the initial state.
func (b *builder) start(state []model.Value) error {
	if err := b.check(state); err != nil {
		return err
	}
	for l := range b.trace.Links {
		for _, text := range b.contents(state, l) {
			b.send(0, l, text)
		}
	}
	b.enter(Step{Kind: Start, Process: -1, Text: "initial state", Processes: b.processes(b.view(state))})
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
	s.Processes, s.Text = b.processes(b.view(m.State)), b.trace.sentence(&s)
	b.enter(s)
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

// enter adds a step, of which all is known but the channels after it and what it changes.
func (b *builder) enter(s Step) {
	for _, flight := range b.flights {
		s.Channels = append(s.Channels, slices.Clone(flight))
	}
	if n := len(b.trace.Steps); n > 0 {
		s.Changes = changes(b.trace.Steps[n-1].Processes, s.Processes)
	}
	b.trace.Steps = append(b.trace.Steps, s)
}

// send puts a new message under way and returns its serial number.
func (b *builder) send(step, link int, text string) int {
	t := b.trace
	serial := len(t.Messages) + 1
	t.Messages = append(t.Messages, Message{Serial: serial, Text: text, Link: link, Sent: step})
	b.flights[link] = append(b.flights[link], serial)
	return serial
}

// receive takes the oldest message that reads text out of a channel and returns its serial number.
func (b *builder) receive(step, link int, text string) (int, error) {
	t := b.trace
	flight := b.flights[link]
	i := slices.IndexFunc(flight, func(serial int) bool { return t.Message(serial).Text == text })
	if i < 0 {
		return 0, fmt.Errorf("the message is not in the %s", b.protocol.FormatLink(link))
	}
	if t.FIFO && i > 0 {
		return 0, fmt.Errorf("the message is not the first one in the %s", b.protocol.FormatLink(link))
	}
	m := t.Message(flight[i])
	m.Received = step
	for _, older := range flight[:i] {
		m.Overtakes = append(m.Overtakes, older)
		t.Message(older).OvertakenBy = append(t.Message(older).OvertakenBy, m.Serial)
	}
	b.flights[link] = slices.Delete(flight, i, i+1)
	return m.Serial, nil
}

// lose takes the message that reads text out of a channel whose loss leads to a state, and returns its serial number.
func (b *builder) lose(step, link int, text string, after []model.Value) (int, error) {
	serial, err := b.alter(link, text, after, func(flight []int, i int) []int { return slices.Delete(flight, i, i+1) })
	if err == nil {
		b.trace.Message(serial).Lost = step
	}
	return serial, err
}

// duplicate puts a second message that reads text under way, behind the one whose duplication leads to a state, and
// returns its serial number.
func (b *builder) duplicate(step, link int, text string, after []model.Value) (int, error) {
	under := slices.Clone(b.flights[link])
	double := b.send(step, link, text)
	b.trace.Message(double).Duplicate = true
	b.flights[link] = under
	_, err := b.alter(link, text, after, func(flight []int, i int) []int { return slices.Insert(flight, i+1, double) })
	return double, err
}

// alter changes a channel at the message that reads text where that leads to a state, and returns the serial number of
// the message.
func (b *builder) alter(link int, text string, after []model.Value, change func([]int, int) []int) (int, error) {
	flight := b.flights[link]
	for i, serial := range flight {
		b.flights[link] = change(slices.Clone(flight), i)
		if b.trace.Message(serial).Text == text && b.compare(after) == nil {
			return serial, nil
		}
	}
	return 0, fmt.Errorf("the message is not in the %s", b.protocol.FormatLink(link))
}

// expire takes out of the channels what a tick that leads to a state leaves out: messages whose time is up, which are
// older than others that read the same.
func (b *builder) expire(after []model.Value) {
	for l, flight := range b.flights {
		left := map[string]int{}
		for _, text := range b.contents(after, l) {
			left[text]++
		}
		var kept []int
		for _, serial := range slices.Backward(flight) {
			if text := b.trace.Message(serial).Text; left[text] > 0 {
				left[text]--
				kept = append(kept, serial)
			}
		}
		slices.Reverse(kept)
		b.flights[l] = kept
	}
}

// contents returns the messages in the channel of a link, in its order.
func (b *builder) contents(state []model.Value, link int) []string {
	texts := []string{}
	for _, c := range b.sys.Contents(state[b.sys.SlotOfLink(link)]) {
		texts = append(texts, c.String())
	}
	return texts
}

// compare returns an error if the channels of a state do not hold the messages under way: then the run is not one of
// the system.
func (b *builder) compare(state []model.Value) error {
	for l, flight := range b.flights {
		want, got := []string{}, b.contents(state, l)
		for _, serial := range flight {
			want = append(want, b.trace.Message(serial).Text)
		}
		if !b.trace.FIFO {
			slices.Sort(want)
			slices.Sort(got)
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("not a run: the %s holds %v, the steps up to here leave %v in it",
				b.protocol.FormatLink(l), got, want)
		}
	}
	return nil
}

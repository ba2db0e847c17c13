package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
)

// New returns the trace of a run of sys: run[0] is its first state, each further Move a step. The caption names the
// protocol, its parameters and options; the caller adds the property and the finding. It is an error if run is empty or
// not a run of sys.
func New(sys *compile.System, run []model.Move) (*Trace, error) {
	r, err := replay.FromMoves(sys, run)
	if err != nil {
		return nil, fmt.Errorf("drawing a run: %w", err)
	}
	number := 0
	b := newBuilder(sys.Protocol(), nil)
	_, err = r.Play(context.Background(), func(s *replay.State, d *replay.Step) error {
		if err := s.Agrees(sys, run[number].State); err != nil {
			return err
		}
		number++
		b.add(s, d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("drawing a run: %w", err)
	}
	return b.trace, nil
}

// Excerpt returns the trace of the given processes, in ascending order, and of the drawn steps of a run. If such a step
// receives a message, the step that sends it must be drawn, too, or precede the first drawn one. The ticks between two
// drawn steps are merged into one.
func Excerpt(ctx context.Context, p *ir.Protocol, r *replay.Run, processes []int, drawn []bool) (*Trace, error) {
	first := slices.Index(drawn, true)
	if first < 0 {
		first = len(drawn)
	}
	received := make(map[int]bool) // serial numbers of the messages that drawn steps receive
	number := -1
	if _, err := r.Play(ctx, func(s *replay.State, d *replay.Step) error {
		if d != nil && drawn[number] && !d.Sends() {
			received[s.Removal().Serial] = true
		}
		number++
		return nil
	}); err != nil {
		return nil, err
	}
	b, passed := newBuilder(p, processes), 0
	var last Step // a tick
	number = -1
	_, err := r.Play(ctx, func(s *replay.State, d *replay.Step) error {
		switch {
		case number == first-1:
			b.start(s, received)
		case number >= first && d.Kind == model.TickAction:
			passed++
			last = Step{Kind: Tick, Process: -1, Action: "tick", Text: ticks(passed), Processes: b.processes(s)}
		case number >= first && drawn[number]:
			if passed > 0 {
				b.enter(last, nil)
				passed = 0
			}
			b.add(s, d)
		}
		number++
		return nil
	})
	for i := range b.trace.Steps { // links were added while later steps were built
		s := &b.trace.Steps[i]
		s.Channels = append(s.Channels, make([][]int, len(b.trace.Links)-len(s.Channels))...)
	}
	return b.trace, err
}

func ticks(n int) string {
	if n == 1 {
		return "time advances: 1 tick"
	}
	return fmt.Sprintf("time advances: %d ticks", n)
}

type builder struct {
	protocol *ir.Protocol
	trace    *Trace
	points   []string    // names of the control points
	columns  map[int]int // from processes of the protocol to processes of the trace
	links    map[int]int // from links of the protocol to links of the trace
	serials  map[int]int // from serial numbers of messages in the run to serial numbers in the trace
}

// newBuilder returns a builder of a trace of the given processes and of the links that carry messages; if processes is
// nil, of all processes and links.
func newBuilder(p *ir.Protocol, processes []int) *builder {
	b := &builder{
		protocol: p,
		points:   p.PointNames(),
		columns:  make(map[int]int),
		links:    make(map[int]int),
		serials:  make(map[int]int),
		trace: &Trace{
			Caption: Caption{
				Title:    strings.TrimSuffix(p.Name+", "+ir.FormatSettings(p.Params...), ", "),
				Settings: ir.FormatSettings(p.Options...),
			},
			Topology: p.Topology.Keyword,
			Channel:  p.Channel.Keyword,
			Roles:    roles(p),
			N:        len(processes),
			Numbers:  processes,
		},
	}
	b.trace.sharing = len(p.Shared) > 0
	b.trace.strict = p.Time.Delay || p.Capacity.Most > 0 || p.Channel.Sync || p.Channel.Entry == channel.Front ||
		slices.ContainsFunc(p.Vars, func(v *ir.Var) bool { return v.Kind == ir.Register })
	for _, e := range p.Events {
		b.trace.Events = append(b.trace.Events, e.Name)
	}
	if processes == nil {
		b.trace.N, b.trace.Ring = p.N, p.Topology.Linear()
		b.trace.Layout = p.Topology.Layout(p.Sizes[0], p.Sizes[1])
	}
	for i := range b.trace.N {
		b.columns[b.trace.Number(i)] = i
		if processes != nil || len(p.Kinds) > 0 {
			b.trace.Names = append(b.trace.Names, p.ProcessName(b.trace.Number(i)))
		}
	}
	if processes == nil {
		for link := range p.Links {
			b.link(link)
		}
	}
	return b
}

// link returns the number in the trace of a link of the protocol, which it adds if necessary.
func (b *builder) link(link int) int {
	number, known := b.links[link]
	if !known {
		number = len(b.trace.Links)
		b.links[link] = number
		l := b.protocol.Link(link)
		shape := Link{From: b.columns[l.From], To: b.columns[l.To]}
		if b.trace.Ring {
			shape.Direction = b.protocol.FormatPort(l.Out)
			shape.Seam = l.Out == ir.Right && l.From == b.protocol.N-1 || l.Out == ir.Left && l.From == 0
		}
		b.trace.Links = append(b.trace.Links, shape)
	}
	return number
}

// start adds the first state, with the messages in transit whose serial number is wanted, or with all if wanted is nil.
func (b *builder) start(s *replay.State, wanted map[int]bool) {
	for _, m := range s.All() {
		if wanted == nil || wanted[m.Serial] {
			b.send(0, m)
		}
	}
	b.enter(Step{Kind: Start, Process: -1, Text: "initial state", Processes: b.processes(s)}, s)
}

// add adds a step and the state after it, or the first state if d is nil.
func (b *builder) add(s *replay.State, d *replay.Step) {
	if d == nil {
		b.start(s, nil)
		return
	}
	label := s.Label(d)
	step := Step{Kind: KindOf(label), Process: -1, Action: label.Text, Processes: b.processes(s)}
	if d.Process >= 0 {
		step.Process = b.columns[d.Process]
	}
	number := len(b.trace.Steps)
	if m := s.Removal(); m.Serial > 0 {
		step.Message = b.serials[m.Serial]
		if step.Kind == Receive {
			b.receive(number, step.Message)
		} else {
			b.trace.Message(step.Message).Lost = number
		}
	}
	if m := s.Addition(); m.Serial > 0 {
		step.Before = step.Message
		step.Message = b.send(number, m)
		if step.Kind != Send {
			b.trace.Message(step.Message).Fault = step.Kind
		}
		if d.Kind == model.SyncAction {
			b.trace.Message(step.Message).Received = number
			step.receiver = 1 + b.trace.Links[b.trace.Message(step.Message).Link].To
		}
		if s.Dropped() {
			b.trace.Message(step.Message).Lost = number
		}
	}
	step.Text = b.trace.sentence(&step)
	b.enter(step, s)
}

// enter appends a step and sets its channels and changes. If s is nil, the step has the channels of the step before.
func (b *builder) enter(step Step, s *replay.State) {
	n := len(b.trace.Steps)
	step.Channels = make([][]int, len(b.trace.Links))
	if s == nil {
		copy(step.Channels, b.trace.Steps[n-1].Channels)
		step.Shared = b.trace.Steps[n-1].Shared
	} else {
		step.Shared = sharedVars(b.protocol, s)
		for link, number := range b.links {
			for _, m := range s.Transit(link) {
				if serial := b.serials[m.Serial]; serial > 0 {
					step.Channels[number] = append(step.Channels[number], serial)
				}
			}
		}
	}
	if n > 0 {
		step.Changes = changes(b.trace.Steps[n-1].Processes, step.Processes)
		step.Changes = append(step.Changes, sharedChanges(b.trace.Steps[n-1].Shared, step.Shared)...)
	}
	b.trace.Steps = append(b.trace.Steps, step)
	if n > 0 && step.Kind == Tick {
		b.expire(n)
	}
}

// expire records that a tick lost the messages that it took away, since they were under way for too long.
func (b *builder) expire(number int) {
	for link, serials := range b.trace.Steps[number-1].Channels {
		for _, serial := range serials {
			if !slices.Contains(b.trace.Steps[number].Channels[link], serial) {
				b.trace.Message(serial).Lost = number
			}
		}
	}
}

// send adds a message and returns its serial number.
func (b *builder) send(step int, m replay.Transit) int {
	t := b.trace
	serial := len(t.Messages) + 1
	b.serials[m.Serial] = serial
	t.Messages = append(t.Messages, Message{Serial: serial, Text: m.Message.String(), Link: b.link(m.Link), Sent: step})
	return serial
}

// receive records that a message is received, and which ones it overtakes.
func (b *builder) receive(step, serial int) {
	m := b.trace.Message(serial)
	m.Received = step
	for _, older := range b.trace.Steps[step-1].Channels[m.Link] {
		if older == serial {
			break
		}
		m.Overtakes = append(m.Overtakes, older)
		b.trace.Message(older).OvertakenBy = append(b.trace.Message(older).OvertakenBy, serial)
	}
}

// KindOf returns the kind of the steps with a label.
func KindOf(l model.LabelInfo) Kind {
	return map[model.ActionKind]Kind{
		model.SendAction: Send, model.SyncAction: Send, model.ReceiveAction: Receive, model.EventAction: Event,
		model.Internal:    Internal,
		model.FaultAction: Kind(l.Fault), model.CrashAction: Crash, model.RecoverAction: Recover,
		model.TickAction: Tick,
	}[l.Kind]
}

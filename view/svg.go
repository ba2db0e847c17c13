package view

import (
	"fmt"
	"strings"

	"ringcheck/internal/printable"
)

// A drawing is the data of svg.tmpl.
type drawing struct {
	*plan
	Caption Caption
	About   string
	Heads   []head
	Bands   []band
	Rows    []px // the positions of the steps
	Ticks   []px // the positions of the ticks
	Arrows  []arrow
	Pills   []pill
	Loop    *loop // nil if there is no cycle
}

type (
	// A loop is the bracket around a cycle, from Y to Z.
	loop struct{ Y, Z px }
	// A head is the name of a process above its lifeline.
	head struct {
		X, W px
		Text string
	}
	// A band is a part of a lifeline, from Y to Z, in which the role does not change.
	band struct {
		Role    Role
		X, Y, Z px
	}
	// An arrow is a message: one line, or two if it goes across the seam of the ring.
	arrow struct {
		About     string
		Overtaken bool
		Open      bool // it is still in transit at the end
		Lines     []line
		Labels    []label
		Marks     []mark
	}
	// A mark shows where a fault lost, changed or made a message.
	mark struct {
		X, Y px
		Path string
	}
	line struct {
		X1, Y1, X2, Y2 px
		Tip            bool
	}
	label struct {
		X, Y   px
		Anchor string
		Text   string
	}
	// A pill is the local state of a process after a step: X and Y are its centre.
	pill struct {
		Role    Role
		X, Y, W px
		About   string
		Name    string
		Changed bool // whether the name is new
		Vars    []pillVar
		Event   string // the text beside the pill
		Sign    string // before Event

		Unlogged bool // see Step
	}
	pillVar struct {
		Text    string
		Changed bool
	}
)

func newDrawing(t *Trace) *drawing {
	p := newPlan(t)
	d := &drawing{plan: p, Caption: t.Caption, About: t.description()}
	for i := range t.N {
		d.Heads = append(d.Heads, head{p.X[i], headWidth(t.name(i)), t.name(i)})
		d.Bands = append(d.Bands, p.bands(i)...)
	}
	for i := range t.Steps {
		d.Rows = append(d.Rows, p.y(i))
		if t.Steps[i].Kind == Tick {
			d.Ticks = append(d.Ticks, p.y(i)-rowHeight/2)
		}
		d.Pills = append(d.Pills, p.pills(i)...)
	}
	if i := t.Loop(); i > 0 {
		d.Loop = &loop{p.y(i) - rowHeight/2, p.y(t.Length()) + rowHeight/2}
	}
	for i := range t.Messages {
		d.Arrows = append(d.Arrows, p.arrow(&t.Messages[i]))
	}
	d.placeLabels()
	return d
}

// description describes a run for readers who cannot see the picture.
func (t *Trace) description() string {
	s := fmt.Sprintf("Message sequence chart of a run with %s of %s. ", printable.Count(t.Length(), "step"),
		printable.Count(t.N, "process"))
	overtaken := 0
	for _, m := range t.Messages {
		if len(m.OvertakenBy) > 0 {
			overtaken++
		}
	}
	s += fmt.Sprintf("Messages sent: %d, overtaken: %d. ", len(t.Messages), overtaken)
	for i, step := range t.Steps[1:] {
		s += fmt.Sprintf("%d: %s. ", i+1, step.Text)
	}
	return s + t.Caption.Finding
}

// headWidth returns the width of the box around a name.
func headWidth(name string) px { return max(leastHead, textWidth(name, headSize)+16) }

// Left returns the left edge of the box, relative to its centre.
func (h head) Left() px { return -h.W / 2 }

// bands returns the lifeline of a process.
func (p *plan) bands(process int) []band {
	var all []band
	for i := range p.trace.Steps {
		role := p.trace.Steps[i].Processes[process].Role
		if n := len(all); n > 0 && all[n-1].Role == role {
			all[n-1].Z = p.y(i + 1)
			continue
		}
		all = append(all, band{role, p.X[process], p.y(i), p.y(i + 1)})
	}
	all[0].Y = p.Top
	return all
}

// pills returns the local state of the process that acts in a step; at the start and after a tick, the local states of
// all.
func (p *plan) pills(i int) []pill {
	s := &p.trace.Steps[i]
	if s.Kind != Start && s.Process >= 0 {
		return []pill{p.pill(i, s.Process)}
	}
	if s.Kind != Start && s.Kind != Tick {
		return nil
	}
	var all []pill
	for process := range p.trace.N {
		all = append(all, p.pill(i, process))
	}
	return all
}

func (p *plan) pill(i, process int) pill {
	s := &p.trace.Steps[i]
	state := s.Processes[process]
	b := pill{
		Role:  state.Role,
		X:     p.X[process],
		Y:     p.y(i),
		W:     2 * p.half[process],
		Name:  state.Name,
		About: fmt.Sprintf("step %d, %s: %s", i, s.Text, state.Exact),

		Unlogged: s.Unlogged,
	}
	changed := make(map[string]bool)
	for _, c := range s.Changes {
		changed[string(c.Var)] = changed[string(c.Var)] || c.Process == process
	}
	b.Changed = changed[""]
	for _, v := range state.Vars {
		b.Vars = append(b.Vars, pillVar{v.Caption + "=" + v.Text, changed[v.Name]})
	}
	switch s.Kind {
	case Event:
		b.Sign, b.Event = "★", s.Action
	case Crash:
		b.Sign, b.Event = "✕", "crashes"
	case Recover:
		b.Sign, b.Event = "↺", "recovers"
	case Start, Send, Receive, Internal, Tick: // an arrow, or nothing, shows it
	}
	return b
}

// H returns the height of the pill.
func (b pill) H() px {
	if len(b.Vars) == 0 {
		return 20
	}
	return 32
}

// Left returns the left edge of the pill, relative to its centre.
func (b pill) Left() px { return -b.W / 2 }

// Right returns the position of the text beside the pill, relative to its centre.
func (b pill) Right() px { return b.W/2 + 6 }

// Top returns the upper edge of the pill, relative to its centre.
func (b pill) Top() px { return -b.H() / 2 }

func (p *plan) arrow(m *Message) arrow {
	a := arrow{
		About:     p.trace.story(m),
		Overtaken: len(m.OvertakenBy) > 0,
		Open:      m.endStep() == 0,
	}
	link := p.trace.Links[m.Link]
	dir := px(1)
	anchor := "start"
	if p.trace.side(m).fromRight {
		dir, anchor = -1, "end"
	}
	x1, y1 := p.X[link.From]+dir*p.half[link.From], p.y(m.Sent)
	x2, y2 := p.X[link.To]-dir*p.half[link.To], p.end(m)
	if !link.Seam {
		if m.Fault != "" {
			x1 = (x1 + x2) / 2
		}
		if m.Lost > 0 {
			x2 = x1 + (x2-x1)/2
		}
		a.Lines = []line{{x1, y1, x2, y2, m.Received > 0}}
		a.Labels = []label{{x1 + dir*8, y1 - 5, anchor, m.Text}} // placeLabels may move it
		return a.withMarks(p.trace, m)
	}
	out, in := p.Right, p.Left
	if dir < 0 {
		out, in = in, out
	}
	middle := y1 + (y2-y1)*(out-x1)/(out-x1+x2-in)
	sending, arriving := line{x1, y1, out, middle, false}, line{in, middle, x2, y2, m.Received > 0}
	if m.Fault != "" {
		arriving.X1, arriving.Y1 = (in+x2)/2, y1
	}
	if m.Lost > 0 {
		sending.X2, sending.Y2 = (x1+out)/2, y2
	}
	if m.Fault == "" {
		a.Lines = append(a.Lines, sending)
		a.Labels = append(a.Labels, label{x1 + dir*8, y1 - 5, anchor, m.Text})
	}
	if m.Lost == 0 {
		a.Lines = append(a.Lines, arriving)
		a.Labels = append(a.Labels, label{arriving.X1 + dir*4, arriving.Y1 - 5, anchor, m.Text})
	}
	return a.withMarks(p.trace, m)
}

// withMarks returns the arrow with marks where faults made and lost the message.
func (a arrow) withMarks(t *Trace, m *Message) arrow {
	if len(a.Lines) == 0 { // lost at the margin where it was made
		return a
	}
	if m.Fault != "" {
		a.Marks = append(a.Marks, mark{a.Lines[0].X1, a.Lines[0].Y1, m.Fault.fault().Path})
	}
	if m.Lost > 0 {
		last := a.Lines[len(a.Lines)-1]
		a.Marks = append(a.Marks, mark{last.X2, last.Y2, t.Steps[m.Lost].Kind.fault().Path})
	}
	return a
}

// story describes the sending, receipt or loss of a message.
func (t *Trace) story(m *Message) string {
	l, made := t.Links[m.Link], "sent"
	if fault := m.Fault.fault(); fault != nil {
		made = fault.Participle
	}
	s := fmt.Sprintf("#%d %s from %s to %s: %s in step %d", m.Serial, m.Text, t.name(l.From), t.name(l.To),
		made, m.Sent)
	switch {
	case m.Received > 0:
		s += fmt.Sprintf(", received in step %d", m.Received)
	case m.Lost > 0:
		s += fmt.Sprintf(", %s in step %d", t.Steps[m.Lost].Kind.fault().Participle, m.Lost)
	default:
		s += ", not received"
	}
	return s + t.serials(", overtakes ", m.Overtakes) + t.serials(", overtaken by ", m.OvertakenBy)
}

// serials returns prefix and a list of messages, "" if there are none.
func (t *Trace) serials(prefix string, serials []int) string {
	var parts []string
	for _, s := range serials {
		parts = append(parts, t.messageText(t.Message(s)))
	}
	if len(parts) == 0 {
		return ""
	}
	return prefix + strings.Join(parts, ", ")
}

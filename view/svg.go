package view

import (
	"fmt"
	"strings"

	"ringcheck/internal/printable"
)

type (
	// A loop is the bracket around a cycle, from Y to Z.
	loop struct {
		Y px `json:"y"`
		Z px `json:"z"`
	}
	// A head is the name of a process above its lifeline.
	head struct {
		X    px     `json:"x"`
		W    px     `json:"w"`
		Text string `json:"text"`
		Role Role   `json:"role"` // at the end of the run
	}
	// A band is a part of a lifeline, from Y to Z, in which the role does not change.
	band struct {
		Role Role `json:"role"`
		X    px   `json:"x"`
		Y    px   `json:"y"`
		Z    px   `json:"z"`
	}
	// An arrow is a message: one line, or two if it goes across the seam of the ring.
	arrow struct {
		About     string  `json:"about"`
		Overtaken bool    `json:"overtaken"`
		Open      bool    `json:"open"` // it is still in transit at the end
		Lines     []line  `json:"lines"`
		Labels    []label `json:"labels"`
		Marks     []mark  `json:"marks"`
	}
	// A mark shows where a fault or a tick lost a message, or where a fault changed or made it.
	mark struct {
		X    px     `json:"x"`
		Y    px     `json:"y"`
		Path string `json:"path"`
	}
	line struct {
		X1  px   `json:"x1"`
		Y1  px   `json:"y1"`
		X2  px   `json:"x2"`
		Y2  px   `json:"y2"`
		Tip bool `json:"tip"`
	}
	label struct {
		X      px     `json:"x"`
		Y      px     `json:"y"`
		Anchor string `json:"anchor"`
		Text   string `json:"text"`
	}
	// A sign is an action in a compact plan, in place of the local state after it.
	sign struct {
		X     px     `json:"x"`
		Y     px     `json:"y"`
		Kind  Kind   `json:"kind"`
		Label *label `json:"label"` // nil if the sign alone shows it
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

// shapes makes all that the drawing shows of the run.
func (p *Plan) shapes() {
	t := p.trace
	last := &t.Steps[t.Length()]
	p.Heads, p.Bands, p.Ticks, p.Arrows, p.Signs = []head{}, []band{}, []px{}, []arrow{}, []sign{}
	for _, i := range p.shown {
		p.Heads = append(p.Heads, head{p.x[i], headWidth(p.name(i), p.layout), p.name(i), last.Processes[i].Role})
		p.Bands = append(p.Bands, p.bands(i)...)
	}
	for row, steps := range p.Steps {
		p.Rows = append(p.Rows, p.y(row))
		if t.Steps[steps[0]].Kind == Tick {
			p.Ticks = append(p.Ticks, p.tickAt(steps[0]))
		}
		if p.layout.Compact {
			p.Signs = append(p.Signs, p.signs(row)...)
		} else {
			p.Pills = append(p.Pills, p.pills(row)...)
		}
	}
	if i := t.Loop(); i > 0 {
		p.Loop = &loop{p.at(i) - p.RowHeight/2, p.at(t.Length()) + p.RowHeight/2}
	}
	for i := range t.Messages {
		if m := &t.Messages[i]; p.shows(m) {
			p.Arrows = append(p.Arrows, p.arrow(m))
		}
	}
}

// tickAt returns the position of the line of a tick: above its row, which has the local states after it, if the plan
// shows them.
func (p *Plan) tickAt(step int) px {
	if p.layout.Compact {
		return p.at(step)
	}
	return p.at(step) - p.RowHeight/2
}

// signs returns the signs of the steps of processes in a row.
func (p *Plan) signs(row int) (all []sign) {
	for _, process := range p.rows.actors(row) {
		i, count := p.rows.lastOf(row, process)
		s := &p.trace.Steps[i]
		b := sign{X: p.x[process], Y: p.y(row), Kind: s.Kind}
		text := s.signText()
		if text == "" && count > 1 {
			text = fmt.Sprintf("×%d", count)
		}
		if text != "" {
			b.Label = &label{b.X + signSize + 5, b.Y + 4, "start", text}
			if w := textWidth(text, labelSize); b.Label.X+w > p.Width && b.X-signSize-5-w > 0 {
				b.Label.X, b.Label.Anchor = b.X-signSize-5, "end"
			}
		}
		all = append(all, b)
	}
	return all
}

// A shape is the form of a sign: a path, or a circle.
type shape struct {
	Path   string // as in marks
	Radius px
	Filled bool
}

// Shape returns the form of the sign.
func (b sign) Shape() shape {
	switch b.Kind {
	case Event:
		return shape{Path: "M0 -8L8 0L0 8L-8 0L0 -8"}
	case Crash:
		return shape{Path: "M-7 -7L7 7M7 -7L-7 7"}
	case Recover:
		return shape{Radius: 7}
	case Internal:
		return shape{Radius: 4.5}
	case Start, Send, Receive, Tick:
	}
	return shape{Radius: 3, Filled: true}
}

// numbered adds the number of steps to a text about a row, if there are several.
func numbered(text string, steps int) string {
	if steps < 2 {
		return text
	}
	return text + choose(text == "", "", ", ") + printable.Count(steps, "step")
}

// signText returns the text beside the sign of a step; "" if the sign or its message says enough.
func (s *Step) signText() string {
	switch s.Kind {
	case Event:
		return s.Action
	case Crash:
		return "crashes"
	case Recover:
		return "recovers"
	case Start, Send, Receive, Internal, Tick:
	}
	return ""
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
func headWidth(name string, layout Layout) px {
	if layout.Compact {
		return max(34, textWidth(name, headSize+1)+14)
	}
	return max(leastHead, textWidth(name, headSize)+16)
}

// Left returns the left edge of the box, relative to its centre.
func (h head) Left() px { return -h.W / 2 }

// bands returns the lifeline of a process.
func (p *Plan) bands(process int) []band {
	var all []band
	for row := range p.Steps {
		role := p.rows.state(row, process).Role
		if n := len(all); n > 0 && all[n-1].Role == role {
			all[n-1].Z = p.y(row + 1)
			continue
		}
		all = append(all, band{role, p.x[process], p.y(row), p.y(row + 1)})
	}
	all[0].Y = p.Top
	return all
}

// pills returns the local states of the processes that act in a row; at the start and after a tick, the local states of
// all.
func (p *Plan) pills(row int) (all []pill) {
	processes := p.rows.actors(row)
	if kind := p.trace.Steps[p.Steps[row][0]].Kind; kind == Start || kind == Tick {
		processes = p.shown
	}
	for _, process := range processes {
		all = append(all, p.pill(row, process))
	}
	return all
}

func (p *Plan) pill(row, process int) pill {
	i, count := p.rows.lastOf(row, process)
	if count == 0 {
		i = p.Steps[row][0]
	}
	s := &p.trace.Steps[i]
	state := s.Processes[process]
	b := pill{
		Role:  state.Role,
		X:     p.x[process],
		Y:     p.y(row),
		W:     2 * p.half[process],
		Name:  state.Name,
		About: fmt.Sprintf("step %d, %s: %s", i, s.Text, state.Exact),

		Unlogged: s.Unlogged,
	}
	changed := make(map[string]bool)
	for _, step := range p.Steps[row] {
		for _, c := range p.trace.Steps[step].Changes {
			changed[string(c.Var)] = changed[string(c.Var)] || c.Process == process
		}
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
	b.Event = numbered(b.Event, count)
	return b
}

// beside returns the text beside the pill.
func (b pill) beside() string { return strings.TrimSpace(b.Sign + " " + b.Event) }

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

func (p *Plan) arrow(m *Message) arrow {
	a := arrow{
		About:     p.trace.story(m),
		Overtaken: len(m.OvertakenBy) > 0,
		Open:      m.endStep() == 0,
		Lines:     []line{}, Labels: []label{}, Marks: []mark{},
	}
	link := p.trace.Links[m.Link]
	dir := px(1)
	anchor := "start"
	if fromRight := p.trace.side(m).fromRight; fromRight && !link.Seam || fromRight && p.seam(m) ||
		link.Seam && !p.seam(m) && link.From > link.To {
		dir, anchor = -1, "end"
	}
	x1, y1 := p.x[link.From]+dir*p.half[link.From], p.at(m.Sent)
	x2, y2 := p.x[link.To]-dir*p.half[link.To], p.end(m)
	if !p.seam(m) {
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
		if p.layout.Bare && len(a.Labels) > 0 {
			return a.withMarks(p.trace, m) // there is no room for a second label in the margin
		}
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
		a.Marks = append(a.Marks, mark{last.X2, last.Y2, t.Steps[m.Lost].Kind.loss().Path})
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
		s += fmt.Sprintf(", %s in step %d", t.Steps[m.Lost].Kind.loss().Participle, m.Lost)
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

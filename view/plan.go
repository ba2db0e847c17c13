package view

import (
	"strconv"
	"unicode/utf8"
)

// px is a length or a position in a drawing, in pixels.
type px float64

// String returns p with one decimal at most.
func (p px) String() string {
	return strconv.FormatFloat(float64(int64(p*10+0.5))/10, 'f', -1, 64)
}

// Sizes of a drawing.
const (
	rowHeight  px = 38
	nameSize   px = 12 // the font size of a state's name
	varSize    px = 10.5
	labelSize  px = 12
	textSize   px = 12
	border     px = 24
	numbers    px = 28 // the width of the numbers of the steps
	lineSpace  px = 20 // from line to line of the caption
	headSpace  px = 56 // from the caption to the first row
	leastGap   px = 92 // between the pills of two processes
	leastPill  px = 76
	leastHead  px = 84
	headSize   px = 13
	leastWidth px = 560
)

// A plan is the layout of a drawing.
type plan struct {
	trace         *Trace
	half          []px // by process: half the width of its pills
	X             []px // by process: the position of its lifeline
	Seam          bool // whether there are margins for arrows across the seam of the ring
	Left, Right   px   // the left and right edges of the chart
	Top, Bottom   px   // the ends of the lifelines
	Width, Height px
	Subtitle      []entry
	Legend        []entry
	Finding       []entry
}

// An entry is a text; in the legend, an example of its class precedes it.
type entry struct {
	X, Y        px
	Class, Text string
}

func newPlan(t *Trace) *plan {
	p := &plan{trace: t}
	p.columns()
	p.caption()
	p.Bottom = p.y(len(t.Steps))
	p.legend(p.Bottom + 24)
	p.Height = p.Bottom + 24 + border
	p.widen(border, t.Caption.Title, 18)
	return p
}

// caption places the lines below the title and wraps them at the width of the chart.
func (p *plan) caption() {
	y := border + lineSpace
	add := func(to *[]entry, class, text string, size px) {
		for _, line := range wrap(text, int((max(p.Width, leastWidth)-2*border)/(0.56*size))) {
			y += lineSpace
			*to = append(*to, entry{border, y, class, line})
			p.widen(border, line, size)
		}
	}
	for _, s := range p.trace.captionLines()[1:] {
		add(&p.Subtitle, "subtitle", s, textSize)
	}
	if p.trace.Caption.Finding != "" {
		y += 2
		add(&p.Finding, "finding", p.trace.Caption.Finding, 14)
	}
	for _, s := range p.trace.Caption.Why {
		add(&p.Finding, "why", s, textSize)
	}
	p.Top = y + headSpace
}

func (p *plan) columns() {
	t := p.trace
	gap, margin := p.gap(), px(0)
	for _, m := range t.Messages {
		p.Seam = p.Seam || t.Links[m.Link].Seam
	}
	if p.Seam {
		margin = gap - border // wide enough for every message
	}
	p.Left = border + numbers
	x := p.Left + margin
	for i := range t.N {
		p.half = append(p.half, p.halfWidth(i))
		p.X = append(p.X, x+p.half[i])
		x += 2*p.half[i] + gap
	}
	p.Right = x - gap + margin
	p.Width = max(p.Width, p.Right+border)
}

// y returns the vertical position of a step.
func (p *plan) y(step int) px { return p.Top + rowHeight*(px(step)+0.7) }

// end returns the vertical position where the arrow of a message ends: below the last step if it is neither received
// nor lost.
func (p *plan) end(m *Message) px {
	if m.endStep() == 0 {
		return p.y(len(p.trace.Steps))
	}
	return p.y(m.endStep())
}

// textWidth estimates the width of a text: monospaced letters take 0.6 of their size, others less on average.
func textWidth(s string, size px) px { return px(utf8.RuneCountInString(s)) * size * 0.61 }

// widen makes the drawing wide enough for a text that begins at x.
func (p *plan) widen(x px, s string, size px) {
	p.Width = max(p.Width, x+textWidth(s, size)+border)
}

// halfWidth returns half the width of the widest local state of a process.
func (p *plan) halfWidth(process int) px {
	w := max(leastPill, headWidth(p.trace.name(process))-10)
	for _, s := range p.trace.Steps {
		state := s.Processes[process]
		vars := px(0)
		for _, v := range state.Vars {
			vars += textWidth(" "+v.Caption+"="+v.Text, varSize)
		}
		w = max(w, textWidth(state.Name, nameSize)+16, vars+12)
	}
	return w / 2
}

// gap returns the distance between the pills of neighbours: at least the width of every message.
func (p *plan) gap() px {
	w := leastGap
	for _, m := range p.trace.Messages {
		w = max(w, textWidth(m.Text, labelSize)+44)
	}
	return w
}

// legend places the explanations of the symbols used.
func (p *plan) legend(y px) {
	x := border
	add := func(class, text string) {
		p.Legend = append(p.Legend, entry{x, y, class, text})
		p.widen(x+36, text, textSize)
		x += 64 + textWidth(text, textSize)
	}
	roles, overtaken := p.trace.occurring()
	for _, r := range roles {
		add("band "+r.Colour, r.Word)
	}
	if overtaken {
		add("arrow overtaken", "a message that is overtaken")
	}
	if p.trace.open() {
		add("arrow open", "a message still in transit at the end")
	}
}

// A side is the left or right side of a process, at which messages arrive.
type side struct {
	process   int
	fromRight bool
}

// lanes assigns every message a lane: a vertical line beside its receiver from its sending to its receipt. Lane 0 is
// the nearest to the receiver. A message gets the next lane outside all lanes in use when it is sent. So a message that
// is received in order crosses no lane, and a message that overtakes others crosses their lanes.
type lanes struct {
	lane  []int        // by serial number - 1
	count map[side]int // the number of lanes
}

func newLanes(t *Trace) *lanes {
	l := &lanes{make([]int, len(t.Messages)), make(map[side]int)}
	used := make(map[side][]int) // the serial numbers of the messages in transit
	for i := range t.Messages {
		m := &t.Messages[i]
		s := t.side(m)
		used[s] = inTransit(t, used[s], m.Sent)
		for _, other := range used[s] {
			l.lane[i] = max(l.lane[i], l.lane[other-1]+1)
		}
		used[s] = append(used[s], m.Serial)
		l.count[s] = max(l.count[s], l.lane[i]+1)
	}
	return l
}

// inTransit returns the serial numbers of the messages that are still in transit after step.
func inTransit(t *Trace, serials []int, step int) []int {
	var rest []int
	for _, s := range serials {
		if gone := t.Message(s).endStep(); gone == 0 || gone > step {
			rest = append(rest, s)
		}
	}
	return rest
}

// side returns the side at which a message arrives. In a ring, a message sent to the right arrives at the left side,
// also across the seam.
func (t *Trace) side(m *Message) side {
	l := t.Links[m.Link]
	if t.Ring {
		return side{l.To, l.Direction == "left"}
	}
	return side{l.To, l.From > l.To}
}

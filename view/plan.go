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
	nameSize   px = 12 // of the letters of a state's name
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
	half          []px // half the widths of the pills, by process
	X             []px // the lifelines
	Seam          bool // whether there are margins for arrows across the seam of the ring
	Left, Right   px   // the edges of the chart
	Top, Bottom   px   // of the lifelines
	Width, Height px
	Subtitle      []entry
	Legend        []entry
	Finding       []entry
}

// An entry is a piece of text; in the legend, with an example of that class before it.
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

// caption places the lines below the title, broken where they are wider than the chart.
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

// columns places the processes.
func (p *plan) columns() {
	t := p.trace
	gap, margin := p.gap(), px(0)
	for _, m := range t.Messages {
		p.Seam = p.Seam || t.Links[m.Link].Seam
	}
	if p.Seam {
		margin = gap - border // a message fits there as well
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

// end returns where the arrow of a message ends: below the last step if it is neither received nor lost.
func (p *plan) end(m *Message) px {
	if m.gone() == 0 {
		return p.y(len(p.trace.Steps))
	}
	return p.y(m.gone())
}

// textWidth estimates the width of a text: monospaced letters take 0.6 of their size, others less on average.
func textWidth(s string, size px) px { return px(utf8.RuneCountInString(s)) * size * 0.61 }

// widen makes the drawing wide enough for a text at x.
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

// gap returns the distance between the pills of neighbours, in which every message fits.
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
		add("arrow open", "one still under way at the end")
	}
}

// A side is a side of a process in the drawing, from which messages arrive.
type side struct {
	process   int
	fromRight bool
}

// lanes gives every message a lane, a line beside its receiver in which it waits for its receipt. Lane 0 is the nearest
// to the receiver. A message gets the lane outside all lanes in use when it is sent: so a message received in order
// crosses nothing, and one that overtakes crosses the lanes of those that it overtakes.
type lanes struct {
	lane  []int        // by serial number - 1
	count map[side]int // how many lanes there are
}

func newLanes(t *Trace) *lanes {
	l := &lanes{make([]int, len(t.Messages)), make(map[side]int)}
	used := make(map[side][]int) // serial numbers under way
	for i := range t.Messages {
		m := &t.Messages[i]
		s := t.side(m)
		used[s] = underWay(t, used[s], m.Sent)
		for _, other := range used[s] {
			l.lane[i] = max(l.lane[i], l.lane[other-1]+1)
		}
		used[s] = append(used[s], m.Serial)
		l.count[s] = max(l.count[s], l.lane[i]+1)
	}
	return l
}

// underWay returns the serials of messages that are still under way after step.
func underWay(t *Trace, serials []int, step int) []int {
	var rest []int
	for _, s := range serials {
		if gone := t.Message(s).gone(); gone == 0 || gone > step {
			rest = append(rest, s)
		}
	}
	return rest
}

// side returns where a message arrives. In a ring, a message sent to the right arrives from the left, also across the
// seam.
func (t *Trace) side(m *Message) side {
	l := t.Links[m.Link]
	if t.Ring {
		return side{l.To, l.Direction == "left"}
	}
	return side{l.To, l.From > l.To}
}

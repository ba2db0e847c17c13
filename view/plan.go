package view

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// px is a length or a position in a drawing, in pixels.
type px float64

// String returns p with one decimal at most.
func (p px) String() string {
	return strconv.FormatFloat(float64(int64(p*10+0.5))/10, 'f', -1, 64)
}

// MarshalJSON implements json.Marshaler.
func (p px) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// Sizes of a drawing.
const (
	rowHeight  px = 38 // from step to step
	lowRow     px = 30 // the same in a compact plan
	nameSize   px = 12 // the font size of a state's name
	varSize    px = 10.5
	labelSize  px = 12
	textSize   px = 12
	border     px = 24
	numbers    px = 28 // the least width of the numbers of the steps
	numberSize px = 10.5
	lineSpace  px = 20 // from line to line of the caption
	headSpace  px = 56 // from the caption to the first row
	leastGap   px = 92 // between the pills of two processes
	leastPill  px = 76
	leastHead  px = 84
	headSize   px = 13
	leastWidth px = 560
	leastSpace px = 58  // between the lifelines of a compact plan
	mostSpace  px = 150 // the same, unless there is room for more
	signSize   px = 9   // half the width of the sign of an action
)

// manyLanes is the number of processes above which a compact plan shows only those that take part in the run.
const manyLanes = 8

// A Layout says what a plan shows.
type Layout struct {
	// Compact is for pages that show states in another way, or not at all: rows are low, and signs of the actions stand
	// in place of the local states.
	Compact bool
	Bare    bool    // neither a caption nor a legend, nor room for the numbers of the steps
	Room    float64 // the width that a compact plan should have if it has enough to show, in pixels
}

// A Plan is the layout of a run as a message sequence chart, in pixels from the upper left corner. All pictures of runs
// that are not of text paint it.
type Plan struct {
	Width     px       `json:"width"`
	Height    px       `json:"height"`
	Left      px       `json:"left"` // the left and right edges of the chart, where messages cross the seam
	Right     px       `json:"right"`
	Top       px       `json:"top"` // the ends of the lifelines
	Bottom    px       `json:"bottom"`
	RowHeight px       `json:"rowHeight"`
	Seam      bool     `json:"seam"`    // whether there are margins for arrows across the seam of the ring
	Rows      []px     `json:"rows"`    // their positions
	Steps     [][]int  `json:"steps"`   // by row: its steps
	Numbers   []string `json:"numbers"` // by row: the numbers of its steps, as a text
	Heads     []head   `json:"heads"`
	Bands     []band   `json:"bands"`
	Ticks     []px     `json:"ticks"` // the positions of the ticks
	Arrows    []arrow  `json:"arrows"`
	Pills     []pill   `json:"-"`
	Signs     []sign   `json:"signs"`
	Loop      *loop    `json:"loop"` // nil if there is no cycle
	About     string   `json:"about"`

	Caption  Caption `json:"-"`
	Subtitle []entry `json:"-"`
	Legend   []entry `json:"-"`
	Finding  []entry `json:"-"`

	trace  *Trace
	layout Layout
	rows   *rows
	shown  []int // the processes that have a lifeline
	half   []px  // by process: half the width of its pills
	x      []px  // by process: the position of its lifeline
}

// An entry is a text; in the legend, an example of its class precedes it.
type entry struct {
	X, Y        px
	Class, Text string
}

// NewPlan returns the plan of a run.
func NewPlan(t *Trace, layout Layout) *Plan {
	p := &Plan{trace: t, layout: layout, Caption: t.Caption, About: t.description(), RowHeight: rowHeight}
	p.rows = newRows(t)
	p.Steps = p.rows.steps
	for row := range p.Steps {
		p.Numbers = append(p.Numbers, p.rows.label(row))
	}
	if layout.Compact {
		p.RowHeight = lowRow
	}
	p.shown = p.participants()
	p.columns()
	if !layout.Bare {
		p.caption()
	}
	p.Bottom = p.y(len(p.Steps))
	p.shapes()
	p.placeLabels()
	p.widenForLabels()
	if layout.Bare {
		p.Bottom = p.y(len(p.Steps)-1) + 18
		p.Height = p.Bottom
		return p
	}
	if layout.Compact {
		p.Bottom = p.y(len(p.Steps)-1) + 18
	}
	p.legend(p.Bottom + 24)
	p.Height = p.Bottom + 24 + border
	p.widen(border, t.Caption.Title, 18)
	return p
}

// participants returns the processes that have a lifeline.
func (p *Plan) participants() []int {
	var all []int
	takesPart := make([]bool, p.trace.N)
	for i := range p.trace.Steps {
		if s := &p.trace.Steps[i]; s.Process >= 0 {
			takesPart[s.Process] = true
		}
	}
	for i := range p.trace.Messages {
		if m := &p.trace.Messages[i]; p.trace.showsMessage(m) && (m.Sent > 0 || m.endStep() > 0) {
			l := p.trace.Links[m.Link]
			takesPart[l.From], takesPart[l.To] = true, true
		}
	}
	folded := p.layout.Compact && p.trace.N > manyLanes
	for i, does := range takesPart {
		if p.trace.showsProcess(i) && (does || !folded) {
			all = append(all, i)
		}
	}
	return all
}

// shows reports whether both ends of a message have a lifeline.
func (p *Plan) shows(m *Message) bool {
	l := p.trace.Links[m.Link]
	return p.trace.selects(m) && slices.Contains(p.shown, l.From) && slices.Contains(p.shown, l.To)
}

// seam reports whether a message goes from margin to margin.
func (p *Plan) seam(m *Message) bool {
	return p.trace.Links[m.Link].Seam && len(p.shown) == p.trace.N
}

// caption places the lines below the title and wraps them at the width of the chart.
func (p *Plan) caption() {
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

func (p *Plan) columns() {
	t := p.trace
	p.half, p.x = make([]px, t.N), make([]px, t.N)
	for i := range t.Messages {
		p.Seam = p.Seam || p.shows(&t.Messages[i]) && p.seam(&t.Messages[i])
	}
	if p.layout.Compact {
		p.compactColumns()
		return
	}
	gap, margin := p.gap(), px(0)
	if p.Seam {
		margin = gap - border // wide enough for every message
	}
	p.Left = border + p.numberWidth()
	x := p.Left + margin
	for _, i := range p.shown {
		p.half[i] = p.halfWidth(i)
		p.x[i] = x + p.half[i]
		x += 2*p.half[i] + gap
	}
	p.Right = x - gap + margin
	p.Width = max(p.Width, p.Right+border)
}

// numberWidth returns the width of the numbers of the steps.
func (p *Plan) numberWidth() px {
	w := numbers
	for _, text := range p.Numbers {
		w = max(w, textWidth(text, numberSize)+8)
	}
	return w
}

// NumberAt returns the right end of the numbers of the steps.
func (p *Plan) NumberAt() px { return p.Left - 8 }

// compactColumns places the lifelines as far apart as their messages are long, if there is room, and their names in any
// case.
func (p *Plan) compactColumns() {
	space, label := leastSpace, px(0)
	for i := range p.trace.N {
		space = max(space, headWidth(p.name(i), p.layout)+8)
	}
	for i := range p.trace.Messages {
		label = max(label, textWidth(p.trace.Messages[i].Text, labelSize)+26)
	}
	margin := px(10)
	switch {
	case p.Seam && p.layout.Bare:
		margin = 26
	case p.Seam:
		margin = label // wide enough for every message
	}
	lanes := px(max(1, len(p.shown)))
	space = max(space, min(mostSpace, label, (px(p.layout.Room)-2*margin)/lanes))
	before, after := px(0), px(0) // of the chart
	if !p.layout.Bare {
		before, after = border+p.numberWidth(), border
	}
	p.Width = before + 2*margin + space*max(2, lanes) + after
	p.Left, p.Right = before+6, p.Width-after-6
	for i, process := range p.shown {
		p.x[process] = before + margin + space/2 + px(i)*space
	}
}

// name returns the name of a process above its lifeline.
func (p *Plan) name(process int) string {
	if p.layout.Compact && process >= len(p.trace.Names) {
		return strconv.Itoa(process)
	}
	return p.trace.name(process)
}

// y returns the vertical position of a row.
func (p *Plan) y(row int) px {
	if p.layout.Compact {
		return p.Top + 16 + p.RowHeight*px(row)
	}
	return p.Top + p.RowHeight*(px(row)+0.7)
}

// at returns the vertical position of a step.
func (p *Plan) at(step int) px { return p.y(p.rows.of[step]) }

// end returns the vertical position where the arrow of a message ends: below the last step if it is neither received
// nor lost.
func (p *Plan) end(m *Message) px {
	switch {
	case m.endStep() == 0 && p.layout.Compact:
		return p.y(len(p.Steps)-1) + 12
	case m.endStep() == 0:
		return p.y(len(p.Steps))
	case m.Lost > 0 && p.trace.Steps[m.Lost].Kind == Tick:
		return p.tickAt(m.Lost)
	}
	return p.at(m.endStep())
}

// textWidth estimates the width of a text: monospaced letters take 0.6 of their size, others less on average.
func textWidth(s string, size px) px { return px(utf8.RuneCountInString(s)) * size * 0.61 }

// widen makes the drawing wide enough for a text that begins at x.
func (p *Plan) widen(x px, s string, size px) {
	p.Width = max(p.Width, x+textWidth(s, size)+border)
}

// halfWidth returns half the width of the widest local state of a process.
func (p *Plan) halfWidth(process int) px {
	w := max(leastPill, headWidth(p.trace.name(process), p.layout)-10)
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
func (p *Plan) gap() px {
	w := leastGap
	for i := range p.trace.Messages {
		if m := &p.trace.Messages[i]; p.shows(m) {
			w = max(w, textWidth(m.Text, labelSize)+44)
		}
	}
	return w
}

// widenForLabels makes the drawing wide enough for the texts beside the pills and the labels of messages.
func (p *Plan) widenForLabels() {
	if p.layout.Compact {
		return // signs and labels are on the side that has room
	}
	for _, b := range p.Pills {
		if b.Event != "" {
			p.Width = max(p.Width, b.X+b.Right()+textWidth(b.beside(), 14)+border)
		}
	}
	for _, a := range p.Arrows {
		for _, l := range a.Labels {
			b := l.bounds()
			p.Width = max(p.Width, b.x+b.w+border)
		}
	}
}

// legend places the explanations of the symbols used.
func (p *Plan) legend(y px) {
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
	if slices.ContainsFunc(p.Arrows, func(a arrow) bool { return a.Open }) {
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

func newLanes(r *rows) *lanes {
	t := r.trace
	l := &lanes{make([]int, len(t.Messages)), make(map[side]int)}
	used := make(map[side][]int) // the serial numbers of the messages in transit
	for _, serial := range r.arrows {
		m := t.Message(serial)
		s := t.side(m)
		used[s] = slices.DeleteFunc(used[s], func(o int) bool { return !r.waits(t.Message(o), m.Sent) })
		for _, other := range used[s] {
			l.lane[serial-1] = max(l.lane[serial-1], l.lane[other-1]+1)
		}
		used[s] = append(used[s], serial)
		l.count[s] = max(l.count[s], l.lane[serial-1]+1)
	}
	return l
}

// waits reports whether a message, sent in an earlier row or before in the same one, is still in transit when a step
// happens: also if another step of the same row takes it.
func (r *rows) waits(m *Message, step int) bool {
	row, gone := r.of[step], r.end(m)
	return gone > row || gone == row && m.endStep() != step
}

// side returns the side at which a message arrives. In a ring, a message sent to the right arrives at the left side,
// also across the seam.
func (t *Trace) side(m *Message) side {
	l := t.Links[m.Link]
	if t.Ring && t.showsAll() {
		return side{l.To, l.Direction == "left"}
	}
	return side{l.To, l.From > l.To}
}

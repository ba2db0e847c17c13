package view

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultWidth is the width of a chart, in columns, if Trace.Width is 0.
const defaultWidth = 120

// MSC writes a message sequence chart for terminals: time runs downward, one line a step. The lifeline of a process
// shows its role: dotted if the role is grey, double if amber or green. A message leaves its sender, waits in a lane
// beside its receiver, and then reaches it. Where an arrow to a receiver crosses a lane, it overtakes the message that
// waits there, which is drawn heavy. In a ring, messages between the last process and process 0 leave the chart at one
// margin and enter it at the other.
//
// If the chart is wider than t.Width, the texts of messages move into the notes beside it. If it is then still too
// wide, or if only some of the processes are drawn, the steps are written as text.
//
// An error comes from w.
func (t *Trace) MSC(w io.Writer) error {
	width := cmp.Or(t.Width, defaultWidth)
	c := &chart{columns: newColumns(t, true), out: bufio.NewWriter(w), width: width}
	if c.note+c.noteWidth() > width {
		c.columns = newColumns(t, false)
	}
	c.caption()
	if c.note+leastNote > width || t.excerpt() {
		fmt.Fprintln(c.out)
		t.writeSteps(c.out, 0, width)
	} else {
		c.body()
	}
	c.conclusion()
	return c.out.Flush()
}

// body writes the chart after its caption.
func (c *chart) body() {
	c.head()
	for row := range c.rows.steps {
		c.row(row)
	}
	if loop := c.trace.Loop(); loop > 0 {
		fmt.Fprintf(c.out, "└─ and again from step %d\n", loop)
	}
	c.end()
}

// A chart is a message sequence chart that is being written.
type chart struct {
	*columns
	out   *bufio.Writer
	width int
}

// caption writes the caption and the legend.
func (c *chart) caption() {
	lines := c.trace.captionLines()
	if legend := c.legend(); len(legend) > 0 {
		lines = append(lines, strings.Join(legend, "   "))
	}
	for _, line := range lines {
		fmt.Fprintln(c.out, strings.Join(wrap(line, c.width), "\n"))
	}
}

// head writes the numbers of the processes above their lifelines.
func (c *chart) head() {
	fmt.Fprintln(c.out)
	box := [3]row{c.blank(), c.blank(), c.blank()}
	for p, x := range c.process {
		if x == noColumn {
			continue
		}
		name := strconv.Itoa(p)
		line := strings.Repeat("─", len(name))
		// A number of two digits extends to the right.
		c.write(&box[0], x-1, "╭"+line+"╮")
		c.write(&box[1], x-1, "│"+name+"│")
		c.write(&box[2], x-1, "╰┬"+line[:len(line)-len("─")]+"╯")
	}
	for _, r := range box {
		fmt.Fprintln(c.out, r)
	}
}

// write writes s into a row that grows as needed.
func (c *chart) write(r *row, x int, s string) {
	for len(*r) < x+utf8.RuneCountInString(s) {
		*r = append(*r, cell{})
	}
	r.text(x, s)
}

func (c *chart) blank() row { return make(row, c.edge+1) }

// legend explains the lines that occur in the chart.
func (c *chart) legend() []string {
	var parts []string
	roles, overtaken := c.trace.occurring()
	for _, r := range roles {
		parts = append(parts, string(lifeline(r))+" "+r.Word)
	}
	if overtaken {
		parts = append(parts, "┃ a message that is overtaken")
	}
	return parts
}

func lifeline(r Role) rune {
	switch r.Colour {
	case "grey":
		return '┊'
	case "amber", "green":
		return '║'
	case "red":
		return '┇'
	}
	return '│'
}

// row writes the lines of a row: its arrows, with the first line of its notes, and further notes.
func (c *chart) row(number int) {
	r := c.state(number)
	for _, i := range c.rows.steps[number] {
		c.step(r, i)
	}
	label := c.rows.label(number)
	r.text(c.number-utf8.RuneCountInString(label), label)
	notes := c.rowNotes(number)
	if c.repeats(number) && !c.repeats(number-1) {
		r[0].over = '┌'
		notes = append(notes, "   from here on for ever")
	}
	c.notes(r, number, notes)
}

// repeats reports whether a row has steps of the cycle.
func (c *chart) repeats(row int) bool { return row > 0 && c.trace.Repeats(c.rows.steps[row][0]) }

// step draws a step.
func (c *chart) step(r row, i int) {
	s := &c.trace.Steps[i]
	if (s.Kind == Send || s.Kind == Receive) && c.trace.showsMessage(c.trace.Message(s.Message)) {
		c.arrow(r, s)
	}
	for _, p := range s.actors() {
		if x := c.process[p]; x != noColumn {
			r[x].over = actor(s.Kind)
		}
	}
	c.network(r, s, i)
}

// state returns a row with the lifelines and lanes after a row of the run.
func (c *chart) state(number int) row {
	r := c.blank()
	if c.repeats(number) {
		r[0].over = '│'
	}
	for p, x := range c.process {
		if x == noColumn {
			continue
		}
		r.vertical(x, light)
		r[x].line = lifeline(c.rows.state(number, p).Role)
	}
	for _, serial := range c.rows.arrows {
		if m := c.trace.Message(serial); c.rows.of[m.Sent] <= number && number < c.rows.end(m) {
			r.vertical(c.lane(m), m.weight())
		}
	}
	return r
}

// actor returns the symbol of the process that acts.
func actor(k Kind) rune {
	switch k {
	case Crash:
		return '✕'
	case Recover:
		return '↺'
	case Start, Send, Receive, Event, Internal, Tick:
	}
	return '●'
}

// network draws steps of the network and of time: the sign of a fault where a message is lost or made, a line for a
// tick.
func (c *chart) network(r row, s *Step, number int) {
	if fault := s.Kind.fault(); fault != nil {
		sign, _ := utf8.DecodeRuneInString(fault.Sign)
		for _, serial := range []int{s.Message, s.Before} {
			if serial > 0 && c.trace.showsMessage(c.trace.Message(serial)) {
				r[c.lane(c.trace.Message(serial))].over = sign
			}
		}
		return
	}
	switch s.Kind {
	case Tick:
		for x := c.margin; x <= c.edge; x++ {
			if r[x].arms == (arms{}) {
				r[x].over = '╌'
			}
		}
		for i := range c.trace.Messages {
			if m := &c.trace.Messages[i]; m.Lost == number && c.trace.showsMessage(m) {
				r[c.lane(m)].over = '✕'
			}
		}
	case Start, Send, Receive, Event, Internal, Crash, Recover: // of a process
	}
}

// weight returns the weight of the arrow of a message.
func (m *Message) weight() weight {
	if len(m.OvertakenBy) > 0 {
		return heavy
	}
	return light
}

// arrow draws the arrow of a step that sends or receives.
func (c *chart) arrow(r row, s *Step) {
	m := c.trace.Message(s.Message)
	link := c.trace.Links[m.Link]
	w, lane := m.weight(), c.lane(m)
	if s.Kind == Receive {
		r[lane].arms[up] = w
		r.horizontal(lane, c.process[link.To], w)
		r[c.process[link.To]+c.towards(m, -1)].over = c.tip(m)
		return
	}
	r[lane].arms = arms{down: w}
	from := c.process[link.From]
	if !c.trace.crossesSeam(m) {
		r.horizontal(from, lane, w)
	} else {
		out, in := c.margin, c.edge
		if c.toRight(m) {
			out, in = in, out
		}
		r.horizontal(from, out, w)
		r.horizontal(in, lane, w)
		r[out].over, r[in].over = c.tip(m), c.tip(m)
	}
	switch {
	case m.Lost > 0 && m.Lost == m.Sent:
		r[lane].over = '✕'
	case m.Received == m.Sent: // over a synchronous channel
		r[lane].arms[down] = none
		r.horizontal(lane, c.process[link.To], w)
		r[c.process[link.To]+c.towards(m, -1)].over = c.tip(m)
	}
	r.text(c.labelAt(m), c.label(m))
}

// towards returns d, negated if the message travels to the left.
func (c *chart) towards(m *Message, d int) int {
	if c.toRight(m) {
		return d
	}
	return -d
}

func (c *chart) tip(m *Message) rune {
	if c.toRight(m) {
		return '►'
	}
	return '◄'
}

// end writes the messages that are left in the channels.
func (c *chart) end() {
	var left []string
	r := c.blank()
	for _, serials := range c.trace.Steps[c.trace.Length()].Channels {
		for _, serial := range serials {
			if c.trace.showsMessage(c.trace.Message(serial)) {
				r[c.lane(c.trace.Message(serial))].over = '╎'
				left = append(left, c.trace.of(serial))
			}
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(c.out, "%s\n\n", r)
		for _, line := range wrap("still in transit: "+strings.Join(left, ", "), c.width) {
			fmt.Fprintln(c.out, line)
		}
	}
}

// conclusion writes the finding and its reasons.
func (c *chart) conclusion() {
	if c.trace.Caption.Finding != "" {
		fmt.Fprintln(c.out)
		for _, line := range wrap(c.trace.Caption.Finding, c.width) {
			fmt.Fprintln(c.out, line)
		}
	}
	for _, line := range c.trace.Caption.Why {
		fmt.Fprintln(c.out, line)
	}
}

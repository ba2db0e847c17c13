package view

import (
	"unicode/utf8"
)

// columns is the horizontal layout of a text chart. From left to right: the numbers of the steps; the left margin; for
// each process the lanes of messages from its left, its lifeline, and the lanes of messages from its right; the right
// margin; notes. The text of a message is on its arrow, next to its sender's lanes.
type columns struct {
	trace   *Trace
	rows    *rows
	lanes   *lanes
	labels  bool  // messages are written on their arrows
	number  int   // the end of the numbers of the steps, which follow the bracket around a cycle
	margin  int   // the leftmost column, where messages cross the seam of a ring
	process []int // the lifelines; noColumn for a process without one
	edge    int   // the rightmost column
	note    int
}

const (
	noColumn   = -1
	arrowWidth = 3 // from a lifeline to its first lane
	laneWidth  = 2
	spacing    = 2 // on both sides of the chart
)

func newColumns(t *Trace, labels bool) *columns {
	r := newRows(t)
	c := &columns{trace: t, rows: r, lanes: newLanes(r), labels: labels}
	gaps := c.gaps()
	for row := range r.steps {
		c.number = max(c.number, utf8.RuneCountInString(r.label(row)))
	}
	if t.Loop() > 0 {
		c.number += spacing
	}
	c.margin = c.number + spacing
	x := c.margin + gaps[0]
	for p := range t.N {
		if !t.showsProcess(p) {
			c.process = append(c.process, noColumn)
			x += gaps[p+1] // a message passes by
			continue
		}
		x += c.reach(side{p, false})
		c.process = append(c.process, x)
		x += c.reach(side{p, true}) + gaps[p+1]
		if p < t.N-1 {
			x++
		}
	}
	c.edge = x
	c.note = c.edge + 1 + spacing
	return c
}

// reach returns the distance between the lifeline and the outermost lane of a side.
func (c *columns) reach(s side) int {
	if n := c.lanes.count[s]; n > 0 {
		return arrowWidth + laneWidth*(n-1)
	}
	return 0
}

// gaps returns the numbers of columns between the lanes of neighbours: before process 0, between processes 0 and 1, and
// so on. Each message sent into a gap fits there.
func (c *columns) gaps() []int {
	gaps := make([]int, c.trace.N+1)
	for _, serial := range c.rows.arrows {
		m := c.trace.Message(serial)
		g := c.gap(m)
		gaps[g] = max(gaps[g], utf8.RuneCountInString(c.label(m))+2)
		if c.trace.crossesSeam(m) {
			gaps[g] = max(gaps[g], utf8.RuneCountInString(c.label(m))+3)
			gaps[c.trace.N-g] = max(gaps[c.trace.N-g], 2)
		}
	}
	for p := 1; p < c.trace.N; p++ {
		if c.trace.showsProcess(p) {
			gaps[p] = max(gaps[p], 3)
		}
	}
	return gaps
}

// gap returns the number of the gap into which a message is sent.
func (c *columns) gap(m *Message) int {
	from := c.trace.Links[m.Link].From
	if c.toRight(m) {
		return from + 1
	}
	return from
}

// toRight reports whether a message leaves its sender to the right, and so reaches its receiver from the left.
func (c *columns) toRight(m *Message) bool { return !c.trace.side(m).fromRight }

// label returns the text on the arrow of a message.
func (c *columns) label(m *Message) string {
	if c.labels && m.Sent > 0 {
		return m.Text
	}
	return ""
}

// labelAt returns the column where the label of a message begins.
func (c *columns) labelAt(m *Message) int {
	from := c.trace.Links[m.Link].From
	if c.toRight(m) {
		return c.process[from] + c.reach(side{from, true}) + 2
	}
	return c.process[from] - c.reach(side{from, false}) - 1 - utf8.RuneCountInString(c.label(m))
}

// lane returns the column of the lane of a message.
func (c *columns) lane(m *Message) int {
	s := c.trace.side(m)
	d := arrowWidth + laneWidth*c.lanes.lane[m.Serial-1]
	if s.fromRight {
		return c.process[s.process] + d
	}
	return c.process[s.process] - d
}

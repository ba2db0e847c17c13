package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ringcheck/internal/printable"
)

// The minimum and the maximum preferred width of the notes beside a chart, in columns.
const (
	leastNote = 24
	mostNote  = 48
)

// noteWidth returns the preferred width of the notes, in columns.
func (c *columns) noteWidth() int {
	width := leastNote
	for i := range c.trace.Steps {
		if s := &c.trace.Steps[i]; c.trace.showsStep(s) {
			for _, note := range c.stepNotes(s) {
				width = max(width, utf8.RuneCountInString(note))
			}
		}
	}
	return min(width, mostNote)
}

// notes writes a row with notes beside it. Further lines show the lifelines and lanes after it.
func (c *chart) notes(r row, number int, notes []string) {
	width := max(c.width-c.note, leastNote)
	var lines []string
	for _, n := range notes {
		lines = append(lines, wrap(n, width)...)
	}
	for len(lines) > 0 {
		c.write(&r, c.note, lines[0])
		fmt.Fprintln(c.out, r)
		r, lines = c.state(number), lines[1:]
	}
}

// rowNotes returns the notes on a row. Of the steps of a process that share it, only the last has notes.
func (c *columns) rowNotes(number int) (notes []string) {
	if s := &c.trace.Steps[c.rows.steps[number][0]]; s.Process < 0 {
		return c.stepNotes(s)
	}
	for _, process := range c.rows.actors(number) {
		last, count := c.rows.lastOf(number, process)
		own := c.processNotes(&c.trace.Steps[last], process)
		if count > 1 {
			who, what, _ := strings.Cut(own[0], ": ")
			own[0] = fmt.Sprintf("%s: %s: %s", who, printable.Count(count, "step"), what)
		}
		notes = append(notes, own...)
	}
	return notes
}

// stepNotes returns the notes on a step: what its arrow does not show.
func (c *columns) stepNotes(s *Step) (notes []string) {
	if s.Kind == Start {
		return c.trace.startNotes()
	}
	if s.Process < 0 {
		return []string{s.Text}
	}
	for _, p := range s.actors() {
		if c.trace.showsProcess(p) {
			notes = append(notes, c.processNotes(s, p)...)
		}
	}
	return notes
}

// processNotes returns the notes on what a step does to a process that acts in it.
func (c *columns) processNotes(s *Step, process int) []string {
	note := fmt.Sprintf("%d: ", process)
	if process != s.Process {
		if !c.onArrow(s.Message) {
			note += "recv " + c.elsewhere(s.Message, " from ", c.trace.from(s.Message)) + " → "
		}
		return []string{note + s.Processes[process].String()}
	}
	switch {
	case s.Kind == Crash || s.Kind == Recover:
		note += choose(s.Kind == Crash, "crashes", "recovers") + " → "
	case s.Kind == Event:
		note += s.Action + " → "
	case s.Kind == Send && !c.onArrow(s.Message):
		note += "send " + c.elsewhere(s.Message, " to ", c.trace.to(s.Message)) + " → "
	case s.Kind == Receive && !c.onArrow(s.Message):
		note += "recv " + c.elsewhere(s.Message, " from ", c.trace.from(s.Message)) + " → "
	}
	notes := []string{note + s.Processes[s.Process].String() + choose(s.Unlogged, Unlogged, "")}
	if shared := s.sharedNote(); shared != "" && s.Kind != Internal {
		notes = append(notes, "   "+shared)
	}
	if s.Kind == Receive {
		for _, o := range c.trace.Message(s.Message).Overtakes {
			notes = append(notes, "   overtakes "+c.trace.of(o))
		}
	}
	return notes
}

// onArrow reports whether the text of a message is on its arrow.
func (c *columns) onArrow(serial int) bool {
	return c.labels && c.trace.showsMessage(c.trace.Message(serial))
}

// elsewhere returns the text of a message, with its other end unless an arrow shows it.
func (c *columns) elsewhere(serial int, way string, process int) string {
	m := c.trace.Message(serial)
	return m.Text + choose(c.trace.showsMessage(m), "", way+strconv.Itoa(c.trace.Number(process)))
}

// from and to return the sender and the receiver of a message.
func (t *Trace) from(serial int) int { return t.Links[t.Message(serial).Link].From }
func (t *Trace) to(serial int) int   { return t.Links[t.Message(serial).Link].To }

// sharedNote describes what a step makes of the shared variables, "" if it changes none.
func (s *Step) sharedNote() string {
	var parts []string
	for _, c := range s.Changes {
		if c.Process < 0 {
			parts = append(parts, fmt.Sprintf("%s=%s", c.Var, c.To))
		}
	}
	if parts == nil {
		return ""
	}
	return "shared " + strings.Join(parts, ", ")
}

// startNotes describes the initial state.
func (t *Trace) startNotes() []string {
	var notes []string
	processes := t.Steps[0].Processes
	same := t.showsAll()
	for p, s := range processes {
		same = same && s.String() == processes[0].String()
		if t.showsProcess(p) {
			notes = append(notes, fmt.Sprintf("%d: %s", p, s))
		}
	}
	if same {
		notes = []string{"all: " + processes[0].String()}
	}
	if shared := t.Steps[0].Shared; len(shared) > 0 {
		notes = append(notes, "shared "+assignments(shared))
	}
	return notes
}

// wrap breaks s at spaces into lines of at most width characters, where possible. All but the first are indented.
func wrap(s string, width int) []string {
	const indent = "   "
	var lines []string
	for utf8.RuneCountInString(s) > width {
		head := string([]rune(s)[:width+1])
		i := strings.LastIndexByte(head, ' ')
		if i <= len(indent) {
			break
		}
		lines = append(lines, s[:i])
		s = indent + s[i+1:]
	}
	return append(lines, s)
}

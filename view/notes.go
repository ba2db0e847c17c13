package view

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
		for _, note := range c.stepNotes(&c.trace.Steps[i]) {
			width = max(width, utf8.RuneCountInString(note))
		}
	}
	return min(width, mostNote)
}

// notes writes a row with notes beside it. Further lines show the lifelines and lanes after step i.
func (c *chart) notes(r row, i int, notes []string) {
	width := max(c.width-c.note, leastNote)
	var lines []string
	for _, n := range notes {
		lines = append(lines, wrap(n, width)...)
	}
	for len(lines) > 0 {
		c.write(&r, c.note, lines[0])
		fmt.Fprintln(c.out, r)
		r, lines = c.state(i), lines[1:]
	}
}

// stepNotes returns the notes on a step: what its arrow does not show.
func (c *columns) stepNotes(s *Step) []string {
	if s.Kind == Start {
		return startNotes(s.Processes)
	}
	if s.Process < 0 {
		return []string{s.Text}
	}
	note := fmt.Sprintf("%d: ", s.Process)
	switch {
	case s.Kind == Crash || s.Kind == Recover:
		note += choose(s.Kind == Crash, "crashes", "recovers") + " → "
	case s.Kind == Event:
		note += s.Action + " → "
	case s.Kind == Send && !c.labels:
		note += "send " + c.trace.Message(s.Message).Text + " → "
	case s.Kind == Receive && !c.labels:
		note += "recv " + c.trace.Message(s.Message).Text + " → "
	}
	notes := []string{note + s.Processes[s.Process].String() + choose(s.Unlogged, Unlogged, "")}
	if s.Kind == Receive {
		for _, o := range c.trace.Message(s.Message).Overtakes {
			notes = append(notes, "   overtakes "+c.trace.of(o))
		}
	}
	return notes
}

// startNotes describes the initial state.
func startNotes(processes []Process) []string {
	var notes []string
	same := true
	for p, s := range processes {
		same = same && s.String() == processes[0].String()
		notes = append(notes, fmt.Sprintf("%d: %s", p, s))
	}
	if same {
		return []string{"all: " + processes[0].String()}
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

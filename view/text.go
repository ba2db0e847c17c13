package view

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// Text writes the run for reading: what happens in each step, the local states that it changes, and the processes and
// messages in one line. The error is that of w.
func (t *Trace) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n%s\n", t.Caption.Heading(), t.Caption.Finding)
	if len(t.Steps) > 0 {
		fmt.Fprintln(out)
		t.writeSteps(out, 0, math.MaxInt)
	}
	if len(t.Caption.Why) > 0 {
		fmt.Fprintf(out, "\n%s\n", strings.Join(t.Caption.Why, "\n"))
	}
	return out.Flush()
}

// TextSteps writes the steps as Text does, without those before step from.
func (t *Trace) TextSteps(w io.Writer, from int) error {
	out := bufio.NewWriter(w)
	t.writeSteps(out, from, math.MaxInt)
	return out.Flush()
}

func (t *Trace) writeSteps(out *bufio.Writer, from, width int) {
	line := func(format string, args ...any) {
		fmt.Fprintln(out, strings.Join(wrap(fmt.Sprintf(format, args...), width), "\n"))
	}
	for i := from; i < len(t.Steps); i++ {
		s := &t.Steps[i]
		if i == t.Loop() && i > 0 {
			fmt.Fprint(out, "\nfrom here on for ever:\n\n")
		}
		line("%4d  %s", i, s.Text)
		for p, after := range s.Processes {
			switch who := t.who(p); {
			case i == 0 && t.slots():
				line("      %s%s", who, after)
			case i > 0 && t.Steps[i-1].Processes[p].String() != after.String():
				line("      %s%s → %s", who, t.Steps[i-1].Processes[p], after)
			}
		}
		if width == math.MaxInt && !t.excerpt() && !t.values {
			line("      %s", t.stateLine(s))
		}
	}
}

// excerpt reports whether only some of the processes are drawn.
func (t *Trace) excerpt() bool { return t.Numbers != nil }

// slots reports whether the processes are the slots of a system of which nothing else is known.
func (t *Trace) slots() bool { return t.values && t.Names != nil }

// who begins a line about a process, if there are several.
func (t *Trace) who(p int) string {
	switch {
	case t.slots():
		return t.Names[p] + ": "
	case t.N > 1:
		return fmt.Sprintf("%d: ", t.Number(p))
	}
	return ""
}

// stateLine draws a state: the processes with their registers in their order, and between two neighbours the messages
// under way, with an arrow in the direction in which they travel, and equal ones behind each other once, with their
// number. What is behind the last process is on its way to or from the first one. In a complete graph the messages
// follow the processes, with their sender and receiver.
func (t *Trace) stateLine(s *Step) string {
	parts := make([]string, t.N)
	for i, p := range s.Processes {
		parts[i] = fmt.Sprintf("%d:%s", i, p.Shared())
	}
	for l, serials := range s.Channels {
		link := &t.Links[l]
		for i := 0; i < len(serials); {
			text, from := t.Message(serials[i]).Text, i
			for i < len(serials) && t.Message(serials[i]).Text == text {
				i++
			}
			if i-from > 1 {
				text = fmt.Sprintf("%s ×%d", text, i-from)
			}
			switch link.Direction {
			case "right":
				parts[link.From] += " →" + text
			case "left":
				parts[link.To] += " ←" + text
			default:
				parts[t.N-1] += fmt.Sprintf(" %d→%d %s", link.From, link.To, text)
			}
		}
	}
	return strings.Join(parts, "  ")
}

package view

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// Text writes each step of the run, the local states that it changes, and a line with all processes and messages. An
// error comes from w.
func (t *Trace) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n%s\n", t.Caption.Heading(), t.Caption.Finding)
	if s := t.omissions(); s != "" {
		fmt.Fprintf(out, "%s\n", s)
	}
	if len(t.Steps) > 0 {
		fmt.Fprintln(out)
		t.writeSteps(out, 0, math.MaxInt)
	}
	if len(t.Caption.Why) > 0 {
		fmt.Fprintf(out, "\n%s\n", strings.Join(t.Caption.Why, "\n"))
	}
	return out.Flush()
}

// TextSteps writes the steps from step from on, as Text does.
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
		if !t.showsStep(s) {
			continue
		}
		line("%4d  %s", i, s.Text)
		for p, after := range s.Processes {
			switch who := t.who(p); {
			case !t.showsProcess(p):
			case i == 0 && t.slots():
				line("      %s%s", who, after)
			case i > 0 && t.Steps[i-1].Processes[p].String() != after.String():
				line("      %s%s → %s", who, t.Steps[i-1].Processes[p], after)
			}
		}
		for _, c := range sharedChanges(t.before(i), s.Shared) {
			line("      shared: %s=%s → %[1]s=%[3]s", c.Var, c.From, c.To)
		}
		if width == math.MaxInt && !t.excerpt() && !t.values {
			line("      %s", t.stateLine(s))
		}
	}
}

// before returns the shared variables before step i, none before the initial state.
func (t *Trace) before(i int) []Var {
	if i == 0 {
		return t.Steps[0].Shared
	}
	return t.Steps[i-1].Shared
}

// excerpt reports whether the trace has only some of the processes.
func (t *Trace) excerpt() bool { return t.Numbers != nil }

// slots reports whether the processes of the trace are the slots of a model.System.
func (t *Trace) slots() bool { return t.values && t.Names != nil }

// who returns the beginning of a line about a process, "" if there is only one.
func (t *Trace) who(p int) string {
	switch {
	case t.slots():
		return t.Names[p] + ": "
	case t.N > 1:
		return fmt.Sprintf("%d: ", t.Number(p))
	}
	return ""
}

// stateLine draws a state: the processes in order, with their registers, and between two neighbours the messages in
// transit, with an arrow in their direction. Consecutive equal messages are written once, with their number. Messages
// after the last process are in transit to or from the first one. In a complete graph the messages follow all
// processes, with their sender and receiver.
func (t *Trace) stateLine(s *Step) string {
	parts := make([]string, t.N)
	for i, p := range s.Processes {
		parts[i] = fmt.Sprintf("%d:%s", i, p.Visible())
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
	if len(s.Shared) > 0 {
		parts = append(parts, "shared "+assignments(s.Shared))
	}
	return strings.Join(parts, "  ")
}

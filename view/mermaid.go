package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Mermaid writes a sequence diagram in the language of Mermaid (https://mermaid.js.org). Its arrows are horizontal: an
// arrow represents the sending of a message, and a note beside the receiver its receipt, with the messages that it
// overtakes. Further notes show the initial states of processes, changes of their roles, and their other actions. The
// error is that of w.
func (t *Trace) Mermaid(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "sequenceDiagram")
	fmt.Fprintf(b, "    accTitle: %s\n", mermaidText(t.Caption.Title))
	for p := range t.N {
		fmt.Fprintf(b, "    participant p%d as %s\n", p, mermaidText(t.name(p)))
	}
	t.mermaidNote(b, strings.Join(t.captionLines(), "\n"))
	for i := range t.Steps {
		if i > 0 && i == t.Loop() {
			fmt.Fprintln(b, "    loop for ever")
		}
		t.mermaidStep(b, i)
	}
	if t.Loop() > 0 {
		fmt.Fprintln(b, "    end")
	}
	if t.Caption.Finding != "" {
		t.mermaidNote(b, strings.Join(append([]string{t.Caption.Finding}, t.Caption.Why...), "\n"))
	}
	return b.Flush()
}

// mermaidNote writes a note over all processes.
func (t *Trace) mermaidNote(w io.Writer, text string) {
	over := "p0"
	if t.N > 1 {
		over = fmt.Sprintf("p0,p%d", t.N-1)
	}
	fmt.Fprintf(w, "    Note over %s: %s\n", over, mermaidText(text))
}

func (t *Trace) mermaidStep(w io.Writer, i int) {
	s := &t.Steps[i]
	if s.Kind == Start {
		t.mermaidNote(w, strings.Join(startNotes(s.Processes), "\n"))
		return
	}
	var note []string
	switch s.Kind {
	case Send:
		t.mermaidArrow(w, s, ")", "")
	case Receive:
		note = t.received(t.Message(s.Message))
	case Loss:
		t.mermaidArrow(w, s, "x", " is lost")
		return
	case Duplicate:
		t.mermaidArrow(w, s, ")", " is a duplicate")
		return
	case Event:
		note = []string{s.Action}
	case Crash, Recover:
		note = []string{s.Text}
	case Internal:
		note = []string{strings.TrimPrefix(s.Text, t.name(s.Process)+" ")}
	case Start, Tick: // they are noted over all processes
	}
	if s.Process < 0 {
		t.mermaidNote(w, s.Text)
		return
	}
	before, after := t.Steps[i-1].Processes[s.Process], s.Processes[s.Process]
	if before.Role != after.Role {
		note = append(note, "now "+after.String()+choose(after.Role.Word == "", "", ", "+after.Role.Word))
	}
	if s.Unlogged && s.Kind != Crash && s.Kind != Recover && s.Kind != Internal {
		note = append(note, strings.TrimSpace(Unlogged))
	}
	if len(note) > 0 {
		fmt.Fprintf(w, "    Note over p%d: %s\n", s.Process, mermaidText(strings.Join(note, "\n")))
	}
}

// mermaidArrow writes the arrow of the message of a step.
func (t *Trace) mermaidArrow(w io.Writer, s *Step, head, fate string) {
	m := t.Message(s.Message)
	fmt.Fprintf(w, "    p%d-%sp%d: %s\n", t.Links[m.Link].From, head, t.Links[m.Link].To,
		mermaidText(t.numbered(m)+fate))
}

// numbered returns the text of a message with its serial number.
func (t *Trace) numbered(m *Message) string { return fmt.Sprintf("#%d %s", m.Serial, m.Text) }

// received names the received message and those that it overtakes, a line each.
func (t *Trace) received(m *Message) []string {
	lines := []string{"receives " + t.numbered(m)}
	for _, o := range m.Overtakes {
		lines = append(lines, "overtaking "+t.numbered(t.Message(o)))
	}
	return lines
}

// mermaidText escapes everything that has a meaning in Mermaid or HTML. It separates lines by <br/>.
func mermaidText(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\n':
			b.WriteString("<br/>")
		case c < ' ' || strings.ContainsRune("#;%<>&\"'`\\", c):
			fmt.Fprintf(&b, "#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

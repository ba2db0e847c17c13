package view

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"ringcheck/model/language/ir"
)

// A sequenceLanguage is a language for sequence diagrams. Arrows are horizontal: an arrow represents the sending of a
// message, and a note beside the receiver its receipt, with the messages that it overtakes. Further notes show the
// initial states of processes, changes of their roles, and their other actions.
type sequenceLanguage struct {
	begin, end         string // the first and the last lines
	title              string // of the diagram, a format
	participant        string // a format: number and name
	over               string // separates the first and the last process under a note
	note               string // a format: where, text
	arrow              string // a format: sender, head, receiver, text
	sentHead, lostHead string // the heads of arrows
	escape             func(text string) string
}

// A sequenceWriter writes a trace in a language.
type sequenceWriter struct {
	*Trace
	*sequenceLanguage
	out io.Writer
}

// sequence writes a trace in a language. An error comes from w.
func (t *Trace) sequence(w io.Writer, l *sequenceLanguage) error {
	b := bufio.NewWriter(w)
	s := &sequenceWriter{t, l, b}
	fmt.Fprint(b, l.begin)
	fmt.Fprintf(b, l.title, l.escape(t.Caption.Title))
	for _, p := range s.lifelines() {
		fmt.Fprintf(b, l.participant, p, l.escape(t.name(p)))
	}
	s.noteAll(strings.Join(t.captionLines(), "\n"))
	for i := range t.Steps {
		if i > 0 && i == t.Loop() {
			fmt.Fprintln(b, "    loop for ever")
		}
		if t.showsStep(&t.Steps[i]) {
			s.step(i)
		}
	}
	if t.Loop() > 0 {
		fmt.Fprintln(b, "    end")
	}
	if t.Caption.Finding != "" {
		s.noteAll(strings.Join(append([]string{t.Caption.Finding}, t.Caption.Why...), "\n"))
	}
	fmt.Fprint(b, l.end)
	return b.Flush()
}

// lifelines returns the processes that the diagram shows.
func (t *Trace) lifelines() (processes []int) {
	for p := range t.N {
		if t.showsProcess(p) {
			processes = append(processes, p)
		}
	}
	return processes
}

// noteAll writes a note over all processes.
func (s *sequenceWriter) noteAll(text string) {
	shown := s.lifelines()
	over := fmt.Sprintf("p%d", shown[0])
	if n := len(shown); n > 1 {
		over += fmt.Sprintf("%sp%d", s.over, shown[n-1])
	}
	fmt.Fprintf(s.out, s.note, over, s.escape(text))
}

// step writes a step: an arrow, a note, or both.
func (s *sequenceWriter) step(i int) {
	step := &s.Steps[i]
	if step.Kind == Start {
		s.noteAll(strings.Join(s.startNotes(), "\n"))
		return
	}
	if fault := step.Kind.fault(); fault != nil {
		s.fault(step, fault)
		return
	}
	var note []string
	switch step.Kind {
	case Send:
		s.message(step.Message, s.sentHead, "")
		if !s.showsMessage(s.Message(step.Message)) {
			note = []string{strings.TrimPrefix(step.Text, s.name(step.Process)+" ")}
		}
	case Receive:
		note = s.receiptNote(s.Message(step.Message))
	case Event:
		note = []string{step.Action}
	case Crash, Recover:
		note = []string{step.Text}
	case Internal:
		note = []string{strings.TrimPrefix(step.Text, s.name(step.Process)+" ")}
	case Start, Tick: // they are noted over all processes
	}
	if step.Process < 0 {
		s.noteAll(step.Text)
		return
	}
	if step.receiver > 0 && s.showsProcess(step.receiver-1) {
		var receipt []string
		if !s.showsProcess(step.Process) {
			receipt = s.receiptNote(s.Message(step.Message))
		}
		s.noteAt(step.receiver-1, append(receipt, s.newRole(i, step.receiver-1)...))
	}
	if !s.showsProcess(step.Process) {
		return
	}
	note = append(note, s.newRole(i, step.Process)...)
	if shared := step.sharedNote(); shared != "" && step.Kind != Internal {
		note = append(note, shared)
	}
	if step.Unlogged && step.Kind != Crash && step.Kind != Recover && step.Kind != Internal {
		note = append(note, strings.TrimSpace(Unlogged))
	}
	s.noteAt(step.Process, note)
}

// newRole returns a line about the role that a step gives a process, nothing if it has had it before.
func (s *sequenceWriter) newRole(i, process int) []string {
	before, after := s.Steps[i-1].Processes[process], s.Steps[i].Processes[process]
	if before.Role == after.Role {
		return nil
	}
	return []string{"now " + after.String() + choose(after.Role.Word == "", "", ", "+after.Role.Word)}
}

// noteAt writes the lines of a note beside a process, if there are any.
func (s *sequenceWriter) noteAt(process int, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(s.out, s.note, fmt.Sprintf("p%d", process), s.escape(strings.Join(lines, "\n")))
	}
}

// fault writes the arrows of what a fault took out of a channel and made.
func (s *sequenceWriter) fault(step *Step, fault *ir.FaultInfo) {
	m := s.Message(step.Message)
	if lost := cmp.Or(step.Before, step.Message); m.Fault == "" || step.Before > 0 {
		s.message(lost, s.lostHead, " is "+fault.Participle)
	}
	if m.Fault != "" {
		s.message(step.Message, s.sentHead, " is a "+fault.Noun)
	}
}

// message writes the arrow of a message.
func (s *sequenceWriter) message(serial int, head, fate string) {
	m := s.Message(serial)
	link := s.Links[m.Link]
	if !s.showsMessage(m) {
		return
	}
	fmt.Fprintf(s.out, s.arrow, link.From, head, link.To, s.escape(s.messageText(m)+fate))
}

// messageText returns the text of a message with its serial number.
func (t *Trace) messageText(m *Message) string { return fmt.Sprintf("#%d %s", m.Serial, m.Text) }

// receiptNote names the received message and the messages that it overtakes, a line each.
func (t *Trace) receiptNote(m *Message) []string {
	lines := []string{"receives " + t.messageText(m)}
	for _, o := range m.Overtakes {
		lines = append(lines, "overtaking "+t.messageText(t.Message(o)))
	}
	return lines
}

package view

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/model"
)

// A Selection says what pictures of a run show of it, and which of its steps share a row. Its zero value shows every
// step, in a row of its own.
type Selection struct {
	// Fold shows consecutive internal steps and events of a process in one row, with the last state. Of the events of a
	// row only the last is shown, so a row ends with an event.
	Fold bool `json:"fold,omitempty"`
	// Share shows steps in the first row after all steps that they depend on.
	Share bool `json:"share,omitempty"`
	// Processes are the only ones to be shown, with their steps; nil for all.
	Processes []int `json:"processes,omitempty"`
	// Messages are the names of the only messages to be shown, with the steps that send, receive or lose them; nil for
	// all. Other steps are shown.
	Messages []string `json:"messages,omitempty"`
	// Received leaves out the messages that are never received, with the steps that send or lose them.
	Received bool `json:"received,omitempty"`
	// HideStates shows signs of the actions in place of the local states, in low rows.
	HideStates bool `json:"hideStates,omitempty"`
}

// Whole reports whether every step has a row of its own, with local states.
func (s *Selection) Whole() bool {
	return !s.Fold && !s.Share && len(s.Processes) == 0 && len(s.Messages) == 0 && !s.Received && !s.HideStates
}

// layout returns the layout of drawings with a caption.
func (s *Selection) layout() Layout {
	const room = 2000 // every message has room on its arrow
	return Layout{Compact: s.HideStates, Room: room}
}

// Check returns a *model.RequestError if the run does not have what is to be shown.
func (s *Selection) Check(t *Trace) error {
	for _, p := range s.Processes {
		if t.index(p) < 0 {
			return model.Refuse("only-process", fmt.Sprint(p), "the run has no process with this number")
		}
	}
	for _, name := range s.Messages {
		if !slices.ContainsFunc(t.Messages, func(m Message) bool { return m.name() == name }) {
			return model.Refuse("only-message", name, "the run has no message with this name")
		}
	}
	return nil
}

// index returns the index of the process with a number in the protocol, -1 if the trace does not have it.
func (t *Trace) index(number int) int {
	for p := range t.N {
		if t.Number(p) == number {
			return p
		}
	}
	return -1
}

// name returns the name of a message, without its values.
func (m *Message) name() string {
	name, _, _ := strings.Cut(m.Text, "(")
	return name
}

// showsProcess reports whether a process of the trace has a lifeline. The environment has none, but is shown.
func (t *Trace) showsProcess(p int) bool {
	return p < 0 || len(t.Selection.Processes) == 0 || slices.Contains(t.Selection.Processes, t.Number(p))
}

// showsAll reports whether every process has a lifeline.
func (t *Trace) showsAll() bool {
	for p := range t.N {
		if !t.showsProcess(p) {
			return false
		}
	}
	return true
}

// crossesSeam reports whether the arrow of a message goes from margin to margin.
func (t *Trace) crossesSeam(m *Message) bool { return t.Links[m.Link].Seam && t.showsAll() }

// selects reports whether the filters of messages keep a message.
func (t *Trace) selects(m *Message) bool {
	s := &t.Selection
	return (len(s.Messages) == 0 || slices.Contains(s.Messages, m.name())) && (!s.Received || m.Received > 0)
}

// showsMessage reports whether a message has an arrow: the filters keep it, and both of its ends have a lifeline.
func (t *Trace) showsMessage(m *Message) bool {
	l := t.Links[m.Link]
	return t.selects(m) && t.showsProcess(l.From) && t.showsProcess(l.To)
}

// showsStep reports whether a step has a row.
func (t *Trace) showsStep(s *Step) bool {
	if s.Message == 0 || s.Kind == Start {
		return t.showsProcess(s.Process)
	}
	m := t.Message(s.Message)
	if s.Process >= 0 {
		return slices.ContainsFunc(s.actors(), t.showsProcess) && t.selects(m)
	}
	return t.showsMessage(m) || s.Before > 0 && t.showsMessage(t.Message(s.Before))
}

// omissions says in a line what the pictures leave out; "" if they show every step.
func (t *Trace) omissions() string {
	hidden := 0
	for i := range t.Steps {
		if !t.showsStep(&t.Steps[i]) {
			hidden++
		}
	}
	if hidden == 0 {
		return ""
	}
	var only []string
	if s := &t.Selection; len(s.Processes) > 0 {
		only = append(only, printable.Noun(len(s.Processes), "process")+" "+joined(s.Processes))
	}
	if s := &t.Selection; len(s.Messages) > 0 {
		only = append(only, printable.Noun(len(s.Messages), "message")+" "+joined(s.Messages))
	}
	if t.Selection.Received {
		only = append(only, "what is received")
	}
	return fmt.Sprintf("shows %d of %s: only %s", t.Length()-hidden, printable.Count(t.Length(), "step"),
		strings.Join(only, "; "))
}

func joined[T any](list []T) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = fmt.Sprint(e)
	}
	return strings.Join(texts, ", ")
}

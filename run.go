package ringcheck

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/view"
)

// A Run leads from an initial state to one that breaks a property, or in which the model does something wrong.
type Run struct {
	Property string // that it breaks; "" if it is about a fault
	Finding  string // what it shows, in a sentence
	Lasso    *Lasso // nil but for a run that breaks an LTL property

	Width int // of charts for terminals, in columns; 0 means 120

	sys   *System
	shown model.System    // whose run it is
	full  *compile.System // the same, if it can be drawn; nil if it cannot
	moves []model.Move
	why   []string // what makes the property false in the last state

	// Of a run that is too large to be drawn in full: a part of it, and how many steps it has.
	part  *view.Trace
	steps int
}

// Length returns the number of steps, 0 if there is no run: a property that some state should satisfy is broken by all
// runs together.
func (r *Run) Length() int { return max(r.steps, len(r.moves)-1, 0) }

// Shown returns the number of steps that pictures of the run have: of a large one, those that matter most.
func (r *Run) Shown() int {
	if r.part != nil {
		return r.part.Length()
	}
	return r.Length()
}

// Moves returns the steps with the states that they lead to; the first is the initial state. They are those of
// the model.System that the second result is; of a run of a large system, see Simulate, there are none.
func (r *Run) Moves() ([]model.Move, model.System) { return r.moves, r.shown }

// textFormat is the format for people at a terminal.
const textFormat = "text"

// Write writes the run in one of the formats of Choices.
func (r *Run) Write(w io.Writer, format string) error {
	if format == textFormat {
		return r.WriteText(w, false)
	}
	f, err := view.Lookup(format)
	if err != nil {
		return &RequestError{"format", format, err}
	}
	trace, err := r.trace()
	if err != nil {
		return err
	}
	trace.Width = r.Width
	return f.Write(trace, w)
}

// trace makes the run ready to be drawn.
func (r *Run) trace() (*view.Trace, error) {
	trace := r.part
	switch {
	case trace != nil:
	case r.full == nil:
		return r.valueTrace()
	default:
		var err error
		if trace, err = view.New(r.full, r.moves); err != nil {
			return nil, err
		}
	}
	trace.Caption.Property, trace.Caption.Finding, trace.Caption.Why = r.Property, r.Finding, r.why
	trace.Lasso = r.Lasso
	return trace, nil
}

// WriteText writes for people what happens in each step, what it changes, and the processes and messages in one line,
// or, if states is set, whole states.
func (r *Run) WriteText(w io.Writer, states bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s\n", r.sys.Title(), r.Finding)
	if r.Length() > 0 || len(r.moves) > 0 {
		fmt.Fprintln(&b)
		if err := r.WriteSteps(&b, 0, states); err != nil {
			return err
		}
	}
	if len(r.why) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(r.why, "\n"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteSteps writes the steps as WriteText does, those before number from left out. A run of Go values is written in full.
func (r *Run) WriteSteps(w io.Writer, from int, states bool) error {
	trace, err := r.trace()
	if err != nil || states && r.full == nil {
		newPrinter(r.shown).run(w, r.moves)
		return nil
	}
	for i := from; i < len(trace.Steps); i++ {
		s := &trace.Steps[i]
		if r.Lasso != nil && r.Lasso.Cycle > 0 && i == r.Lasso.Stem+1 {
			fmt.Fprint(w, "\nfrom here on for ever:\n\n")
		}
		fmt.Fprintf(w, "%4d  %s\n", i, s.Text)
		if states {
			shown := newPrinter(r.shown)
			writeContents(w, shown.width, shown.contents(r.moves[i].State, nil))
			continue
		}
		for process := range s.Processes {
			if i == 0 || trace.Steps[i-1].Processes[process].String() == s.Processes[process].String() {
				continue
			}
			fmt.Fprint(w, "      ")
			if trace.N > 1 {
				fmt.Fprintf(w, "%d: ", trace.Number(process))
			}
			fmt.Fprintf(w, "%s → %s\n", trace.Steps[i-1].Processes[process], s.Processes[process])
		}
		if r.full != nil {
			fmt.Fprintf(w, "      %s\n", ringLine(trace, s))
		}
	}
	return nil
}

// ringLine draws a state: the processes with their registers in their order, and between two neighbours the messages
// under way, with an arrow in the direction in which they travel, and equal ones behind each other once, with their
// number. What is behind the last process is on its way to or from the first one. In a complete graph the messages
// follow the processes, with their sender and receiver.
func ringLine(t *view.Trace, s *view.Step) string {
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

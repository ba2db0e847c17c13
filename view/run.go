package view

import (
	"io"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A Run leads from an initial state to a state that violates a property, or in which the model has an error.
type Run struct {
	Name  string // of the system
	Title string // the name with n and the constants

	Property string       // that it violates; "" if it shows a model error
	Finding  string       // what it shows, in a sentence
	Why      []string     // what makes the property false in the last state, line by line
	Lasso    *model.Lasso // nil unless the run violates an LTL property
	Unlogged []bool       // by step: it is not in the log that the run explains; nil if there is no log

	// Moves are the steps with the states that they lead to, the first being the initial state. They are nil if all
	// runs together violate the property, and for runs of large systems, of which Excerpt is drawn instead.
	Moves  []model.Move
	System model.System // takes Moves
	// Excerpt is drawn of a run that is too large to draw in full, which has Steps steps.
	Excerpt *Trace
	Steps   int

	Width     int       // of charts for terminals, in columns; 0 means 120
	Selection Selection // what the pictures show
}

// Length returns the number of steps. It is 0 if there is no run: no single run violates a reachable property.
func (r *Run) Length() int { return max(r.Steps, len(r.Moves)-1, 0) }

// DrawnSteps returns the number of steps that are drawn: of a large run, only the most relevant ones.
func (r *Run) DrawnSteps() int {
	if r.Excerpt != nil {
		return r.Excerpt.Length()
	}
	return r.Length()
}

// textFormat is the format for terminals.
const textFormat = "text"

// Write writes the run in a format of Formats. It writes text if there is no run. The error is a *model.RequestError or
// comes from w.
func (r *Run) Write(w io.Writer, format string) error {
	if r.Length() == 0 && r.Moves == nil {
		format = textFormat
	}
	f, err := Lookup(format)
	if err != nil {
		return &model.RequestError{Option: "format", Value: format, Err: err}
	}
	trace, err := r.trace(format)
	if err != nil {
		return err
	}
	return f.Write(trace, w)
}

// WriteSteps writes the steps from step from on as text.
func (r *Run) WriteSteps(w io.Writer, from int) error {
	trace, err := r.trace(textFormat)
	if err != nil {
		return err
	}
	return trace.TextSteps(w, from)
}

// trace returns the run for drawing in a format.
func (r *Run) trace(format string) (trace *Trace, err error) {
	full, drawable := r.System.(*compile.System)
	values, ofValues := r.System.(valueSystem)
	switch {
	case r.Excerpt != nil:
		trace = r.Excerpt
	case len(r.Moves) == 0:
		trace = &Trace{Caption: Caption{Title: r.Title}}
	case drawable:
		trace, err = New(full, r.Moves)
	case ofValues:
		trace = Values(r.Name, r.valueSteps(values))
	case format != textFormat:
		err = model.Refuse("format", "", "this run can be shown as text only")
	default:
		trace = Slots(r.Title, r.System, r.Moves)
	}
	if err != nil {
		return nil, err
	}
	trace.Caption.Property, trace.Caption.Finding, trace.Caption.Why = r.Property, r.Finding, r.Why
	trace.Lasso, trace.Width, trace.Selection = r.Lasso, r.Width, r.Selection
	if err := trace.Selection.Check(trace); err != nil {
		return nil, err
	}
	for i, unlogged := range r.Unlogged {
		if unlogged {
			trace.Steps[i].MarkUnlogged()
		}
	}
	return trace, nil
}

// valueSystem is a system of Go values, see model.Of.
type valueSystem interface {
	Value(v model.Value) any
	Action(l model.Label) model.Action
}

// valueSteps returns the steps of a run of Go values.
func (r *Run) valueSteps(sys valueSystem) []ValueStep {
	var steps []ValueStep
	for i, m := range r.Moves {
		step := ValueStep{State: sys.Value(m.State[0])}
		if i > 0 {
			a := sys.Action(m.Step.Label)
			step.Process, step.Action = a.Process, a.Name
		}
		steps = append(steps, step)
	}
	return steps
}

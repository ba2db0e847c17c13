package ringcheck

import (
	"io"

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

// Write writes the run in one of the formats of Choices. If all runs together break the property, there is only text.
func (r *Run) Write(w io.Writer, format string) error {
	if r.Length() == 0 && r.moves == nil {
		format = textFormat
	}
	f, err := view.Lookup(format)
	if err != nil {
		return &RequestError{"format", format, err}
	}
	trace, err := r.trace(format)
	if err != nil {
		return err
	}
	return f.Write(trace, w)
}

// WriteSteps writes the steps as text, without those before step from.
func (r *Run) WriteSteps(w io.Writer, from int) error {
	trace, err := r.trace(textFormat)
	if err != nil {
		return err
	}
	return trace.TextSteps(w, from)
}

// trace makes the run ready to be drawn.
func (r *Run) trace(format string) (trace *view.Trace, err error) {
	values, ofValues := r.shown.(interface {
		Value(v model.Value) any
		Action(l model.Label) model.Action
	})
	switch {
	case r.part != nil:
		trace = r.part
	case len(r.moves) == 0:
		trace = &view.Trace{Caption: view.Caption{Title: r.sys.Title()}}
	case r.full != nil:
		trace, err = view.New(r.full, r.moves)
	case ofValues:
		trace = view.Values(r.sys.Name, r.valueSteps(values.Value, values.Action))
	case format != textFormat:
		err = refuse("format", "", "this run can be shown as text only")
	default:
		trace = view.Slots(r.sys.Title(), r.shown, r.moves)
	}
	if err != nil {
		return nil, err
	}
	trace.Caption.Property, trace.Caption.Finding, trace.Caption.Why = r.Property, r.Finding, r.why
	trace.Lasso, trace.Width = r.Lasso, r.Width
	return trace, nil
}

// valueSteps returns the steps of a run of Go values.
func (r *Run) valueSteps(value func(model.Value) any, action func(model.Label) model.Action) []view.ValueStep {
	var steps []view.ValueStep
	for i, m := range r.moves {
		step := view.ValueStep{State: value(m.State[0])}
		if i > 0 {
			a := action(m.Step.Label)
			step.Process, step.Action = a.Process, a.Name
		}
		steps = append(steps, step)
	}
	return steps
}

// A Lasso is the shape of a run that goes on for ever: Cycle steps that are repeated after Stem others. Cycle is 0 if
// the run ends.
type Lasso = view.Lasso

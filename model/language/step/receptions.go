package step

import (
	"ringcheck/model/language/ir"
)

// A Reception is a receive that is open in a local state: the messages that it takes have the given values in
// the fields for which there is one.
type Reception struct {
	Source  *int64 // nil: any
	Message *ir.Message
	Fields  []*int64 // nil: any
}

// Receptions returns the receives that are open to a process in a local state. It takes more messages for
// possible than there are: what the receives say of variables that they bind is left out. The error is a
// *model.Fault of no process.
func (m *Machine) Receptions(l ir.Local) ([]Reception, error) {
	w := m.walker(l, Site{})
	w.mode = opening
	_, err := w.visit(l.Point.Term)
	return w.open, failed(err)
}

// reception lists an enabled receive.
func (w *Walker) reception(r *ir.Receive) error {
	source, err := w.wanted(r.Source)
	if err != nil {
		return err
	}
	if r.Message == nil {
		for _, kind := range w.machine.protocol.Messages {
			w.open = append(w.open, Reception{source, kind, make([]*int64, len(kind.Fields))})
		}
		return nil
	}
	open := Reception{source, r.Message, make([]*int64, len(r.Patterns))}
	for i, p := range r.Patterns {
		if open.Fields[i], err = w.wanted(p); err != nil {
			return err
		}
	}
	w.open = append(w.open, open)
	return nil
}

// wanted returns the value that a pattern requires, nil if it accepts any.
func (w *Walker) wanted(p ir.Pattern) (*int64, error) {
	if p.Equal == nil {
		return nil, nil
	}
	value, err := p.Equal.Eval(w.env)
	return &value, err
}

// Head returns a local state in which a process does the same as in l: where it is after the decisions that
// are pending in l, if these lead to the start of an equation. So many local states have one head. Where a process may
// ignore messages, which leaves it in l, every local state is its own head.
func (m *Machine) Head(l ir.Local) ir.Local {
	if m.ignores {
		return l
	}
	w := m.walker(l, Site{})
	for t := l.Point.Term; t != nil; {
		next, err := w.decide(t)
		if err != nil {
			return l
		}
		if call, ok := t.(*ir.Call); ok {
			l = call.Equation.Start.Local(w.env)
		}
		t = next
	}
	return l
}

package step

import (
	"errors"

	"ringcheck/model/language/ir"
)

// errNoView is the error of a Site without a View for a process that sets a shared variable.
var errNoView = errors.New("a shared variable is set where its value is not known")

// A Write is the new value of a shared variable, which differs from the one before the step.
type Write struct {
	Var   *ir.Var
	Value int64
}

// AppendWrites appends what a step writes.
func AppendWrites(key []byte, list []Write) []byte {
	for _, w := range list {
		key = AppendKey(key, int64(w.Var.Slot), w.Value)
	}
	return key
}

// usage has the shared variables that a process may read or set in its next own action at a control point, and in its
// next receipt, by Slot.
type usage struct{ own, receipt []*ir.Var }

// usages returns the usage of each control point of a protocol, by ID; nil if there are no shared variables.
func usages(p *ir.Protocol) []usage {
	if len(p.Shared) == 0 {
		return nil
	}
	list := make([]usage, len(p.Points))
	for i, point := range p.Points {
		own, receipt := point.Reading()
		list[i] = usage{own.Shared, receipt.Shared}
	}
	return list
}

// Uses returns the shared variables that a process may read or set at a control point, in its next own action or in its
// next receipt, by Slot.
func (m *Machine) Uses(point *ir.Point, receipt bool) []*ir.Var {
	switch {
	case m.usages == nil:
		return nil
	case receipt:
		return m.usages[point.ID].receipt
	}
	return m.usages[point.ID].own
}

// Hold gives the shared variables that a process may read or set at a control point their values before the step.
func (w *Walker) Hold(point *ir.Point, view ir.View, receipt bool) {
	if w.machine.usages == nil {
		return
	}
	w.shared, w.valuesBefore = nil, w.valuesBefore[:0]
	if w.env.Acting = view != nil; !w.env.Acting {
		return
	}
	w.shared = w.machine.Uses(point, receipt)
	for _, v := range w.shared {
		value := view.SharedValue(v.Slot)
		w.env.Vars[v.ID] = value
		w.valuesBefore = append(w.valuesBefore, value)
	}
}

// AppendWritten appends what the step under way, or that Take took, writes, by Slot.
func (w *Walker) AppendWritten(list []Write) []Write {
	for i, v := range w.shared {
		if value := w.env.Vars[v.ID]; value != w.valuesBefore[i] {
			list = append(list, Write{v, value})
		}
	}
	return list
}

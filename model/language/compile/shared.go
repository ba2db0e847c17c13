package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// SharedValue returns the value of a shared variable whose slot has the value v.
func (s *System) SharedValue(v model.Value) int64 { return *s.shared.at(v) }

// EncodeShared returns the value of the slot of a shared variable with a value. It is the same for all of them.
func (s *System) EncodeShared(value int64) model.Value {
	return s.shared.number(step.AppendKey(nil, value), func(at *int64) { *at = value })
}

// sharedAt returns the shared variable with a slot.
func (s *System) sharedAt(slot int) *ir.Var {
	return s.protocol.Shared[slices.Index(s.layout.shared, slot)]
}

// numberOfWrites returns the number of what an outcome writes, 0 for nothing.
func (s *System) numberOfWrites(list []step.Write) uint32 {
	if len(list) == 0 {
		return 0
	}
	return s.writes.number(step.AppendWrites(nil, list), func(at *[]write) {
		for _, w := range list {
			*at = append(*at, write{w.Var, s.EncodeShared(w.Value)})
		}
	})
}

// A write is a new value of the slot of a shared variable.
type write struct {
	variable *ir.Var
	value    model.Value
}

// write changes the shared variables among the values of a group's slots as an outcome says.
func (s *System) write(g *group, m *Outcome, values []model.Value) {
	if m.Writes == 0 {
		return
	}
	for _, w := range *s.writes.at(m.Writes) {
		values[g.positionOf(w.variable)] = w.value
	}
}

// positionOf returns the index of a shared variable among the slots of the group.
func (g *group) positionOf(v *ir.Var) int {
	i, _ := slices.BinarySearchFunc(g.shared, v.Slot, func(w *ir.Var, slot int) int { return w.Slot - slot })
	return g.sharedAt[i] // the group has all that the process uses
}

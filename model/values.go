package model

import (
	"fmt"
	"iter"

	"ringcheck/internal/intern"
)

// An Action is the label of a transition of a system of Go values.
type Action struct {
	Name    string
	Process int  // who acts, from 0 on
	Event   bool // visible: not τ when internal actions are hidden
}

// Values is a System whose states are Go values, numbered as they are met. It has one slot and one group, so no
// reduction or symmetry applies, and a state takes the memory of an S and a map entry in addition to the memory of the
// search.
type Values[S comparable] struct {
	initial []S
	next    func(S) iter.Seq2[Action, S]
	states  intern.Values[S]
	actions intern.Values[Action]
}

var (
	_ System = (*Values[int])(nil)
	_ Holder = (*Values[int])(nil)
)

// Of returns a system with some initial states, each counted once, in which next yields the actions that are possible
// in a state, each with its target. next is called by several goroutines and always yields the same.
func Of[S comparable](next func(S) iter.Seq2[Action, S], initial ...S) *Values[S] {
	return &Values[S]{initial: initial, next: next}
}

// Slots implements System.
func (v *Values[S]) Slots() []Slot { return []Slot{{Name: "state", Process: -1}} }

// Groups implements System.
func (v *Values[S]) Groups() []Group { return []Group{{Name: "next", Slots: []int{0}}} }

// Initial implements System.
func (v *Values[S]) Initial(yield func(state []Value) bool) error {
	for _, s := range v.initial {
		if !yield([]Value{v.states.Number(s)}) {
			break
		}
	}
	return nil
}

// Next implements System. Every transition is a choice of its own.
func (v *Values[S]) Next(_ int, in []Value, out *Successors) error {
	choice := uint32(0)
	for action, to := range v.next(v.State(in[0])) {
		step := Step{Label: Label(v.actions.Number(action)), Choice: choice, Weight: Certain}
		out.Add(step)[0] = v.states.Number(to)
		choice++
	}
	return nil
}

// State returns the state that a value of the slot represents.
func (v *Values[S]) State(number Value) S { return *v.states.At(number) }

// Value is State for callers that do not know S.
func (v *Values[S]) Value(number Value) any { return v.State(number) }

// Action returns the action of a label.
func (v *Values[S]) Action(l Label) Action { return *v.actions.At(uint32(l)) }

// Label implements System.
func (v *Values[S]) Label(l Label) LabelInfo {
	a := v.Action(l)
	info := LabelInfo{Text: a.Name, Visible: a.Event, Process: a.Process, Slot: -1}
	if a.Event {
		info.Kind = EventAction
	}
	return info
}

// FormatSlot implements System: it formats a state with its String method, else with %+v.
func (v *Values[S]) FormatSlot(_ int, number Value) string {
	s := any(v.State(number))
	if text, ok := s.(fmt.Stringer); ok {
		return text.String()
	}
	return fmt.Sprintf("%+v", s)
}

// Bytes implements Holder.
func (v *Values[S]) Bytes() int64 { return v.states.Bytes() + v.actions.Bytes() }

package view

import (
	"fmt"
	"reflect"
	"strings"

	"ringcheck/model"
)

// A ValueStep is a step of a run of a system whose states are Go values: an action and the state that it leads to.
type ValueStep struct {
	Process int // the process that acts; ignored in the first step, which is the initial state
	Action  string
	State   any
}

// Values returns the trace of a run of Go values. The number of processes is the length of the longest array that is
// the state or one of its fields, or more if a process with a higher number acts. Each process owns its element of such
// an array; the rest of the state is common to all.
func Values(title string, run []ValueStep) *Trace {
	t := &Trace{Caption: Caption{Title: title}, N: 1, values: true}
	for _, s := range run {
		t.N = max(t.N, s.Process+1)
	}
	t.N = max(t.N, widest(reflect.ValueOf(run[0].State)))
	for i, s := range run {
		step := Step{Kind: Event, Process: s.Process, Action: s.Action}
		var common string
		step.Processes, common = t.split(s.State)
		step.Text = fmt.Sprintf("process %d: %s%s", s.Process, s.Action, common)
		if t.N == 1 {
			step.Text = s.Action
		}
		if i == 0 {
			step.Kind, step.Process, step.Text = Start, -1, "initial state"+common
		} else {
			step.Changes = changes(t.Steps[i-1].Processes, step.Processes)
		}
		t.Steps = append(t.Steps, step)
	}
	return t
}

// Slots returns the trace of a run of any system, which Text writes slot by slot.
func Slots(title string, sys model.System, run []model.Move) *Trace {
	t := &Trace{Caption: Caption{Title: title}, N: len(sys.Slots()), values: true}
	for _, slot := range sys.Slots() {
		t.Names = append(t.Names, slot.Name)
	}
	for i, m := range run {
		s := Step{Kind: Start, Process: -1, Text: "initial state"}
		if i > 0 {
			s.Kind, s.Text = Event, sys.Label(m.Step.Label).Text
		}
		for slot, v := range m.State {
			s.Processes = append(s.Processes, Process{Name: sys.FormatSlot(slot, v)})
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

// split returns the parts of a state that belong to each process and, as text, the part common to all.
func (t *Trace) split(state any) (locals []Process, common string) {
	locals = make([]Process, t.N)
	for i := range locals {
		locals[i].Role = noRole
	}
	v := reflect.ValueOf(state)
	switch {
	case t.isPerProcess(v):
		for p := range locals {
			locals[p].Name = fmt.Sprint(v.Index(p))
		}
		return locals, ""
	case v.Kind() != reflect.Struct:
		locals[0].Name = fmt.Sprint(state)
		return locals, ""
	}
	var parts []string
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch {
		case t.N == 1:
			locals[0].Vars = append(locals[0].Vars, valueVar(name, field))
		case t.isPerProcess(field):
			for p := range locals {
				locals[p].Vars = append(locals[p].Vars, valueVar(name, field.Index(p)))
			}
		default:
			parts = append(parts, name+"="+fmt.Sprint(field))
		}
	}
	if len(parts) > 0 {
		common = "; " + strings.Join(parts, ", ")
	}
	for i := range locals {
		locals[i].Exact = locals[i].String()
	}
	return locals, common
}

// isPerProcess reports whether v has an element for each process.
func (t *Trace) isPerProcess(v reflect.Value) bool {
	return v.Kind() == reflect.Array && v.Len() == t.N
}

// widest returns the length of the longest array that is the state or one of its fields; 0 without an array.
func widest(state reflect.Value) int {
	n := 0
	switch state.Kind() {
	case reflect.Array:
		n = state.Len()
	case reflect.Struct:
		for i := range state.NumField() {
			if f := state.Field(i); f.Kind() == reflect.Array {
				n = max(n, f.Len())
			}
		}
	}
	return n
}

func valueVar(name string, v reflect.Value) Var {
	text := fmt.Sprint(v)
	return Var{Name: name, Caption: name, Text: text, Value: text}
}

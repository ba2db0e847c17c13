package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
)

// settledState is a state as pictures show it: after the conditionals that are evaluated without an action.
type settledState struct {
	*replay.State
	protocol *ir.Protocol
}

// Seen implements ir.View.
func (s settledState) Seen(p int) ir.Local { return s.protocol.Settle(s.Local(p), s.Sets()) }

// processes returns the local states of the processes of the trace.
func (b *builder) processes(s *replay.State) []Process {
	all := make([]Process, b.trace.N)
	for i := range all {
		all[i] = b.process(s, b.trace.Number(i))
	}
	return all
}

func (b *builder) process(s *replay.State, p int) Process {
	l := s.Local(p)
	decided := b.protocol.Settle(l, s.Sets())
	local := Process{Name: "process", Vars: []Var{}, Role: b.role(s, p), Exact: ir.FormatLocal(b.points[l.Point.ID], l)}
	if e := decided.Point.Equation; e != nil {
		local.Name = e.Name
	}
	for i, v := range decided.Point.Live {
		if v.Type.Kind == ir.Absent || v == b.protocol.Start.Number { // pictures show the number of a process anyway
			continue
		}
		x := Var{
			Name: v.Name, Caption: v.Name, Text: v.Type.Format(decided.Env[i]), Value: value(v.Type, decided.Env[i]),
			Timer: v.Kind == ir.Timer, Register: v.Kind == ir.Register,
		}
		if x.Timer {
			x.Caption = "◷" + v.Name
		}
		if v.Type.Wide && s.Sets() != nil {
			x.Text = summary(s.Sets().List(decided.Env[i]))
			x.Value = x.Text
		}
		local.Vars = append(local.Vars, x)
	}
	return local
}

// sharedVars returns the shared variables of a protocol.
func sharedVars(p *ir.Protocol, s ir.View) (vars []Var) {
	for _, v := range p.Shared {
		x := s.SharedValue(v.Slot)
		vars = append(vars, Var{Name: v.Name, Caption: v.Name, Text: v.Type.Format(x), Value: value(v.Type, x)})
	}
	return vars
}

// sharedChanges returns how shared variables after a step differ from those before.
func sharedChanges(before, after []Var) (all []Change) {
	for i, v := range after {
		if old := before[i].Text; old != v.Text {
			all = append(all, Change{-1, optional(v.Name), optional(old), optional(v.Text)})
		}
	}
	return all
}

// value returns v as int64, bool or string, for JSON.
func value(t *ir.Type, v int64) any {
	switch t.Kind {
	case ir.Int, ir.Nat, ir.Node:
		return v
	case ir.Bool:
		return v != 0
	}
	return t.Format(v)
}

// summary formats a set: all elements if they are few, otherwise the first two and the size.
func summary(list []int32) string {
	const few = 3
	if len(list) <= few+1 {
		return "{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]") + "}"
	}
	return fmt.Sprintf("{%d, %d, … %d elements}", list[0], list[1], len(list))
}

// A Role is a role of a process that the spec declares, or the role of crashed processes. Pictures show it by colours
// and lines.
type Role struct {
	Name   string `json:"name"`   // empty if the process has no role
	Word   string `json:"word"`   // what pictures call it; empty if the role needs no explanation
	Colour string `json:"colour"` // a word of syntax.ColourClause, or "plain"
}

var (
	// crashed is the role of a process that has crashed, unless the spec declares one of that name.
	crashed = Role{"crashed", "crashed", "red"}
	noRole  = Role{Colour: "plain"}
)

// roles returns the roles of a protocol.
func roles(p *ir.Protocol) []Role {
	var all []Role
	for _, r := range p.Roles {
		all = append(all, roleOf(r))
	}
	if p.Faults.Crashed != nil && !slices.ContainsFunc(all, func(r Role) bool { return r.Name == crashed.Name }) {
		all = append(all, crashed)
	}
	return all
}

func roleOf(r *ir.Role) Role { return Role{r.Name, r.Word, cmp.Or(r.Colour, "blue")} }

// role returns the role of process p.
func (b *builder) role(s *replay.State, p int) Role {
	if s.Local(p).Point.Equation == b.protocol.Faults.Crashed && slices.Contains(b.trace.Roles, crashed) {
		return crashed
	}
	if len(b.protocol.Roles) == 0 {
		return noRole
	}
	env := b.protocol.NewEnv(settledState{s, b.protocol})
	env.Sets = s.Sets()
	for _, r := range b.protocol.Roles {
		env.Vars[r.Var.ID] = int64(p)
		if v, err := r.Body.Eval(env); err == nil && v != 0 {
			return roleOf(r)
		}
	}
	return noRole
}

// changes returns how the local states after differ from those before.
func changes(before, after []Process) []Change {
	all := []Change{}
	for p := range after {
		if before[p].Name != after[p].Name {
			all = append(all, Change{p, "", optional(before[p].Name), optional(after[p].Name)})
		}
		for _, v := range after[p].Vars { // what is new or different
			if old := lookup(before[p].Vars, v.Name); old != v.Text {
				all = append(all, Change{p, optional(v.Name), optional(old), optional(v.Text)})
			}
		}
		for _, v := range before[p].Vars { // what is gone
			if lookup(after[p].Vars, v.Name) == "" {
				all = append(all, Change{p, optional(v.Name), optional(v.Text), ""})
			}
		}
	}
	return all
}

// lookup returns the value of a variable, "" without a variable of that name.
func lookup(vars []Var, name string) string {
	i := slices.IndexFunc(vars, func(v Var) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return vars[i].Text
}

// A Describer describes single states and steps as a Trace describes the steps of a run. It is safe for concurrent use.
type Describer struct {
	*builder
	Shape *Trace // the processes, links and roles, without a step
	sys   *compile.System
}

// NewDescriber returns a describer of the states of sys.
func NewDescriber(sys *compile.System) *Describer {
	b := newBuilder(sys.Protocol(), nil)
	return &Describer{b, b.trace, sys}
}

func (d *Describer) view(state []model.Value) *replay.State {
	return replay.NewState(d.sys.Machine(), d.sys.Decode(state), nil)
}

// Processes returns the local states.
func (d *Describer) Processes(state []model.Value) []Process { return d.processes(d.view(state)) }

// Shared returns the shared variables.
func (d *Describer) Shared(state []model.Value) []Var { return sharedVars(d.protocol, d.view(state)) }

// Process returns the local state of process p.
func (d *Describer) Process(state []model.Value, p int) Process { return d.process(d.view(state), p) }

// Channels returns the messages in each channel, in its order.
func (d *Describer) Channels(state []model.Value) [][]string {
	all := make([][]string, len(d.trace.Links))
	for l := range all {
		all[l] = []string{}
		for _, c := range d.sys.Contents(state[d.sys.SlotOfLink(l)]) {
			all[l] = append(all[l], c.String())
		}
	}
	return all
}

// Lines returns the lines in the spec of the actions that process p may take next, in ascending order.
func (d *Describer) Lines(state []model.Value, p int) []int {
	lines := []int{}
	for t := range ir.Beginnings(settledState{d.view(state), d.protocol}.Seen(p).Point.Term) {
		if prefix, ok := t.(*ir.Prefix); ok {
			lines = append(lines, prefix.Action.Position().Line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// Action returns the kind of an action, the link of its message (-1 without a message), and a sentence that describes
// it.
func (d *Describer) Action(label model.LabelInfo) (kind Kind, link int, sentence string) {
	kind, link = KindOf(label), -1
	for l := range d.trace.Links {
		if d.sys.SlotOfLink(l) == label.Slot {
			link = l
		}
	}
	t := *d.trace
	t.Messages = []Message{{Serial: 1, Text: label.Message, Link: max(0, link)}, {Serial: 2, Text: label.Into}}
	s := Step{Kind: kind, Process: label.Process, Action: label.Text, Message: 1}
	if label.Into != "" {
		s.Before, s.Message = 1, 2
	}
	return kind, link, t.sentence(&s)
}

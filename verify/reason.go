package verify

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
)

// Reasons says, line by line, why a property of a subject is false in a state of the full system. For a recoverable
// property it shows the state itself.
func Reasons(s *reduce.Subject, p *ir.Property, state []model.Value) ([]string, error) {
	switch {
	case s.Full != nil:
		return reasonsOf(s.Full, p, state)
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind.OfFutures():
		return []string{"it cannot be reached from here:", "  " + s.SearchSystem.FormatSlot(0, state[0])}, nil
	}
	return []string{"it is false in " + s.SearchSystem.FormatSlot(0, state[0])}, nil
}

// slotLines describes some slots of a state, aligned.
func slotLines(sys model.System, state []model.Value, which []int) []string {
	slots, width := sys.Slots(), 0
	for _, s := range slots {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
	var lines []string
	for _, i := range which {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", width, slots[i].Name, sys.FormatSlot(i, state[i])))
	}
	return lines
}

// StateLines describes a state, a line for each slot, aligned.
func StateLines(sys model.System, state []model.Value) []string {
	all := make([]int, len(state))
	for i := range all {
		all[i] = i
	}
	return slotLines(sys, state, all)
}

// reasonsOf is Reasons for the full system.
func reasonsOf(sys *compile.System, p *ir.Property, state []model.Value) ([]string, error) {
	if state == nil {
		return []string{"no reachable state satisfies it"}, nil
	}
	if p.Kind.OfFutures() {
		return append([]string{"it cannot be reached from here:"}, StateLines(sys, state)...), nil
	}
	w, err := Explain(sys, p, state)
	if err != nil {
		return nil, &model.RequestError{Option: "property", Value: p.Name, Err: err}
	}
	var lines []string
	if _, terminal, _ := model.Quiescent(sys, state); p.Kind.OfEnds() && !terminal {
		lines = append(lines, "only environment steps are enabled there")
	}
	lines = append(lines, w.Lines()...)
	var slots []int
	for _, process := range w.Processes {
		slots = append(slots, sys.SlotOfProcess(process))
	}
	for _, link := range w.Links {
		if slot := sys.SlotOfLink(link); len(sys.Contents(state[slot])) > 0 {
			slots = append(slots, slot)
		}
	}
	for _, i := range w.Shared {
		slots = append(slots, sys.SlotOfShared(i))
	}
	lines = append(append(lines, slotLines(sys, state, slots)...), inText(sys, state, w.Processes)...)
	return append(lines, conditionLines(sys, state, w.Processes)...), nil
}

// conditionLines describes the target of a condition at which a process still is, for the first of the processes that
// leave an equation by a condition: pictures show them there.
func conditionLines(sys *compile.System, state []model.Value, processes []int) []string {
	for _, process := range processes {
		slot := sys.SlotOfProcess(process)
		local := sys.Local(state[slot])
		from, to := local.Point.Equation, sys.Protocol().Settle(local, nil).Point.Equation
		if from != nil && to != nil && from != to {
			return []string{fmt.Sprintf("%s is still at %s, at a condition that leads to %s",
				sys.Slots()[slot].Name, from.Name, to.Name)}
		}
	}
	return nil
}

// inText describes the position in the spec of a control point such as A3:43, for the first of the processes that is at
// such a point.
func inText(sys *compile.System, state []model.Value, processes []int) []string {
	names := sys.Protocol().PointNames()
	for _, process := range processes {
		if point := sys.Local(state[sys.SlotOfProcess(process)]).Point; !point.Start {
			name := names[point.ID]
			text, _, _ := strings.Cut(name, ":")
			return []string{fmt.Sprintf("%s is in %s, at line %d of the spec", name, text, point.Pos.Line)}
		}
	}
	return nil
}

// Lines says, line by line, for which values a property is false, and what is counted there.
func (w *Witness) Lines() (lines []string) {
	if len(w.Bindings) > 0 {
		lines = append(lines, "it fails for "+bindings(w.Bindings))
	}
	for _, s := range w.Sums {
		lines = append(lines, total(s))
	}
	return lines
}

// Reasons says for which values a property is false of a lasso, and what is known about that.
func (l *Lasso) Reasons() []string {
	return append((&Witness{Bindings: l.Bindings}).Lines(), l.Why...)
}

// bindings returns "p = 2, d = 1".
func bindings(list []Binding) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

// total returns "the count is 2: p = 1".
func total(s Sum) string {
	switch {
	case !s.Count:
		return fmt.Sprintf("the sum is %d", s.Value)
	case len(s.For) == 0:
		return fmt.Sprintf("the count is %d", s.Value)
	}
	return fmt.Sprintf("the count is %d: %s", s.Value, bindings(s.For))
}

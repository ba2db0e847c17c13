package ringcheck

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

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

// explain says, line by line, what makes a property false in a state; of a property about what can be reached the
// state itself, from which there is no way.
func explain(sys *compile.System, p *ir.Property, state []model.Value) ([]string, error) {
	if state == nil {
		return []string{"no reachable state satisfies it"}, nil
	}
	if p.Kind == ir.Recoverable {
		all := make([]int, len(state))
		for i := range all {
			all[i] = i
		}
		return append([]string{"from here it cannot be reached any more:"}, slotLines(sys, state, all)...), nil
	}
	w, err := verify.Explain(sys, p, state)
	if err != nil {
		return nil, &RequestError{Option: "property", Value: p.Name, Err: err}
	}
	var lines []string
	if _, terminal, _ := model.Quiescent(sys, state); p.Kind == ir.Terminal && !terminal {
		lines = append(lines, "only the environment can act there, and need not")
	}
	if len(w.Bindings) > 0 {
		lines = append(lines, "it fails for "+bindings(w.Bindings))
	}
	for _, s := range w.Sums {
		lines = append(lines, total(s))
	}
	var slots []int
	for _, process := range w.Processes {
		slots = append(slots, sys.SlotOfProcess(process))
	}
	for _, link := range w.Links {
		if slot := sys.SlotOfLink(link); len(sys.Contents(state[slot])) > 0 {
			slots = append(slots, slot)
		}
	}
	return append(append(lines, slotLines(sys, state, slots)...), inText(sys, state, w.Processes)...), nil
}

// inText says what A3:43 means, if one of some processes is there.
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

// bindings writes p = 2, d = 1.
func bindings(list []verify.Binding) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

func total(s verify.Sum) string {
	switch {
	case !s.Count:
		return fmt.Sprintf("the sum is %d", s.Value)
	case len(s.For) == 0:
		return fmt.Sprintf("the count is %d", s.Value)
	}
	return fmt.Sprintf("the count is %d: %s", s.Value, bindings(s.For))
}

// explain says, line by line, what makes a property false in a state.
func (t *task) explain(p *ir.Property, state []model.Value) ([]string, error) {
	switch {
	case t.full != nil:
		return explain(t.full, p, state)
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind == ir.Recoverable:
		return []string{"from here it cannot be reached any more:", "  " + t.target.FormatSlot(0, state[0])}, nil
	}
	return []string{"it is false in " + t.target.FormatSlot(0, state[0])}, nil
}

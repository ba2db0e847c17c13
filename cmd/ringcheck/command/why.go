package command

import (
	"fmt"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// why says, line by line, what makes a property false in a state; of an inevitable property the state itself,
// from which there is no way.
func why(sys *compile.System, p *ir.Property, state []model.Value) ([]string, error) {
	switch {
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind == ir.Recoverable:
		return append([]string{"from here it cannot be reached any more:"}, newPrinter(sys).lines(state, nil)...), nil
	}
	w, err := verify.Explain(sys, p, state)
	if err != nil {
		return nil, wrongRequest(err)
	}
	var lines []string
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
	if len(slots) > 0 {
		lines = append(lines, newPrinter(sys).lines(state, slots)...)
	}
	return lines, nil
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

// lines describes some slots of a state, or all of them if slots is nil.
func (p *printer) lines(state []model.Value, slots []int) []string {
	var lines []string
	add := func(i int) {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", p.width, p.slots[i].Name, p.sys.FormatSlot(i, state[i])))
	}
	if slots == nil {
		for i := range state {
			add(i)
		}
	}
	for _, i := range slots {
		add(i)
	}
	return lines
}

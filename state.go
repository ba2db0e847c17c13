package ringcheck

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A printer writes states of a system for people.
type printer struct {
	sys   model.System
	slots []model.Slot
	width int // of the longest slot name
}

// A Content is what one slot of a state holds, such as the state of a process or the messages in a channel.
type Content struct {
	Slot  string `json:"slot"`
	Holds string `json:"holds"`
}

func newPrinter(sys model.System) *printer {
	p := &printer{sys: sys, slots: sys.Slots()}
	for _, s := range p.slots {
		p.width = max(p.width, utf8.RuneCountInString(s.Name))
	}
	return p
}

// contents returns the slots of state that hold something else than in before; all of them if before is nil.
func (p *printer) contents(state, before []model.Value) []Content {
	var all []Content
	for i, v := range state {
		if before == nil || before[i] != v {
			all = append(all, Content{p.slots[i].Name, p.sys.FormatSlot(i, v)})
		}
	}
	return all
}

func writeContents(w io.Writer, width int, slots []Content) {
	for _, c := range slots {
		fmt.Fprintf(w, "      %-*s  %s\n", width, c.Slot, c.Holds)
	}
}

// run describes the initial state, then each step with the slots that it changes.
func (p *printer) run(w io.Writer, moves []model.Move) {
	var before []model.Value
	for i, m := range moves {
		if i == 0 {
			fmt.Fprintln(w, "   0  initial state")
		} else {
			fmt.Fprintf(w, "%4d  %s\n", i, p.sys.Label(m.Step.Label).Text)
		}
		writeContents(w, p.width, p.contents(m.State, before))
		before = m.State
	}
}

// lines describes some slots of a state.
func (p *printer) lines(state []model.Value, slots []int) []string {
	var lines []string
	for _, i := range slots {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", p.width, p.slots[i].Name, p.sys.FormatSlot(i, state[i])))
	}
	return lines
}

// explain says, line by line, what makes a property false in a state; of a property about what can be reached the
// state itself, from which there is no way.
func explain(sys *compile.System, p *ir.Property, state []model.Value) ([]string, error) {
	if state == nil {
		return []string{"no reachable state satisfies it"}, nil
	}
	shown := newPrinter(sys)
	if p.Kind == ir.Recoverable {
		all := make([]int, len(state))
		for i := range all {
			all[i] = i
		}
		return append([]string{"from here it cannot be reached any more:"}, shown.lines(state, all)...), nil
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
	return append(append(lines, shown.lines(state, slots)...), inText(sys, state, w.Processes)...), nil
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

package command

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"ringcheck/explore"
	"ringcheck/model"
)

// A printer writes states and runs of a system for people.
type printer struct {
	sys   model.System
	slots []model.Slot
	width int // of the longest slot name
}

// A content is what one slot of a state holds.
type content struct {
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
func (p *printer) contents(state, before []model.Value) []content {
	var all []content
	for i, v := range state {
		if before == nil || before[i] != v {
			all = append(all, content{p.slots[i].Name, p.sys.FormatSlot(i, v)})
		}
	}
	return all
}

// write writes one line for each slot.
func (p *printer) write(w io.Writer, slots []content) {
	for _, c := range slots {
		fmt.Fprintf(w, "      %-*s  %s\n", p.width, c.Slot, c.Holds)
	}
}

// run describes the initial state, then each step with the slots that it changes.
func (p *printer) run(moves []explore.Move) string {
	var b bytes.Buffer
	var before []model.Value
	for i, m := range moves {
		if i == 0 {
			fmt.Fprintln(&b, "   0  initial state")
		} else {
			fmt.Fprintf(&b, "%4d  %s\n", i, p.sys.Label(m.Step.Label).Text)
		}
		p.write(&b, p.contents(m.State, before))
		before = m.State
	}
	return b.String()
}

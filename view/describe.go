package view

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Describer describes single states, as a Trace does those of a run. It is safe for concurrent use.
type Describer struct {
	Ring, FIFO bool
	Names      []string // of the processes, if they are of several kinds
	Links      []Link
	Parts      []Part
	b          *builder
}

// NewDescriber returns a describer of the states of sys.
func NewDescriber(sys *compile.System) *Describer {
	b := newBuilder(sys)
	return &Describer{b.trace.Ring, b.trace.FIFO, b.trace.Names, b.trace.Links, b.trace.Parts, b}
}

// Processes returns the local states.
func (d *Describer) Processes(state []model.Value) []Process { return d.b.processes(state) }

// Lines returns the lines of the spec with what process p may do next, ascending.
func (d *Describer) Lines(state []model.Value, p int) []int {
	local := d.b.protocol.Settled(d.b.sys.Local(state[d.b.sys.SlotOfProcess(p)]))
	lines := []int{}
	entered := make(map[*ir.Equation]bool)
	var look func(*ir.Point)
	look = func(point *ir.Point) {
		for term := range ir.Terms(point.Term) {
			switch t := term.(type) {
			case *ir.Prefix:
				lines = append(lines, t.Action.Place().Line)
			case *ir.Call: // after a draw
				if !entered[t.Equation] {
					entered[t.Equation] = true
					look(t.Equation.Start)
				}
			}
		}
	}
	look(local.Point)
	slices.Sort(lines)
	return slices.Compact(lines)
}

// Process returns the local state of process p.
func (d *Describer) Process(state []model.Value, p int) Process { return d.b.process(state, p) }

// Sentence says what happens in a step: a message is named if it is sent or received, lost or duplicated, on a link.
func (d *Describer) Sentence(kind Kind, process int, action, message string, link int) string {
	t := Trace{N: d.b.trace.N, Names: d.Names, Ring: d.b.trace.Ring, Links: d.Links, Messages: []Message{{Serial: 1, Text: message, Link: link}}}
	return t.sentence(&Step{Kind: kind, Process: process, Action: action, Message: 1})
}

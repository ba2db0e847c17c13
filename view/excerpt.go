package view

import (
	"fmt"

	"ringcheck/model/language/ir"
)

// An Excerpt is a run of which only some of the processes are drawn: there are too many.
type Excerpt struct {
	*builder
	columns map[int]int // by process
	links   map[int]int // by link of the protocol
	ticks   int         // since the last step that is drawn
	tick    Step        // the last one of them
}

// NewExcerpt returns an excerpt of a run, with some processes, in their order.
func NewExcerpt(p *ir.Protocol, processes []int) *Excerpt {
	x := &Excerpt{builder: plain(p), columns: make(map[int]int), links: make(map[int]int)}
	x.trace.N, x.trace.Numbers = len(processes), processes
	for i, process := range processes {
		x.columns[process] = i
		x.trace.Names = append(x.trace.Names, p.ProcessName(process))
	}
	return x
}

// Trace returns what has been drawn.
func (x *Excerpt) Trace() *Trace {
	for i := range x.trace.Steps { // links are found one after the other
		s := &x.trace.Steps[i]
		s.Channels = append(s.Channels, make([][]int, len(x.trace.Links)-len(s.Channels))...)
	}
	return x.trace
}

// Draws reports whether a process is drawn.
func (x *Excerpt) Draws(process int) bool {
	_, drawn := x.columns[process]
	return drawn
}

// Message puts a message under way that has been sent before the excerpt begins.
func (x *Excerpt) Message(message string, link int) { x.send(0, x.linkOf(link), message) }

// Start enters the state in which the excerpt begins.
func (x *Excerpt) Start(s State) {
	x.enter(Step{Kind: Start, Process: -1, Text: "initial state", Processes: x.processes(s)})
}

// Tick enters a tick, and the state after it. All between two steps that are drawn are one.
func (x *Excerpt) Tick(s State) {
	x.ticks++
	x.tick = Step{Kind: Tick, Process: -1, Action: "tick", Text: ticks(x.ticks), Processes: x.processes(s)}
}

// Step enters a step of a process that is drawn, and the state after it. A message is one from and to such processes,
// on a link of the protocol.
func (x *Excerpt) Step(s State, kind Kind, process int, action, message string, link int) error {
	if x.ticks > 0 {
		x.enter(x.tick)
		x.ticks = 0
	}
	step := Step{Kind: kind, Process: x.columns[process], Action: action, Processes: x.processes(s)}
	number := len(x.trace.Steps)
	var err error
	switch kind {
	case Send:
		step.Message = x.send(number, x.linkOf(link), message)
	case Receive:
		step.Message, err = x.receive(number, x.linkOf(link), message)
	}
	step.Text = x.trace.sentence(&step)
	x.enter(step)
	return err
}

func ticks(n int) string {
	if n == 1 {
		return "time goes on: a tick"
	}
	return fmt.Sprintf("time goes on: %d ticks", n)
}

// linkOf returns the number that a link of the protocol has here.
func (x *Excerpt) linkOf(link int) int {
	number, known := x.links[link]
	if !known {
		number = len(x.trace.Links)
		l := x.protocol.Link(link)
		x.links[link] = number
		x.trace.Links = append(x.trace.Links, Link{From: x.columns[l.From], To: x.columns[l.To]})
		x.flights = append(x.flights, nil)
	}
	return number
}

package conform

import (
	"slices"

	"ringcheck/model"
)

// A trace is the partially ordered trace of a log. It consists of chains: one for each process and one for the events
// without a process or, in a total order, one of all events. The events of a chain happen in its order.
type trace struct {
	events  []*traceEvent // in the order of their lines
	chains  [][]int       // by chain: indices of its events
	total   bool          // there is one chain
	openEnd []bool        // by chain: after its events, unlogged actions may happen
}

// A traceEvent is an event of a log, with its meaning in the spec.
type traceEvent struct {
	pattern *pattern
	action  *pattern // of its line
	line    line
	last    bool  // it is the last part of its line
	before  []int // by process: the number of its events that happened before; nil: unknown
}

// newTraceEvents returns an event for each part of a line.
func newTraceEvents(parts []*pattern, at line) (events []*traceEvent) {
	for i, q := range parts {
		e := &traceEvent{pattern: q, action: q, line: at, last: i == len(parts)-1}
		if len(parts) > 1 {
			main := slices.IndexFunc(parts, func(q *pattern) bool { return q.part == mainPart })
			e.action = parts[main]
		}
		events = append(events, e)
	}
	return events
}

// newTrace returns the trace of events among n processes.
func newTrace(events []*traceEvent, n int, total bool) *trace {
	t := &trace{events: events, total: total, chains: make([][]int, n+1), openEnd: make([]bool, n+1)}
	if total {
		t.chains = t.chains[:1]
	}
	for i, e := range events {
		chain := t.chainOf(e.pattern.process)
		t.chains[chain] = append(t.chains[chain], i)
	}
	return t
}

// chainOf returns the chain of a process, or of noProcess.
func (t *trace) chainOf(process int) int {
	switch {
	case t.total:
		return 0
	case process < 0:
		return len(t.chains) - 1
	}
	return process
}

// observesStates reports whether an event is about the state of a process.
func (t *trace) observesStates() bool {
	return slices.ContainsFunc(t.events, func(e *traceEvent) bool { return e.pattern.isState })
}

// unconstrained is the length of a chain of which no event is required, so that unlogged actions may happen from the
// start. A length of 0 differs for a chain without events: there, no action is logged, and none happens.
const unconstrained = -1

// prefix returns the trace of the first events of each chain. Unlogged actions may happen after chains that are cut.
func (t *trace) prefix(lengths []int) *trace {
	p := &trace{events: t.events, total: t.total}
	for chain, length := range lengths {
		p.chains = append(p.chains, t.chains[chain][:max(0, length)])
		p.openEnd = append(p.openEnd, t.openEnd[chain] || length < len(t.chains[chain]))
	}
	return p
}

// lengthsBefore returns the number of events of each chain that precede an event in the log.
func (t *trace) lengthsBefore(event int) []int {
	lengths := make([]int, len(t.chains))
	for chain, events := range t.chains {
		lengths[chain], _ = slices.BinarySearch(events, event)
	}
	return lengths
}

// latest returns the chain whose last event, of the first events of each, is the latest in the log.
func (t *trace) latest(lengths []int) (latest int) {
	last := -1
	for chain, length := range lengths {
		if length > 0 && t.chains[chain][length-1] > last {
			last, latest = t.chains[chain][length-1], chain
		}
	}
	return latest
}

// A cut of a trace has, for each chain, the number of its events that have happened (Mattern 1989).
type cut []model.Value

// size returns the number of events that have happened.
func (c cut) size() (events int) {
	for _, n := range c {
		events += int(n)
	}
	return events
}

// lines returns the number of lines of which all events have happened.
func (t *trace) lines(c cut) (lines int) {
	for chain, events := range t.chains {
		for _, event := range events[:c[chain]] {
			if t.events[event].last {
				lines++
			}
		}
	}
	return lines
}

// pending reports whether an event of a chain has not happened.
func (t *trace) pending(c cut, chain int) bool { return int(c[chain]) < len(t.chains[chain]) }

// isOpen reports whether unlogged actions may happen in a chain, because all its events have happened.
func (t *trace) isOpen(c cut, chain int) bool { return t.openEnd[chain] && !t.pending(c, chain) }

// next returns the next event of a chain, -1 if all have happened or others have to happen before it.
func (t *trace) next(c cut, chain int) int {
	if !t.pending(c, chain) || len(t.awaitedChains(c, chain)) > 0 {
		return -1
	}
	return t.chains[chain][c[chain]]
}

// awaitedChains returns the chains of which events have to happen before the next event of a chain.
func (t *trace) awaitedChains(c cut, chain int) (chains []int) {
	if !t.pending(c, chain) {
		return nil
	}
	for other, before := range t.events[t.chains[chain][c[chain]]].before {
		if int(c[other]) < min(before, len(t.chains[other])) {
			chains = append(chains, other)
		}
	}
	return chains
}

// first returns the first event in the log that has not happened, -1 if all have.
func (t *trace) first(c cut) int {
	first := -1
	for chain, events := range t.chains {
		if t.pending(c, chain) && (first < 0 || events[c[chain]] < first) {
			first = events[c[chain]]
		}
	}
	return first
}

// A configuration is a state of the network with a cut of the trace.
type configuration struct {
	state []model.Value
	cut   cut
}

// apply returns the configuration after a move.
func (t *trace) apply(c configuration, m *move) configuration {
	next := configuration{m.after, c.cut}
	if m.event >= 0 {
		next.cut = slices.Clone(c.cut)
		next.cut[t.chainOf(t.events[m.event].pattern.process)]++
	}
	return next
}

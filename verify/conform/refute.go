package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// stuckProcesses returns the processes that cannot reach the ends of their chains in the abstraction. If there are any,
// no run explains the trace.
func (a *abstraction) stuckProcesses() (list []int) {
	for p := range a.processes {
		if len(a.processes[p].coreachable) == 0 && !a.trace.isOpen(a.maximum, p) {
			list = append(list, p)
		}
	}
	return list
}

// isFinal reports whether a process may be in an abstract state when the trace has been explained: all its events have
// happened, and it has sent all messages whose receipts the log shows, unless it may go on.
func (a *abstraction) isFinal(process int, s abstractState) bool {
	if length := len(a.trace.chains[process]); int(s.events) < length || a.trace.openEnd[process] {
		return int(s.events) == length
	}
	counts := a.counts.vectors[s.counts]
	return !slices.ContainsFunc(a.processes[process].logs, func(log *channelLog) bool {
		return !log.sends && !slices.Equal(log.countsOf(counts), log.total())
	})
}

// findCoreachable finds the abstract states from which a final one can be reached.
func (a *abstraction) findCoreachable() {
	for p := range a.processes {
		x := &a.processes[p]
		x.coreachable = make(map[abstractState]bool)
		var queue []int
		add := func(number int) {
			if s := x.states[number]; !x.coreachable[s] {
				x.coreachable[s] = true
				queue = append(queue, number)
			}
		}
		for number, s := range x.states {
			if a.isFinal(p, s) {
				add(number)
			}
		}
		for len(queue) > 0 {
			last := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, number := range x.predecessors[last] {
				add(number)
			}
		}
	}
}

// refutes reports whether a process cannot reach the end of its chain from its abstract state in a configuration.
func (a *abstraction) refutes(c configuration, process int) bool {
	p, local := &a.processes[process], c.state[a.network.sys.SlotOfProcess(process)]
	if a.trace.isOpen(c.cut, process) {
		return false
	}
	var counts []model.Value
	for _, log := range p.logs {
		if log.sends && a.trace.isOpen(c.cut, log.chain) {
			return false // the number of messages that the sender has sent is unknown
		}
		counts = append(counts, a.countsIn(c, log)...)
	}
	return !p.coreachable[abstractState{a.canonicalLocal(local), c.cut[process], a.counts.indexOf(counts)}]
}

// countsIn returns the counts of the messages on a link in a configuration.
func (a *abstraction) countsIn(c configuration, log *channelLog) []model.Value {
	return log.countsIn(c.cut[log.chain], a.network.sys.Contents(c.state[a.network.sys.SlotOfLink(log.link)]))
}

// sortSends sorts moves so that messages are sent in the order in which the log shows receipts, as far as there is a
// choice.
func (a *abstraction) sortSends(c configuration, moves []move) {
	position := func(m *move) int {
		action, process := a.network.sys.Action(m.step.Label)
		if m.group < 0 || action.Kind != model.SendAction {
			return 0
		}
		log := a.logs[a.network.protocol.OutLink(process, action.Port)]
		if log == nil || log.sends {
			return 0
		}
		return log.position(a.countsIn(c, log), action.Message)
	}
	slices.SortStableFunc(moves, func(x, y move) int { return position(&x) - position(&y) })
}

// possibleMessages lists all messages, each as the contents of a channel. It is false if there are too many.
func (n *network) possibleMessages() (list []model.Value, ok bool) {
	const limit = 1 << 16
	if n.allContents != nil {
		return n.allContents, true
	}
	for _, m := range n.protocol.Messages {
		size := uint64(1)
		for _, f := range m.Fields {
			if s, ok := f.Type.Size(); !ok || s > limit {
				return nil, false
			} else if size *= s; size > limit {
				return nil, false
			}
		}
	}
	for _, m := range n.protocol.Messages {
		for c := range m.Contents(nil) {
			n.allContents = append(n.allContents, n.sys.EncodeContents([]ir.Content{c}))
		}
	}
	return n.allContents, true
}

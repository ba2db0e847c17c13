package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// expand returns the moves to try in a configuration: a persistent set, or all moves if fullExpansion is true.
//
// Every way to explain the remaining events contains a move of the persistent set, and can begin with it (Valmari 1991;
// Godefroid 1996). The set has the moves of the process of one of these events, and of the processes that it may need.
// The other processes can neither add a move to the set nor prevent one. If the set is empty, the log is not explained.
func (n *network) expand(t *trace, c configuration) (moves []move, err error) {
	first := t.first(c.cut)
	if first < 0 {
		return nil, nil
	}
	process := t.events[first].pattern.process
	n.leavesOut = n.lateFaults && !n.fullExpansion
	n.expanded.trace, n.expanded.cut = t, c.cut
	defer func() { n.leavesOut = false }()
	match := func(label model.Label) (int, bool) { return n.match(t, c.cut, label) }
	dependent := n.dependent || !t.total && n.logsFaultsOfMessages() // faults in the log are ordered
	if dependent || n.fullExpansion || process < 0 {
		for p := noProcess; p < n.protocol.N && err == nil; p++ {
			moves, err = n.processMoves(moves, t, c, p, match)
		}
		return moves, err
	}
	for i, set := 0, []int{process}; i < len(set) && err == nil; i++ {
		moves, err = n.processMoves(moves, t, c, set[i], match)
		for _, p := range n.neededProcesses(t, c, set[i]) {
			if !slices.Contains(set, p) {
				set = append(set, p)
			}
		}
	}
	return moves, err
}

// match is a matcher: it returns the event of a trace that an action explains after a cut.
func (n *network) match(t *trace, c cut, label model.Label) (event int, ok bool) {
	if n.isInternal(label) {
		return -1, true
	}
	_, actor := n.sys.Action(label) // no process loses a message, although one would receive it
	if t.isOpen(c, t.chainOf(actor)) {
		return -1, true
	}
	event = t.next(c, t.chainOf(actor))
	return event, event >= 0 && t.events[event].pattern.matches(n.sys, label)
}

// processMoves appends the moves of a process, or of noProcess, including the observation of its state.
func (n *network) processMoves(list []move, t *trace, c configuration, process int, match matcher) ([]move, error) {
	if n.openStart != nil {
		n.openStart.expect(n, t, c.cut, process)
		defer n.openStart.expectAny()
	}
	if event := t.next(c.cut, t.chainOf(process)); event >= 0 && process >= 0 {
		q := t.events[event].pattern
		local := c.state[n.sys.SlotOfProcess(process)]
		if q.isState && q.process == process && local != uninitialized && q.matchesLocal(n.sys, local, n.pointNames) {
			list = append(list, move{group: observation, process: process, event: event, after: c.state})
		}
		if q.isState && q.process == process && local == uninitialized && n.openStart != nil {
			list = n.openObservations(list, c.state, q, event)
		}
	}
	return n.moves(list, c.state, process, match)
}

// neededProcesses returns the processes that may enable a move of a process: by a message that it can receive, or by an
// event that has to happen before its next one.
func (n *network) neededProcesses(t *trace, c configuration, process int) (list []int) {
	local := c.state[n.sys.SlotOfProcess(process)]
	if local == uninitialized && n.openStart == nil {
		return nil
	}
	if !t.total {
		for _, chain := range t.awaitedChains(c.cut, process) {
			if chain < n.protocol.N {
				list = append(list, chain)
			}
		}
	}
	if n.hasFaults { // a full channel may have to lose a message
		list = append(list, n.fullChannels(c.state, process)...)
	}
	if t.total && n.observesAll(model.SendAction) {
		return list // the event comes before the next send of another process
	}
	lo, hi := n.protocol.InLinks(process)
	for link := lo; link < hi; link++ {
		// If only the first message can be received, a message that is sent after it enables no move. It prevents none,
		// either: see dependent. But a fault may remove the first message.
		hasFirst := !n.hasFaults && n.protocol.Channel.First && c.state[n.sys.SlotOfLink(link)] != compile.Empty
		if !hasFirst && (local == uninitialized || n.receptive(local, link)) {
			list = append(list, n.protocol.Link(link).From)
		}
	}
	return list
}

// appendKey appends a key of a state. If canonical is true, states have the same key if they differ only in local
// states from which the same events can be explained.
func (n *network) appendKey(key []byte, state []model.Value, canonical bool) []byte {
	for slot, v := range state {
		if canonical && slot < n.size && n.sys.Slots()[slot].Kind == model.ProcessSlot {
			v = n.canonicalLocal(v)
		}
		key = appendValue(key, v)
	}
	return key
}

// canonicalLocal returns the representative of a local state. Local states with the same representative have the same
// behaviour.
func (n *network) canonicalLocal(local model.Value) model.Value {
	if local == uninitialized {
		return local
	}
	return n.representative(local)
}

// internalClosure returns states and all states that unlogged actions of a process, or of anyProcess, reach from them.
// These are the internal actions and, in chains of the trace with an open end, all actions. It stops when there are
// more states than the limit.
func (n *network) internalClosure(t *trace, states [][]model.Value, process, limit int, canonical bool) (
	closure [][]model.Value, err error) {
	visited := make(map[string]bool)
	var key []byte
	add := func(state []model.Value) {
		if key = n.appendKey(key[:0], state, canonical); !visited[string(key)] {
			visited[string(key)] = true
			closure = append(closure, state)
		}
	}
	for _, state := range states {
		add(state)
	}
	unlogged := func(label model.Label) (int, bool) {
		_, actor := n.sys.Action(label)
		return -1, n.isInternal(label) || t.openEnd[t.chainOf(actor)]
	}
	for i := 0; i < len(closure) && len(closure) <= limit; i++ {
		moves, err := n.moves(nil, closure[i], process, unlogged)
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			add(m.after)
		}
	}
	return closure, nil
}

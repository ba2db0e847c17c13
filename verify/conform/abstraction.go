package conform

import (
	"context"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An abstraction over-approximates the runs that explain a trace. It treats each process separately (a Cartesian
// abstraction): a process may receive, at any time and any number of times, every message that may have been sent to
// it, and may read, at any time, any value that another process may have in a register. Where the log shows the
// messages on a link, a process receives or sends them only as the log shows. If a process cannot take a step in the
// abstraction, it takes this step in no run. The work is at most abstract states times messages, whereas a search
// interleaves processes.
//
// The abstract states of all processes are computed by a worklist: a new state of a process, and a new message to it,
// make work items.
type abstraction struct {
	network   *network
	trace     *trace
	options   abstractionOptions
	processes []processStates
	messages  []messageSet  // by link: the messages that may be in its channel
	logs      []*channelLog // by link; nil: the log does not show its messages
	counts    countTable
	reads     [][]int // by process: those whose registers it reads; nil if there are no registers
	maximum   cut     // by chain: the most events that happen in an abstract state

	queue   []workItem
	waiting []workItem // for events of other processes
	budget  int        // the number of work items and messages that may be added; below 0: exceeded
	tooMany bool       // there are too many possible messages to list

	// Scratch.
	state []model.Value // with empty channels, and the process of a work item in its local state
	cut   cut
	moves []move
}

// abstractionOptions are the options of an abstraction.
type abstractionOptions struct {
	canonical bool   // see dfs.canonical
	limit     int    // on work items and messages
	memory    uint64 // in bytes
}

// An abstractState is the state of a process in the abstraction: its local state, the number of events of its chain
// that have happened, and the index of its message counts in the table.
type abstractState struct {
	local, events model.Value
	counts        int
}

// A processStates has the abstract states that a process may reach.
type processStates struct {
	index        map[abstractState]int
	states       []abstractState
	predecessors [][]int                // by state: the states from which it is one step
	coreachable  map[abstractState]bool // those from which a final state can be reached
	locals       []model.Value          // the local states in which others may read its registers
	outLinks     []int
	logs         []*channelLog // of links at whose other end the process is: it has their counts
	width        int           // the number of these counts
}

// A messageSet has messages, each encoded as the contents of a channel.
type messageSet struct {
	has  map[model.Value]bool
	list []model.Value
}

// A countTable numbers vectors of message counts.
type countTable struct {
	vectors [][]model.Value
	index   map[string]int
	key     []byte
}

// indexOf returns the index of a vector.
func (t *countTable) indexOf(counts []model.Value) int {
	t.key = t.key[:0]
	for _, v := range counts {
		t.key = appendValue(t.key, v)
	}
	i, ok := t.index[string(t.key)]
	if !ok {
		i = len(t.vectors)
		t.index[string(t.key)] = i
		t.vectors = append(t.vectors, slices.Clone(counts))
	}
	return i
}

// A workItem takes the steps of a process in an abstract state. They receive a message from a link or, if the link is
// -1, no message.
type workItem struct {
	process, state, link int
	message              model.Value
}

// bytesPerItem estimates the memory of the abstract state that a work item may add.
const bytesPerItem = 256

// newAbstraction returns an abstraction of the runs that explain a trace. It counts messages if that is within the
// limits. It returns nil if time passes in ticks, if processes share variables, if a part of the initial state is open,
// or if the abstraction exceeds the limits even without counts.
func newAbstraction(ctx context.Context, n *network, t *trace, initial [][]model.Value,
	options abstractionOptions) *abstraction {
	shared := len(n.sharedGroups) > 0 || len(n.protocol.Shared) > 0
	if t.total || shared || n.openStart != nil && n.openStart.open(initial[0]) {
		return nil
	}
	for _, counted := range []bool{true, false} {
		if a := emptyAbstraction(n, t, initial, options, counted); a.compute(ctx, initial) {
			return a
		}
	}
	return nil
}

// emptyAbstraction returns an abstraction without abstract states.
func emptyAbstraction(n *network, t *trace, initial [][]model.Value, options abstractionOptions,
	counted bool) *abstraction {
	links := len(n.receiptGroups)
	a := &abstraction{
		network: n, trace: t, options: options, state: slices.Clone(initial[0]), reads: n.protocol.Reads(),
		processes: make([]processStates, n.protocol.N), messages: make([]messageSet, links),
		logs: make([]*channelLog, links), maximum: make(cut, len(t.chains)),
		counts: countTable{index: make(map[string]int)},
	}
	for l := range links {
		slot := n.sys.SlotOfLink(l)
		holds := func(s []model.Value) bool { return s[slot] != compile.Empty }
		counted = counted && !slices.ContainsFunc(initial, holds)
		a.state[slot] = compile.Empty
		a.messages[l] = messageSet{has: make(map[model.Value]bool)}
		from := &a.processes[n.protocol.Link(l).From]
		from.outLinks = append(from.outLinks, l)
	}
	for l := 0; l < links && counted; l++ {
		if log := newChannelLog(n, t, l); log != nil {
			p := &a.processes[log.end]
			a.logs[l], log.offset = log, p.width
			p.logs, p.width = append(p.logs, log), p.width+log.width
		}
	}
	return a
}

// compute adds all abstract states. It is false if a limit is exceeded or a step cannot be represented.
func (a *abstraction) compute(ctx context.Context, initial [][]model.Value) bool {
	a.budget, a.network.growth = a.options.limit, nil
	a.addInitial(initial)
	bytes := uint64(bytesPerItem)
	for _, counts := range a.counts.vectors {
		bytes = max(bytes, uint64(bytesPerItem+4*len(counts)))
	}
	for a.budget = min(a.budget, int(a.options.memory/bytes)); len(a.queue) > 0; {
		if len(a.queue) > a.budget || a.tooMany || a.budget%256 == 0 && ctx.Err() != nil {
			return false
		}
		item := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		if !a.perform(item) {
			return false
		}
	}
	a.findCoreachable()
	return !a.tooMany && a.budget >= 0
}

// addInitial adds the abstract states and messages of the initial states.
func (a *abstraction) addInitial(initial [][]model.Value) {
	start := make([]int, len(a.processes)) // indices of counts
	for p := range a.processes {
		s := &a.processes[p]
		s.index = make(map[abstractState]int)
		start[p] = a.counts.indexOf(make([]model.Value, s.width))
	}
	sys := a.network.sys
	for _, state := range initial {
		for l := range a.messages {
			for _, m := range sys.Contents(state[sys.SlotOfLink(l)]) {
				a.addMessages(l, sys.EncodeContents([]ir.Content{m}))
			}
		}
		for p := range a.processes {
			a.addState(p, -1, abstractState{local: state[sys.SlotOfProcess(p)], counts: start[p]})
		}
	}
}

// canonicalLocal returns the representative of a local state in abstract states.
func (a *abstraction) canonicalLocal(local model.Value) model.Value {
	if a.options.canonical {
		return a.network.canonicalLocal(local)
	}
	return local
}

// addState adds an abstract state of a process and its work items. The state is one step from another one, or initial
// if that is -1. After an open end of its chain, the process may send all possible messages.
func (a *abstraction) addState(process, from int, to abstractState) {
	p := &a.processes[process]
	to.local = a.canonicalLocal(to.local)
	number, ok := p.index[to]
	if !ok {
		number = len(p.states)
		p.index[to] = number
		p.states, p.predecessors = append(p.states, to), append(p.predecessors, nil)
		if to.events > a.maximum[process] {
			a.maximum[process] = to.events
			a.queue, a.waiting = append(a.queue, a.waiting...), nil
		}
		if a.isUnconstrained(process, to) {
			contents, ok := a.network.possibleMessages()
			a.tooMany = a.tooMany || !ok
			for _, l := range p.outLinks {
				a.addMessages(l, contents...)
			}
		} else {
			a.enqueue(process, number)
		}
		a.addLocal(process, to.local)
	}
	if from >= 0 {
		p.predecessors[number] = append(p.predecessors[number], from)
	}
}

// isUnconstrained reports whether the trace permits all actions of the process from an abstract state on. Then its
// steps need not be computed.
func (a *abstraction) isUnconstrained(process int, s abstractState) bool {
	return a.trace.openEnd[process] && int(s.events) == len(a.trace.chains[process]) && a.reads == nil
}

// enqueue adds the work items of an abstract state.
func (a *abstraction) enqueue(process, state int) {
	a.queue = append(a.queue, workItem{process: process, state: state, link: -1})
	lo, hi := a.network.protocol.InLinks(process)
	for l := lo; l < hi; l++ {
		if !a.network.receptive(a.processes[process].states[state].local, l) {
			continue
		}
		for _, m := range a.messages[l].list {
			a.queue = append(a.queue, workItem{process, state, l, m})
		}
	}
}

// addLocal adds a local state of a process in which others may read its registers, and the work items of the readers.
func (a *abstraction) addLocal(process int, local model.Value) {
	s := &a.processes[process]
	if a.reads == nil || slices.Contains(s.locals, local) {
		return
	}
	s.locals = append(s.locals, local)
	for p, reads := range a.reads {
		if slices.Contains(reads, process) {
			for state := range a.processes[p].states {
				a.enqueue(p, state)
			}
		}
	}
}

// addMessages adds messages to a link, and the work items that receive them.
func (a *abstraction) addMessages(link int, messages ...model.Value) {
	set, to := &a.messages[link], a.network.protocol.Link(link).To
	if a.isUnconstrained(to, abstractState{}) {
		return
	}
	old := len(set.list)
	add := func(m model.Value) {
		if !set.has[m] {
			set.has[m] = true
			set.list = append(set.list, m)
		}
	}
	for _, m := range messages {
		add(m)
	}
	for i := old; i < len(set.list) && a.budget >= len(set.list)-old; i++ {
		a.network.faultsOf(set.list[i], add)
	}
	a.budget -= len(set.list) - old
	for number, s := range a.processes[to].states {
		if len(set.list) == old || len(a.queue) > a.budget {
			return
		}
		if a.network.receptive(s.local, link) && !a.isUnconstrained(to, s) {
			for _, m := range set.list[old:] {
				a.queue = append(a.queue, workItem{to, number, link, m})
			}
		}
	}
}

// faultsOf calls yield with the messages that a fault can put in the place of a message, each encoded as the contents
// of a channel.
func (n *network) faultsOf(message model.Value, yield func(m model.Value)) {
	for _, kind := range n.protocol.Faults.InChannels() {
		if !kind.Info().Changes {
			continue
		}
		for list := range kind.Info().Effect(n.sys.Contents(message)[0]) {
			yield(n.sys.EncodeContents(list))
		}
	}
}

// perform takes the steps of a work item. It is false if one cannot be represented.
func (a *abstraction) perform(item workItem) bool {
	from := a.processes[item.process].states[item.state]
	received := from
	if item.link >= 0 && !a.countMessage(&received, item.link, item.message, false) {
		return true
	}
	a.cut = append(a.cut[:0], a.maximum...)
	a.cut[item.process] = from.events
	if a.trace.pending(a.cut, item.process) && a.trace.next(a.cut, item.process) < 0 {
		a.waiting = append(a.waiting, item)
	}
	var reads []int
	if a.reads != nil {
		reads = a.reads[item.process]
	}
	failed := false
	a.forEachView(reads, func() {
		a.state[a.network.sys.SlotOfProcess(item.process)] = from.local
		err := a.steps(item)
		failed = failed || err != nil
		for i := range a.moves {
			a.take(item, &a.moves[i], received)
		}
	})
	return !failed && a.network.growth == nil
}

// forEachView calls f with each combination of local states in which processes may be.
func (a *abstraction) forEachView(processes []int, f func()) {
	if len(processes) == 0 {
		a.budget--
		f()
		return
	}
	for _, local := range a.processes[processes[0]].locals {
		if a.budget >= 0 {
			a.state[a.network.sys.SlotOfProcess(processes[0])] = local
			a.forEachView(processes[1:], f)
		}
	}
}

// steps sets moves to the steps of a work item.
func (a *abstraction) steps(item workItem) (err error) {
	n := a.network
	match := func(label model.Label) (event int, ok bool) {
		if _, actor := n.sys.Action(label); actor < 0 {
			return -1, false // messages are not lost: they need not be received
		}
		return n.match(a.trace, a.cut, label)
	}
	if item.link < 0 {
		a.moves, err = n.processMoves(a.moves[:0], a.trace, configuration{a.state, a.cut}, item.process, match)
		return err
	}
	slot := n.sys.SlotOfLink(item.link)
	a.state[slot] = item.message
	a.moves = n.groupMoves(a.moves[:0], a.state, item.process, n.receiptGroups[item.link], match)
	a.state[slot] = compile.Empty
	return nil
}

// take takes a step of a work item, from an abstract state in which its message has been counted.
func (a *abstraction) take(item workItem, m *move, to abstractState) {
	for _, l := range a.processes[item.process].outLinks {
		if sent := m.after[a.network.sys.SlotOfLink(l)]; sent != compile.Empty {
			if !a.countMessage(&to, l, sent, true) {
				return
			}
			a.addMessages(l, sent)
		}
	}
	to.local = m.after[a.network.sys.SlotOfProcess(item.process)]
	if m.event >= 0 {
		to.events++
	}
	a.addState(item.process, item.state, to)
}

// countMessage counts a message that a process sends to a link, or else receives from it. It is false if the log
// excludes this message.
func (a *abstraction) countMessage(s *abstractState, link int, message model.Value, sends bool) (ok bool) {
	log := a.logs[link]
	if log == nil || log.sends == sends {
		return true
	}
	counts := slices.Clone(a.counts.vectors[s.counts])
	ok = log.count(log.countsOf(counts), a.network.sys.Contents(message)[0])
	s.counts = a.counts.indexOf(counts)
	return ok
}

package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An agenda determines which events of a log may come next. The events form lanes: one of all events, or one for each
// process and one for events without a process. The events of a lane happen in its order.
type agenda struct {
	events []*logged
	lanes  [][]int // by lane: events, in their order
	total  bool    // there is one lane
	cut    []bool  // by lane: anything may happen unobserved after its events
}

// A logged event is an event of a log.
type logged struct {
	*pattern
	line
	needs []int // by process: how many of its events happened before; nil: nothing is known
}

// newAgenda returns the agenda of events among n processes.
func newAgenda(events []*logged, n int, total bool) *agenda {
	a := &agenda{events: events, total: total, lanes: make([][]int, n+1), cut: make([]bool, n+1)}
	if total {
		a.lanes = a.lanes[:1]
	}
	for i, e := range events {
		lane := a.lane(e.process)
		a.lanes[lane] = append(a.lanes[lane], i)
	}
	return a
}

// without is the length of a lane in which anything may happen.
const without = -1

// upTo returns the agenda of the first events of each lane. Anything may happen after those.
func (a *agenda) upTo(lengths []int) *agenda {
	b := &agenda{events: a.events, total: a.total}
	for lane, length := range lengths {
		b.lanes = append(b.lanes, a.lanes[lane][:max(0, length)])
		b.cut = append(b.cut, a.cut[lane] || length < len(a.lanes[lane]))
	}
	return b
}

// among returns how many of the first events of the log are in each lane.
func (a *agenda) among(first int) []int {
	lengths := make([]int, len(a.lanes))
	for lane, events := range a.lanes {
		lengths[lane], _ = slices.BinarySearch(events, first)
	}
	return lengths
}

// free reports whether anything may happen in a lane, since all its events have happened.
func (a *agenda) free(done []model.Value, lane int) bool { return a.cut[lane] && !a.left(done, lane) }

// lane returns the lane of a process, nobody included.
func (a *agenda) lane(process int) int {
	switch {
	case a.total:
		return 0
	case process < 0:
		return len(a.lanes) - 1
	}
	return process
}

// next returns the next event of a lane, -1 if there is none or others have to happen before it.
func (a *agenda) next(done []model.Value, lane int) int {
	if !a.left(done, lane) || len(a.awaits(done, lane)) > 0 {
		return -1
	}
	return a.lanes[lane][done[lane]]
}

// awaits returns the lanes of which events have to happen before the next event of a lane.
func (a *agenda) awaits(done []model.Value, lane int) (lanes []int) {
	if !a.left(done, lane) {
		return nil
	}
	for other, need := range a.events[a.lanes[lane][done[lane]]].needs {
		if int(done[other]) < min(need, len(a.lanes[other])) {
			lanes = append(lanes, other)
		}
	}
	return lanes
}

// left reports whether there is an event in a lane that has not happened.
func (a *agenda) left(done []model.Value, lane int) bool { return int(done[lane]) < len(a.lanes[lane]) }

// first returns the first event in the log that has not happened, -1 if all have.
func (a *agenda) first(done []model.Value) int {
	first := -1
	for lane, events := range a.lanes {
		if a.left(done, lane) && (first < 0 || events[done[lane]] < first) {
			first = events[done[lane]]
		}
	}
	return first
}

// A configuration is a state of the network and how many events of each lane have happened.
type configuration struct {
	state []model.Value
	done  []model.Value
}

// events returns how many events have happened.
func (c configuration) events() (events int) {
	for _, n := range c.done {
		events += int(n)
	}
	return events
}

// after returns the configuration after a move.
func (c configuration) after(a *agenda, m *move) configuration {
	next := configuration{m.after, c.done}
	if m.event >= 0 {
		next.done = slices.Clone(c.done)
		next.done[a.lane(a.events[m.event].process)]++
	}
	return next
}

// persistent returns a persistent set: moves of which each way to explain the events that are left contains one, and
// can begin with it (Valmari 1991; Godefroid 1996). They are the moves of the process of one of these events, and of
// those that it may need: the others can neither add a move to them nor keep one from happening. If there are none,
// the log is not explained.
func (n *network) persistent(a *agenda, c configuration) (moves []move, err error) {
	first := a.first(c.done)
	if first < 0 {
		return nil, nil
	}
	process := a.events[first].process
	explains := func(label model.Label) (int, bool) { return n.explains(a, c.done, label) }
	if n.coupled || n.whole || process < 0 {
		for p := nobody; p < n.protocol.N && err == nil; p++ {
			moves, err = n.act(moves, a, c, p, explains)
		}
		return moves, err
	}
	for i, set := 0, []int{process}; i < len(set) && err == nil; i++ {
		moves, err = n.act(moves, a, c, set[i], explains)
		for _, p := range n.needed(a, c, set[i]) {
			if !slices.Contains(set, p) {
				set = append(set, p)
			}
		}
	}
	return moves, err
}

// explains returns the event of an agenda that an action with a label explains, -1 if it is hidden, and whether the
// action is possible now.
func (n *network) explains(a *agenda, done []model.Value, label model.Label) (event int, ok bool) {
	if n.hides(label) {
		return -1, true
	}
	_, actor := n.sys.Action(label) // nobody loses a message that the process would receive
	if a.free(done, a.lane(actor)) {
		return -1, true
	}
	event = a.next(done, a.lane(actor))
	return event, event >= 0 && a.events[event].matches(n.sys, label)
}

// act appends the moves of a process, or of nobody, and the observation of its state.
func (n *network) act(list []move, a *agenda, c configuration, process int,
	explains func(model.Label) (int, bool)) ([]move, error) {
	if event := a.next(c.done, a.lane(process)); event >= 0 && process >= 0 {
		e := a.events[event]
		local := c.state[n.sys.SlotOfProcess(process)]
		if e.state && e.process == process && local != uninitialized && e.fitsLocal(n.sys, local, n.names) {
			list = append(list, move{group: observation, process: process, event: event, after: c.state})
		}
	}
	return n.moves(list, c.state, process, explains)
}

// needed returns the processes that may add a move to those of a process: by a message that it can receive, or by an
// event that has to happen before its next one.
func (n *network) needed(a *agenda, c configuration, process int) (list []int) {
	local := c.state[n.sys.SlotOfProcess(process)]
	if local == uninitialized {
		return nil
	}
	if !a.total {
		for _, lane := range a.awaits(c.done, process) {
			if lane < n.protocol.N {
				list = append(list, lane)
			}
		}
	}
	lo, hi := n.protocol.InLinks(process)
	for link := lo; link < hi; link++ {
		// Of the messages in a FIFO channel only the first can be received, whatever is sent after it.
		has := n.protocol.Channel == ir.FIFO && c.state[n.sys.SlotOfLink(link)] != compile.Empty
		if !has && n.receptive(local, link) {
			list = append(list, n.protocol.Link(link).From)
		}
	}
	return list
}

package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// An openStart is what a log from the middle of a run says about the state in which it begins. The rest is open: other
// processes may be at any control points, with any values of their variables, and channels may hold any messages.
//
// What is open is decided late. A process is uninitialized until its first move, which is one from any of the local
// states in which it may be. A state ends with a value for each link, which is open while its channel may hold unknown
// messages besides those in the state: these come before the others in the order in which they were sent.
type openStart struct {
	events   []*Event                   // that say this
	points   [][]*ir.Point              // by process: where it may be
	states   [][]*pattern               // by process: what is said of its local state
	contents map[int][]ir.Content       // by link: the contents of the channel, if they are given
	empty    map[int]bool               // links whose channels are empty unless their contents are given
	locals   [][]model.Value            // by process: the local states in which it may be; nil: not computed yet
	links    map[int]int                // by slot of a channel: its link
	receipt  messageFilter              // of the moves that are being computed
	fault    messageFilter              // likewise
	messages map[*pattern][]model.Value // that match, each as the contents of a channel
}

// A messageFilter says which unknown messages an action of some kind can be about.
type messageFilter struct {
	any     bool     // all unknown messages
	pattern *pattern // otherwise those that match it; nil: no message
}

// open is the last part of a state for a link whose channel may hold unknown messages.
const open = 1

// maxLocals limits the local states in which a process may begin, and the initial states if these are not decided late.
const maxLocals = 1 << 16

// recordGiven records a part of the initial state. It is false if that contradicts what is known. The error says that
// an event is in the wrong place, or describes no state of the spec.
func (n *network) recordGiven(e *traceEvent) (fits bool, err error) {
	defer func() {
		if err != nil {
			err = &LineError{Position: e.line.Position, Err: err}
		}
	}()
	known := slices.ContainsFunc(n.knownValues, func(v model.Value) bool { return v != unbound })
	if q := e.pattern; q.assign != nil && n.openStart == nil {
		return n.recordValues(q), nil
	} else if q.assign != nil || known {
		return false, errors.New(
			`a log has either "assign" or "initial": only a run from its beginning has assigned values`)
	}
	return true, n.recordInitial(e.line.Event, e.pattern)
}

// recordInitial records what an event says of the state in which a log begins.
func (n *network) recordInitial(e *Event, q *pattern) error {
	if n.openStart == nil {
		n.openStart = newOpenStart(n)
	}
	m := n.openStart
	m.events, m.locals = append(m.events, e), nil
	for _, link := range q.initial.links {
		if e.From == nil {
			m.empty[link] = true
			continue
		}
		if given, ok := m.contents[link]; ok && !slices.EqualFunc(given, q.initial.contents, equalContents) {
			return fmt.Errorf("%s has other contents in an earlier line", n.protocol.FormatLink(link))
		}
		m.contents[link] = q.initial.contents
	}
	if q.process < 0 {
		return nil
	}
	m.states[q.process] = append(m.states[q.process], q)
	fits := func(point *ir.Point) bool { _, ok := m.given(n, q.process, point); return ok }
	if !slices.ContainsFunc(m.points[q.process], fits) {
		return fmt.Errorf("process %d has no such state: at no control point of this name are these variables live",
			q.process)
	}
	return nil
}

func equalContents(a, b ir.Content) bool { return a.Compare(b) == 0 }

func newOpenStart(n *network) *openStart {
	m := &openStart{
		points: compile.ControlPoints(n.protocol), states: make([][]*pattern, n.protocol.N),
		contents: make(map[int][]ir.Content), empty: make(map[int]bool), links: make(map[int]int),
		messages: make(map[*pattern][]model.Value),
	}
	for link := range n.receiptGroups {
		m.links[n.sys.SlotOfLink(link)] = link
	}
	m.expectAny()
	return m
}

// given returns the values of the live variables of a point that are given, by index. It is not ok if the process
// cannot be there.
func (m *openStart) given(n *network, process int, point *ir.Point) (values map[int]int64, ok bool) {
	values = make(map[int]int64)
	for _, q := range m.states[process] {
		if q.at != "" && n.pointNames[point.ID] != q.at && (point.Equation == nil || point.Equation.Name != q.at) {
			return nil, false
		}
		for _, of := range q.vars {
			i := slices.IndexFunc(point.Live, func(v *ir.Var) bool { _, has := of[v]; return has })
			if i < 0 {
				return nil, false
			}
			value := of[point.Live[i]]
			if other, has := values[i]; has && value != wildcard && other != value {
				return nil, false
			}
			if value != wildcard {
				values[i] = value
			}
		}
	}
	return values, true
}

// findLocals finds the local states in which each process may be. The error names what to give if there are too many.
func (m *openStart) findLocals(n *network) error {
	if m.locals != nil {
		return nil
	}
	locals := make([][]model.Value, n.protocol.N)
	for process := range locals {
		number, missing := uint64(0), make(map[string]bool)
		for _, point := range m.points[process] {
			values, ok := m.given(n, process, point)
			size := uint64(1)
			for i, v := range point.Live {
				if _, given := values[i]; !given && ok {
					missing[v.Name] = true
					all, finite := v.Type.Size()
					if !finite || all > maxLocals {
						all = maxLocals + 1
					}
					size = min(size*all, maxLocals+1)
				}
			}
			if ok {
				number += size
			}
			if number > maxLocals {
				return tooManyLocals(process, missing)
			}
		}
		for _, point := range m.points[process] {
			if values, ok := m.given(n, process, point); ok {
				n.eachLocal(point, values, func(v model.Value) { locals[process] = append(locals[process], v) })
			}
		}
	}
	m.locals = locals
	return nil
}

// tooManyLocals returns the error that the state of a process is not given well enough.
func tooManyLocals(process int, missing map[string]bool) error {
	return requestErrorf("process %d may begin in more than %d states: give more of \"at\" and \"vars\" (%s) in a "+
		"line with \"initial\"", process, maxLocals, strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
}

// requestErrorf returns the error that a log does not say enough.
func requestErrorf(format string, args ...any) error {
	return &model.RequestError{Err: fmt.Errorf(format, args...)}
}

// eachLocal calls yield with the number of each local state at a point with some given values, by index.
func (n *network) eachLocal(point *ir.Point, given map[int]int64, yield func(v model.Value)) {
	env := make([]int64, len(point.Live))
	var choose func(i int)
	choose = func(i int) {
		if i == len(env) {
			s := &step.State{Processes: []ir.Local{{Point: point, Env: slices.Clone(env)}}}
			yield(n.sys.Encode(nil, s)[n.sys.SlotOfProcess(0)]) // processes share the numbers of local states
			return
		}
		if value, ok := given[i]; ok {
			env[i] = value
			choose(i + 1)
			return
		}
		for value := range point.Live[i].Type.Values() {
			env[i] = value
			choose(i + 1)
		}
	}
	choose(0)
}

// openStates returns the states in which the log may begin: one if what is open can be decided late.
func (n *network) openStates() ([][]model.Value, error) {
	m := n.openStart
	if err := m.findLocals(n); err != nil {
		return nil, err
	}
	state := slices.Concat(make([]model.Value, n.size), n.knownValues, make([]model.Value, len(n.receiptGroups)))
	for link := range n.receiptGroups {
		if contents, given := m.contents[link]; given {
			state[n.sys.SlotOfLink(link)] = n.sys.EncodeContents(contents)
		} else if state[n.sys.SlotOfLink(link)] = compile.Empty; !m.empty[link] {
			state[n.openSlot(link)] = open
		}
	}
	states := [][]model.Value{state}
	late := n.protocol.Reads() == nil && len(n.sharedGroups) == 0 // else a step depends on several local states
	for process, locals := range m.locals {
		slot := n.sys.SlotOfProcess(process)
		if late && len(locals) > 1 {
			state[slot] = uninitialized
			continue
		}
		if len(states)*len(locals) > maxLocals {
			return nil, requestErrorf("the log may begin in more than %d states: give more of \"at\" and \"vars\" of "+
				"process %d in a line with \"initial\"", maxLocals, process)
		}
		var all [][]model.Value
		for _, s := range states {
			for _, local := range locals {
				s = slices.Clone(s)
				s[slot] = local
				all = append(all, s)
			}
		}
		if states = all; late {
			state = states[0]
		}
	}
	return states, nil
}

// openSlot returns the index in a state of the value that says whether the channel of a link is open.
func (n *network) openSlot(link int) int { return n.size + len(n.knownValues) + link }

// openChannels reports whether a channel may hold unknown messages in a state.
func (m *openStart) openChannels(state []model.Value) bool {
	return slices.Contains(state[len(state)-len(m.links):], open)
}

// open reports whether a part of a state is open.
func (m *openStart) open(state []model.Value) bool {
	return slices.Contains(state, uninitialized) || m.openChannels(state)
}

// expectAny permits actions about any unknown message.
func (m *openStart) expectAny() { m.receipt, m.fault = messageFilter{any: true}, messageFilter{} }

// expect restricts the actions about unknown messages to those that explain the next event of a process after a cut.
// Without such an event it permits all.
func (m *openStart) expect(n *network, t *trace, c cut, process int) {
	m.expectAny()
	next := func(process int, kind model.ActionKind) *pattern {
		event := t.next(c, t.chainOf(process))
		if event < 0 {
			return nil
		}
		q := t.events[event].pattern
		if q.isState || q.kind != kind || process >= 0 && q.process != anyProcess && q.process != process {
			return nil
		}
		return q
	}
	if n.observesAll(model.ReceiveAction) && !t.isOpen(c, t.chainOf(process)) {
		m.receipt = messageFilter{pattern: next(process, model.ReceiveAction)}
	}
	// Faults without a line change no known message.
	m.fault = messageFilter{pattern: next(noProcess, model.FaultAction)}
}

// unknownMessages lists the messages that an action may be about, each as the contents of a channel.
func (m *openStart) unknownMessages(n *network, a messageFilter) (list []model.Value, err error) {
	tooMany := requestErrorf(`a channel may hold too many messages: log each receipt with its message and args, or ` +
		`give "messages" in a line with "initial"`)
	if a.any || a.pattern != nil && a.pattern.message == nil {
		list, ok := n.possibleMessages()
		if !ok {
			return nil, tooMany
		}
		return list, nil
	}
	if a.pattern == nil {
		return nil, nil
	}
	list, ok := m.messages[a.pattern]
	if ok {
		return list, nil
	}
	const limit = 1 << 16
	q := *a.pattern
	q.args = slices.Clone(q.args)
	if q.args == nil {
		q.args = slices.Repeat([]int64{wildcard}, len(q.message.Fields))
	}
	var choose func(i int) bool
	choose = func(i int) bool {
		switch {
		case i == len(q.args):
			list = append(list, n.sys.EncodeContents([]ir.Content{q.content()}))
			return len(list) <= limit
		case q.args[i] != wildcard || q.message.Fields[i].Type.Kind == ir.Absent:
			return choose(i + 1)
		}
		defer func() { q.args[i] = wildcard }()
		for value := range q.message.Fields[i].Type.Values() {
			if q.args[i] = value; !choose(i + 1) {
				return false
			}
		}
		return true
	}
	if !choose(0) {
		return nil, tooMany
	}
	if len(m.messages) >= limit {
		clear(m.messages)
	}
	m.messages[a.pattern] = list
	return list, nil
}

// openMoves appends the moves of a process, or of noProcess, in a state with open parts.
func (n *network) openMoves(list []move, state []model.Value, process int, match matcher) ([]move, error) {
	groups := n.groupsOf(process)
	list, err := n.openGroupMoves(list, state, process, groups, match)
	if process < 0 || state[n.sys.SlotOfProcess(process)] != uninitialized {
		return list, err
	}
	slot := n.sys.SlotOfProcess(process)
	var own []int
	for _, g := range groups {
		if slices.Contains(n.sys.Groups()[g].Slots, slot) {
			own = append(own, g)
		}
	}
	for _, local := range n.openStart.locals[process] {
		if err != nil {
			return nil, err
		}
		first, known := len(list), slices.Clone(state)
		known[slot] = local
		list, err = n.openGroupMoves(list, known, process, own, match)
		for i := first; i < len(list); i++ {
			list[i].origin = &local
		}
	}
	return list, err
}

// openGroupMoves appends the moves of a process by groups, including those about unknown messages.
func (n *network) openGroupMoves(list []move, state []model.Value, process int, groups []int, match matcher) (
	[]move, error) {
	for _, g := range groups {
		first := len(list)
		list = n.groupMoves(list, state, process, []int{g}, match)
		link, receives := n.takenFrom(g)
		if link < 0 || state[n.openSlot(link)] != open {
			continue
		}
		channel, expected := n.sys.SlotOfLink(link), n.openStart.fault
		if receives {
			expected = n.openStart.receipt
			if n.protocol.Channel.InOrder() { // all unknown messages have been received before
				for i := first; i < len(list); i++ {
					list[i].after[n.openSlot(link)] = 0
				}
			} else if n.protocol.Channel.First && state[channel] != compile.Empty {
				continue
			}
		}
		messages, err := n.openStart.unknownMessages(n, expected)
		if err != nil {
			return nil, err
		}
		with := slices.Clone(state)
		for _, message := range messages {
			first, with[channel] = len(list), message
			list = n.groupMoves(list, with, process, []int{g}, match)
			for i := first; i < len(list); i++ {
				list[i].after[channel], list[i].unknown = state[channel], true
			}
		}
	}
	return list, nil
}

// takenFrom returns the link from which a group receives or, if receives is false, on which it has faults. It returns
// -1 for other groups.
func (n *network) takenFrom(group int) (link int, receives bool) {
	role, slots := n.sys.Role(group), n.sys.Groups()[group].Slots
	if role.Kind == compile.Receives {
		return n.openStart.links[slots[role.Channel]], true
	}
	isProcess := func(slot int) bool { return n.sys.Slots()[slot].Kind == model.ProcessSlot }
	if link, ok := n.openStart.links[slots[0]]; ok && !slices.ContainsFunc(slots, isProcess) {
		return link, false
	}
	return -1, false
}

// openObservations appends the observations of the local states of an uninitialized process that an event describes.
func (n *network) openObservations(list []move, state []model.Value, q *pattern, event int) []move {
	for _, local := range n.openStart.locals[q.process] {
		if q.matchesLocal(n.sys, local, n.pointNames) {
			after := slices.Clone(state)
			after[n.sys.SlotOfProcess(q.process)] = local
			list = append(list,
				move{group: observation, process: q.process, event: event, after: after, origin: &local})
		}
	}
	return list
}

// openRun returns the moves of the compiled system in a path from the state in which the log begins.
func (n *network) openRun(start []model.Value, path []move) (moves []model.Move, err error) {
	origins := make([]model.Value, n.protocol.N)
	for p := range origins {
		origins[p] = n.openStart.locals[p][0]
		first := slices.IndexFunc(path, func(m move) bool { return m.process == p && m.origin != nil })
		if first >= 0 {
			origins[p] = *path[first].origin
		}
	}
	add := func(step model.Step, state []model.Value) {
		state = slices.Clone(state[:n.size])
		for p, origin := range origins {
			if slot := n.sys.SlotOfProcess(p); state[slot] == uninitialized {
				state[slot] = origin
			}
		}
		moves = append(moves, model.Move{Step: step, State: state})
	}
	add(model.Step{}, start)
	for i := range path {
		if path[i].unknown {
			return nil, &model.RequestError{Option: "run", Err: errors.New(
				`the log does not give all messages that were in channels at its beginning ("messages")`)}
		}
		if path[i].group >= 0 {
			add(path[i].step, path[i].after)
		}
	}
	return moves, nil
}

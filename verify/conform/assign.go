package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// clearKnownValues removes all that is known of the initial state.
func (n *network) clearKnownValues() {
	n.openStart = nil
	n.knownValues = slices.Repeat([]model.Value{unbound}, len(n.protocol.Start.Assignments)*n.protocol.N)
}

// initialStates returns the states in which a log can begin: one if processes can be initialized later.
func (n *network) initialStates() ([][]model.Value, error) {
	if n.openStart != nil {
		return n.openStates()
	}
	all := slices.Repeat([]model.Value{unbound}, len(n.knownValues))
	shares := n.protocol.Reads() != nil || len(n.protocol.Shared) > 0
	if shares || n.protocol.Start.Condition != nil || !n.startsIndependently() {
		return n.allInitialStates()
	}
	state, _, err := n.initialState(all)
	if err != nil {
		return nil, err
	}
	for process := 0; process < n.protocol.N && len(all) > 0; process++ {
		state[n.sys.SlotOfProcess(process)] = uninitialized
	}
	state, err = n.initializeKnown(state)
	return [][]model.Value{state}, err
}

// startsIndependently reports whether the initial state of a process depends only on the values assigned to it, and the
// initial channels on no assigned values.
func (n *network) startsIndependently() bool {
	s := &n.protocol.Start
	own := func(a *ir.AssignedValue) bool {
		e := a.Process
		if c, is := e.(*ir.Convert); is {
			e = c.X
		}
		v, is := e.(*ir.VarRef)
		return is && v.Var == s.Number
	}
	for _, d := range s.Contents {
		for _, e := range d.Args {
			if refersTo(e, func(*ir.AssignedValue) bool { return false }) {
				return false
			}
		}
	}
	var starts []ir.Expr
	for t := range ir.Terms(s.Term) {
		starts = append(starts, ir.PartsOf(t).Exprs...)
	}
	for _, v := range n.protocol.Vars {
		starts = append(starts, v.Init)
	}
	return !slices.ContainsFunc(starts, func(e ir.Expr) bool { return e != nil && refersTo(e, own) })
}

// refersTo reports whether an expression has an assigned value, except for some.
func refersTo(e ir.Expr, except func(*ir.AssignedValue) bool) (found bool) {
	ir.Walk(e, func(x ir.Expr) bool {
		a, is := x.(*ir.AssignedValue)
		found = found || is && !except(a)
		return !found
	})
	return found
}

// allInitialStates returns an initial state for each combination of assigned values that fits the known ones.
func (n *network) allInitialStates() (all [][]model.Value, err error) {
	values := slices.Repeat([]model.Value{unbound}, len(n.knownValues))
	var choose func(process int) error
	choose = func(process int) error {
		if process < n.protocol.N {
			return n.eachAssignment(values, process, func() error { return choose(process + 1) })
		}
		if len(all) == maxCombinations {
			return errCombinations
		}
		state, allowed, err := n.initialState(values)
		if allowed {
			all = append(all, state)
		}
		return err
	}
	err = choose(0)
	return all, err
}

// initialState returns the initial state with assigned values, in the order of the end of a state, and whether the
// condition on initial states allows it. Unbound values are arbitrary.
func (n *network) initialState(values []model.Value) (state []model.Value, allowed bool, err error) {
	rest := values
	processes, channels, shared, allowed, err := n.protocol.Begin(nil, func(a *ir.Assignment, list []int64) {
		for i := range list {
			list[i] = a.Values.Lo
			if rest[i] != unbound {
				list[i] += int64(rest[i])
			}
		}
		rest = rest[len(list):]
	})
	if err != nil {
		return nil, false, err
	}
	state = n.sys.Encode(nil, &step.State{Processes: processes, Channels: channels, Shared: shared})
	return append(state, values...), allowed, nil
}

// eachAssignment calls yield with each combination of values that a process may be assigned. The list values has the
// bound values.
func (n *network) eachAssignment(values []model.Value, process int, yield func() error) error {
	all := n.protocol.Start.Assignments
	var choose func(a int) error
	choose = func(a int) error {
		if a == len(all) {
			return yield()
		}
		at := a*n.protocol.N + process
		before := values[at]
		defer func() { values[at] = before }()
		size := uint64(1)
		if all[a].Varies(process) {
			size, _ = all[a].Values.Size()
		}
		for v := range model.Value(size) {
			if n.fits(values, a, process, v) && n.fits(n.knownValues, a, process, v) {
				values[at] = v
				if err := choose(a + 1); err != nil {
					return err
				}
				values[at] = before
			}
		}
		return nil
	}
	return choose(0)
}

// fits reports whether a process may have a value of an assignment. The list values has the bound values.
func (n *network) fits(values []model.Value, a, process int, v model.Value) bool {
	for p, other := range values[a*n.protocol.N : (a+1)*n.protocol.N] {
		if other == unbound {
			continue
		}
		if p == process && other != v || p != process && other == v && n.protocol.Start.Assignments[a].Permutation {
			return false
		}
	}
	return true
}

// fitsAll reports whether a process may have the values of an event. The list values has the bound values.
func (n *network) fitsAll(values []model.Value, q *pattern) bool {
	for a, v := range q.assign {
		if v != wildcard && !n.fits(values, a, q.process, n.index(a, v)) {
			return false
		}
	}
	return true
}

// index returns the index of a value among the values of an assignment.
func (n *network) index(a int, v int64) model.Value {
	return model.Value(v - n.protocol.Start.Assignments[a].Values.Lo)
}

// recordValues records the assigned values of an event. It is false if they contradict the known ones.
func (n *network) recordValues(q *pattern) bool {
	if !n.fitsAll(n.knownValues, q) {
		return false
	}
	for a, v := range q.assign {
		if v != wildcard {
			n.knownValues[a*n.protocol.N+q.process] = n.index(a, v)
		}
	}
	return true
}

// assignmentEvents returns the assigned values of each process as events, none if there are no assignments.
func (n *network) assignmentEvents(values []model.Value) (events []Event) {
	all := n.protocol.Start.Assignments
	for p := 0; p < n.protocol.N && len(all) > 0; p++ {
		e := Event{Process: p, Assign: make(map[string]any)}
		for a, assignment := range all {
			if !assignment.Varies(p) {
				continue // the value does not matter
			}
			v := assignment.Values.Lo + int64(values[a*n.protocol.N+p])
			e.Assign[assignment.Name] = jsonValue(assignment.Values, v)
		}
		events = append(events, e)
	}
	return events
}

// initializeKnown initializes the processes of a state whose assigned values are all known.
func (n *network) initializeKnown(state []model.Value) (_ []model.Value, err error) {
	for p := 0; p < n.protocol.N && err == nil; p++ {
		complete := state[n.sys.SlotOfProcess(p)] == uninitialized
		for a := range n.protocol.Start.Assignments {
			complete = complete && n.knownValues[a*n.protocol.N+p] != unbound
		}
		if complete {
			err = n.initialize(state, p, func(after []model.Value) { state = after })
		}
	}
	return state, err
}

// initialize calls yield with the states after the initialization of a process.
func (n *network) initialize(state []model.Value, process int, yield func(after []model.Value)) error {
	after := slices.Clone(state)
	return n.eachAssignment(after[n.size:], process, func() error {
		l, err := n.localStart(after[n.size:], process)
		if err == nil {
			state := slices.Clone(after)
			state[n.sys.SlotOfProcess(process)] = l
			yield(state)
		}
		return err
	})
}

// localStart returns the initial local state of a process with its values in a list.
func (n *network) localStart(values []model.Value, process int) (model.Value, error) {
	own := slices.Clone(values)
	key := step.AppendKey(nil, int64(process))
	for at := range own {
		if at%n.protocol.N == process {
			key = step.AppendKey(key, int64(own[at]))
		} else {
			own[at] = unbound
		}
	}
	if l, ok := n.localStarts[string(key)]; ok {
		return l, nil
	}
	state, _, err := n.initialState(own)
	if err != nil {
		return 0, err
	}
	l := state[n.sys.SlotOfProcess(process)]
	n.localStarts[string(key)] = l
	return l, nil
}

// systemRun returns the moves of the compiled system in a path from a state, and the assigned values. Processes that
// are uninitialized at the end have made no move. They get some values that are left.
func (n *network) systemRun(start []model.Value, path []move) (moves []model.Move, values []model.Value, err error) {
	end := start
	if len(path) > 0 {
		end = path[len(path)-1].after
	}
	if n.openStart != nil {
		moves, err = n.openRun(start, path)
		return moves, end[n.size:], err
	}
	for p := 0; p < n.protocol.N && err == nil; p++ {
		if end[n.sys.SlotOfProcess(p)] == uninitialized {
			err = n.initialize(end, p, func(after []model.Value) { end = after })
		}
	}
	add := func(step model.Step, state []model.Value) {
		state = slices.Clone(state[:n.size])
		for p := 0; p < n.protocol.N && err == nil; p++ {
			if slot := n.sys.SlotOfProcess(p); state[slot] == uninitialized {
				state[slot], err = n.localStart(end[n.size:], p)
			}
		}
		moves = append(moves, model.Move{Step: step, State: state})
	}
	add(model.Step{}, start)
	for i := range path {
		if m := &path[i]; m.group >= 0 {
			add(m.step, m.after)
		}
	}
	return moves, end[n.size:], err
}

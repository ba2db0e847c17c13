package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// forget forgets what was assigned.
func (n *network) forget() {
	n.given = slices.Repeat([]model.Value{unbound}, len(n.protocol.Start.Assignments)*n.protocol.N)
}

// initial returns the states in which a log can begin: one if processes can be initialized later.
func (n *network) initial() ([][]model.Value, error) {
	all := slices.Repeat([]model.Value{unbound}, len(n.given))
	if n.protocol.Reads() != nil || !n.independent() {
		return n.combinations()
	}
	state, err := n.begin(all)
	if err != nil {
		return nil, err
	}
	for process := 0; process < n.protocol.N && len(all) > 0; process++ {
		state[n.sys.SlotOfProcess(process)] = uninitialized
	}
	state, err = n.settled(state)
	return [][]model.Value{state}, err
}

// independent reports whether the start of each process depends on no values but those assigned to it, and that of the
// channels on none.
func (n *network) independent() bool {
	s := &n.protocol.Start
	own := func(a *ir.Assigned) bool {
		e := a.Process
		if c, is := e.(*ir.Convert); is {
			e = c.X
		}
		v, is := e.(*ir.VarRef)
		return is && v.Var == s.Number
	}
	for _, d := range s.Contents {
		for _, e := range d.Args {
			if depends(e, func(*ir.Assigned) bool { return false }) {
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
	return !slices.ContainsFunc(starts, func(e ir.Expr) bool { return e != nil && depends(e, own) })
}

// depends reports whether an expression has an assigned value that is not allowed.
func depends(e ir.Expr, allowed func(*ir.Assigned) bool) (found bool) {
	ir.Walk(e, func(x ir.Expr) bool {
		a, is := x.(*ir.Assigned)
		found = found || is && !allowed(a)
		return !found
	})
	return found
}

// combinations returns an initial state for each combination of assigned values that fits what is given.
func (n *network) combinations() (all [][]model.Value, err error) {
	values := slices.Repeat([]model.Value{unbound}, len(n.given))
	var choose func(process int) error
	choose = func(process int) error {
		if process < n.protocol.N {
			return n.bind(values, process, func() error { return choose(process + 1) })
		}
		if len(all) == maxCombinations {
			return errCombinations
		}
		state, err := n.begin(values)
		all = append(all, state)
		return err
	}
	err = choose(0)
	return all, err
}

// begin returns the initial state with the given values, in the order of the end of a state. What is unbound does not
// matter.
func (n *network) begin(values []model.Value) ([]model.Value, error) {
	rest := values
	processes, channels, err := n.protocol.Begin(nil, func(a *ir.Assignment, list []int64) {
		for i := range list {
			list[i] = a.Values.Lo
			if rest[i] != unbound {
				list[i] += int64(rest[i])
			}
		}
		rest = rest[len(list):]
	})
	if err != nil {
		return nil, err
	}
	return append(n.sys.Encode(nil, &step.State{Processes: processes, Channels: channels}), values...), nil
}

// bind calls yield with each combination of values that a process may be given beside those that are bound in a list.
func (n *network) bind(values []model.Value, process int, yield func() error) error {
	all := n.protocol.Start.Assignments
	var choose func(a int) error
	choose = func(a int) error {
		if a == len(all) {
			return yield()
		}
		at := a*n.protocol.N + process
		before := values[at]
		defer func() { values[at] = before }()
		size, _ := all[a].Values.Size()
		for v := range model.Value(size) {
			if n.allows(values, a, process, v) && n.allows(n.given, a, process, v) {
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

// allows reports whether a process may have a value beside those that are bound in a list.
func (n *network) allows(values []model.Value, a, process int, v model.Value) bool {
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

// agrees reports whether what an event says was assigned may be so beside the values that are bound in a list.
func (n *network) agrees(values []model.Value, q *pattern) bool {
	for a, said := range q.assign {
		if said != anything && !n.allows(values, a, q.process, n.number(a, said)) {
			return false
		}
	}
	return true
}

// number returns the number of an assigned value among all.
func (n *network) number(a int, v int64) model.Value {
	return model.Value(v - n.protocol.Start.Assignments[a].Values.Lo)
}

// give notes assigned values that a log tells. It is false if they contradict those told before.
func (n *network) give(q *pattern) bool {
	if !n.agrees(n.given, q) {
		return false
	}
	for a, said := range q.assign {
		if said != anything {
			n.given[a*n.protocol.N+q.process] = n.number(a, said)
		}
	}
	return true
}

// assignments returns what each process is assigned as events, if anything is.
func (n *network) assignments(values []model.Value) (events []Event) {
	all := n.protocol.Start.Assignments
	for p := 0; p < n.protocol.N && len(all) > 0; p++ {
		e := Event{Process: p, Assign: make(map[string]any)}
		for a, assignment := range all {
			v := assignment.Values.Lo + int64(values[a*n.protocol.N+p])
			e.Assign[assignment.Name] = plain(assignment.Values, v)
		}
		events = append(events, e)
	}
	return events
}

// settled returns a state in which the processes are initialized of which the log has told all assigned values.
func (n *network) settled(state []model.Value) (_ []model.Value, err error) {
	for p := 0; p < n.protocol.N && err == nil; p++ {
		told := state[n.sys.SlotOfProcess(p)] == uninitialized
		for a := range n.protocol.Start.Assignments {
			told = told && n.given[a*n.protocol.N+p] != unbound
		}
		if told {
			err = n.initialize(state, p, func(after []model.Value) { state = after })
		}
	}
	return state, err
}

// initialize calls yield with the states after the initialization of a process.
func (n *network) initialize(state []model.Value, process int, yield func(after []model.Value)) error {
	after := slices.Clone(state)
	return n.bind(after[n.size:], process, func() error {
		l, err := n.start(after[n.size:], process)
		if err == nil {
			state := slices.Clone(after)
			state[n.sys.SlotOfProcess(process)] = l
			yield(state)
		}
		return err
	})
}

// start returns the local state in which a process begins with the values that it has in a list.
func (n *network) start(values []model.Value, process int) (model.Value, error) {
	own := slices.Clone(values)
	key := step.AppendKey(nil, int64(process))
	for at := range own {
		if at%n.protocol.N == process {
			key = step.AppendKey(key, int64(own[at]))
		} else {
			own[at] = unbound
		}
	}
	if l, ok := n.starts[string(key)]; ok {
		return l, nil
	}
	state, err := n.begin(own)
	if err != nil {
		return 0, err
	}
	l := state[n.sys.SlotOfProcess(process)]
	n.starts[string(key)] = l
	return l, nil
}

// run returns the moves of the compiled system that a path from a state stands for, and the assigned values. Processes
// that are uninitialized at its end, which have done nothing, are given values that are left.
func (n *network) run(start []model.Value, path []move) (moves []model.Move, values []model.Value, err error) {
	end := start
	if len(path) > 0 {
		end = path[len(path)-1].after
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
				state[slot], err = n.start(end[n.size:], p)
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

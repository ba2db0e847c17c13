package conform

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// initial returns the states in which a log can begin: one if births can wait.
func (n *network) initial() ([][]model.Value, error) {
	p := n.protocol
	none := func(a *ir.Assignment, values []int64) {
		for i := range values {
			values[i] = a.Values.Lo
		}
	}
	if p.Reads() == nil && n.independent() {
		processes, channels, err := p.Begin(nil, none)
		if err != nil {
			return nil, err
		}
		state := n.sys.Encode(nil, &step.State{Processes: processes, Channels: channels})
		for range p.Start.Assignments {
			state = append(state, slices.Repeat([]model.Value{unbound}, p.N)...)
		}
		if len(p.Start.Assignments) > 0 {
			for process := range p.N {
				state[n.sys.SlotOfProcess(process)] = unborn
			}
		}
		state, err = n.settled(state)
		return [][]model.Value{state}, err
	}
	return n.combinations()
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
	p := n.protocol
	values := make([][]int64, len(p.Start.Assignments))
	for i := range values {
		values[i] = make([]int64, p.N)
	}
	var choose func(a, process int) error
	choose = func(a, process int) error {
		switch {
		case a == len(values):
			if len(all) == maxCombinations {
				return errCombinations
			}
			state, err := n.begin(values)
			all = append(all, state)
			return err
		case process == p.N:
			return choose(a+1, 0)
		}
		assignment := p.Start.Assignments[a]
		for v := range assignment.Values.Values() {
			if !equal(assignment.Values, v, n.given[process][a]) ||
				assignment.Permutation && slices.Contains(values[a][:process], v) {
				continue
			}
			values[a][process] = v
			if err := choose(a, process+1); err != nil {
				return err
			}
		}
		return nil
	}
	err = choose(0, 0)
	return all, err
}

// begin returns the initial state with the given values, by assignment and process.
func (n *network) begin(values [][]int64) ([]model.Value, error) {
	next := 0
	processes, channels, err := n.protocol.Begin(nil, func(_ *ir.Assignment, list []int64) {
		copy(list, values[next])
		next++
	})
	if err != nil {
		return nil, err
	}
	state := n.sys.Encode(nil, &step.State{Processes: processes, Channels: channels})
	for a, list := range values {
		for _, v := range list {
			state = append(state, model.Value(v-n.protocol.Start.Assignments[a].Values.Lo))
		}
	}
	return state, nil
}

// give notes assigned values that a log tells. It is false if they contradict those told before.
func (n *network) give(q *pattern) bool {
	if n.given[q.process] == nil {
		n.given[q.process] = make(map[int]any)
	}
	for a, said := range q.assign {
		values := n.protocol.Start.Assignments[a].Values
		for v := range values.Values() {
			if before := n.given[q.process][a]; said != nil && equal(values, v, said) &&
				(!equal(values, v, before) || n.reserved(a, q.process, v)) {
				return false
			}
		}
		if said != nil {
			n.given[q.process][a] = said
		}
	}
	return true
}

// assignments returns what each process is assigned as events, if anything is.
func (n *network) assignments(value func(a, process int) int64) (events []Event) {
	all := n.protocol.Start.Assignments
	for p := 0; p < n.protocol.N && len(all) > 0; p++ {
		e := Event{Process: p, Assign: make(map[string]any)}
		for a, assignment := range all {
			e.Assign[assignment.Name] = plain(assignment.Values, value(a, p))
		}
		events = append(events, e)
	}
	return events
}

// settled returns a state with the births of the processes of which the log has told all assigned values.
func (n *network) settled(state []model.Value) (_ []model.Value, err error) {
	for p := 0; p < n.protocol.N && err == nil; p++ {
		told := len(n.given[p]) > 0 && state[n.sys.SlotOfProcess(p)] == unborn
		for a := range n.protocol.Start.Assignments {
			told = told && n.given[p][a] != nil
		}
		if told {
			err = n.born(state, p, func(_ int, after []model.Value) { state = after })
		}
	}
	return state, err
}

// agrees reports whether a state has assigned values, as far as they are bound.
func (n *network) agrees(state []model.Value, q *pattern) bool {
	for a, said := range q.assign {
		values := n.protocol.Start.Assignments[a].Values
		for p, v := range state[n.assigned(a, 0):n.assigned(a, n.protocol.N)] {
			if v == unbound || said == nil {
				continue
			}
			same := equal(values, values.Lo+int64(v), said)
			if p == q.process && !same || p != q.process && same && n.protocol.Start.Assignments[a].Permutation {
				return false
			}
		}
	}
	return true
}

// assigned returns where in a state the value of an assignment for a process is.
func (n *network) assigned(a, process int) int { return n.size + a*n.protocol.N + process }

// born calls yield with the states after the birth of a process: for each combination of the values that are left, with
// its number among all combinations.
func (n *network) born(state []model.Value, process int, yield func(index int, after []model.Value)) error {
	all := n.protocol.Start.Assignments
	var choose func(a, index int, after []model.Value) error
	choose = func(a, index int, after []model.Value) error {
		if a == len(all) {
			l, err := n.start(after, process)
			if err != nil {
				return err
			}
			after = slices.Clone(after)
			after[n.sys.SlotOfProcess(process)] = l
			yield(index, after)
			return nil
		}
		size, _ := all[a].Values.Size()
		used := state[n.assigned(a, 0):n.assigned(a, n.protocol.N)]
		for v := range all[a].Values.Values() {
			number := model.Value(v - all[a].Values.Lo)
			if !equal(all[a].Values, v, n.given[process][a]) ||
				all[a].Permutation && slices.Contains(used, number) || n.reserved(a, process, v) {
				continue
			}
			after[n.assigned(a, process)] = number
			if err := choose(a+1, index*int(size)+int(number), after); err != nil {
				return err
			}
		}
		return nil
	}
	return choose(0, 0, slices.Clone(state))
}

// reserved reports whether the log says that another process has a value of which there is one.
func (n *network) reserved(a, process int, v int64) bool {
	assignment := n.protocol.Start.Assignments[a]
	for other, given := range n.given {
		said := given[a]
		if assignment.Permutation && other != process && said != nil && equal(assignment.Values, v, said) {
			return true
		}
	}
	return false
}

// start returns the local state in which a process begins with the values that it has in a state.
func (n *network) start(state []model.Value, process int) (model.Value, error) {
	key := step.AppendKey(nil, int64(process))
	for a := range n.protocol.Start.Assignments {
		key = step.AppendKey(key, int64(state[n.assigned(a, process)]))
	}
	if l, ok := n.births[string(key)]; ok {
		return l, nil
	}
	a := 0
	processes, channels, err := n.protocol.Begin(nil, func(of *ir.Assignment, values []int64) {
		for i := range values {
			values[i] = of.Values.Lo
		}
		values[process] += int64(state[n.assigned(a, process)])
		a++
	})
	if err != nil {
		return 0, err
	}
	whole := n.sys.Encode(nil, &step.State{Processes: processes, Channels: channels})
	l := whole[n.sys.SlotOfProcess(process)]
	n.births[string(key)] = l
	return l, nil
}

// values returns the assigned values at the end of a path, by assignment and process.
func (n *network) values(start []model.Value, path []link) ([][]int64, error) {
	end := slices.Clone(start)
	for _, l := range path {
		if l.group != birth || l.process < 0 {
			continue
		}
		err := n.born(end, int(l.process), func(index int, after []model.Value) {
			if index == l.index {
				copy(end, after)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for p := range n.protocol.N {
		if end[n.sys.SlotOfProcess(p)] != unborn {
			continue
		}
		state := slices.Clone(end)
		if err := n.born(end, p, func(_ int, after []model.Value) { state = after }); err != nil {
			return nil, err
		}
		copy(end, state)
	}
	values := make([][]int64, len(n.protocol.Start.Assignments))
	for a, assignment := range n.protocol.Start.Assignments {
		for p := range n.protocol.N {
			values[a] = append(values[a], int64(end[n.assigned(a, p)])+assignment.Values.Lo)
		}
	}
	return values, nil
}

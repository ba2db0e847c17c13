package prob

import (
	"slices"
	"sync"

	"ringcheck/internal/effort"
)

// The states that reach the goal with probability 0, or 1, depend on the graph alone (Baier and Katoen, Principles of
// Model Checking, Sect. 10.1.1 and 10.6.1). The sets below are fixed points, computed by sweeps in the order of the
// problem. As in data-flow analysis, the number of sweeps is one more than the number of retreating branches on a path
// (Kam and Ullman 1976), which is small.

// A fixpoint computes fixed points over the states of a problem.
type fixpoint struct {
	*effort.Effort
	*Problem
}

// empty returns an empty set of states, and arrived the set that contains only the goal.
func (p *Problem) empty() Set { return NewSet(p.States()) }

func (p *Problem) goalOnly() Set {
	x := p.empty()
	x.Add(p.goal())
	return x
}

func (p *Problem) complement(x Set) Set {
	y := p.empty()
	y.Fill(uint32(p.States()))
	for i, w := range x {
		y[i] &^= w
	}
	return y
}

// leastSet returns the least set that contains the goal, if goal is set, and is closed under rule: s is in it if
// rule(x, s).
func (f *fixpoint) leastSet(goal bool, rule func(x Set, s uint32) bool) Set {
	x := f.empty()
	if goal {
		x.Add(f.goal())
	}
	f.saturate(func(s uint32) bool {
		if x.Has(s) || !rule(x, s) {
			return false
		}
		x.Add(s)
		return true
	})
	return x
}

// greatest returns the greatest set x of states, without the goal, such that rule(x, s) for each s in x.
func (f *fixpoint) greatest(rule func(x Set, s uint32) bool) Set {
	x := f.complement(f.goalOnly())
	f.saturate(func(s uint32) bool {
		if !x.Has(s) || rule(x, s) {
			return false
		}
		x.Remove(s)
		return true
	})
	return x
}

// saturate calls change for the states until it changes none. A component depends only on itself and on those before
// it.
func (f *fixpoint) saturate(change func(s uint32) bool) {
	for c := range len(f.components) - 1 {
		first, end := f.components[c], f.components[c+1]
		for again := true; again; {
			again = false
			for s := first; s < end; s++ {
				if s%stride == 0 {
					f.Check()
				}
				if change(s) {
					again = end-first > 1
				}
			}
		}
	}
}

// leadsInto reports whether a branch of s leads into x.
func (f *fixpoint) leadsInto(x Set, s uint32) bool { return slices.ContainsFunc(f.targets(s), x.Has) }

// avoids reports whether s has a choice all of whose branches lead into x, or no choice.
func (f *fixpoint) avoids(x Set, s uint32) bool {
	for first, end := range f.choices(s) {
		if f.allInto(x, first, end) {
			return true
		}
	}
	return f.Terminal(s)
}

// allInto reports whether the branches [first, end) all lead into x.
func (p *Problem) allInto(x Set, first, end uint32) bool {
	for _, t := range p.to[first:end] {
		if !x.Has(t) {
			return false
		}
	}
	return true
}

// progresses reports whether s has a choice all of whose branches lead into y and one into x.
func (f *fixpoint) progresses(y, x Set, s uint32) bool {
	for first, end := range f.choices(s) {
		if f.allInto(y, first, end) && slices.ContainsFunc(f.to[first:end], x.Has) {
			return true
		}
	}
	return false
}

// A certainty has the states from which a scheduler reaches the goal with probability 0 and with 1, nil until they are
// needed.
type certainty struct {
	sync.Mutex
	zero, sure Set
}

// certain returns the states from which the goal is reached with probability 0, and with 1.
func (f *fixpoint) certain(k Scheduler) (zero, sure Set) {
	c := &f.certainties[k]
	c.Lock()
	defer c.Unlock()
	if c.sure == nil {
		c.zero = f.zero(k)
		c.sure = f.sure(k, c.zero)
	}
	return c.zero, c.sure
}

// zero returns the states from which the goal is reached with probability 0.
func (f *fixpoint) zero(k Scheduler) Set {
	if k == Min { // some scheduler avoids the goal for ever
		return f.greatest(f.avoids)
	}
	return f.complement(f.leastSet(true, f.leadsInto))
}

// sure returns the goal and the states from which it is reached with probability 1, given those with probability 0.
func (f *fixpoint) sure(k Scheduler, zero Set) Set {
	switch {
	case zero.Empty():
		return f.complement(zero)
	case k == Max:
		return f.almost()
	}
	// The probability is less than 1 in a state that can reach one with probability 0 before the goal, for Min by some
	// choices. All others have 1, since the process is finite and under every scheduler in question the goal remains
	// reachable.
	return f.complement(f.leastSet(false, func(x Set, s uint32) bool { return zero.Has(s) || f.leadsInto(x, s) }))
}

// almost returns the states from which some scheduler reaches the goal with probability 1: the greatest set y in which
// each state can reach the goal by choices that stay in y.
func (f *fixpoint) almost() Set {
	y := f.complement(f.empty())
	for {
		x := f.leastSet(true, func(x Set, s uint32) bool { return f.progresses(y, x, s) })
		if x.Len() == y.Len() {
			return x
		}
		y = x
	}
}

// An end component is a part of a process in which a scheduler can stay for ever, going from each state to each other
// (de Alfaro 1997). If staying is free, the equations have several solutions, since staying for ever supports any
// value. Merging the states of the end component into one, with the choices that leave it, changes no value and makes
// the solution unique (Haddad and Monmege 2018).

// An exclusion reports whether a choice cannot be part of an end component.
type exclusion func(first, end uint32) bool

// stays reports whether a choice of s is not excluded and leads only to states of the component of s.
func (f *fixpoint) stays(of []uint32, s, first, end uint32, excluded exclusion) bool {
	for _, t := range f.to[first:end] {
		if of[t] != of[s] {
			return false
		}
	}
	return of[s] != 0 && !excluded(first, end)
}

// endComponents returns the maximal end components of choices that are not excluded: for each state the number of its
// component, from 1 on, or 0, and the number of components.
func (f *fixpoint) endComponents(excluded exclusion) ([]uint32, uint32) {
	of := make([]uint32, f.States())
	x := f.greatest(func(x Set, s uint32) bool {
		for first, end := range f.choices(s) {
			if f.allInto(x, first, end) && !excluded(first, end) {
				return true
			}
		}
		return false
	})
	if x.Empty() {
		return of, 0
	}
	for s := range f.states() {
		if x.Has(s) {
			of[s] = 1
		}
	}
	// Each round keeps the choices that stay in a component of the round before, until it removes none.
	for kept := -1; ; {
		part := f.part(func(s, first, end uint32) bool { return f.stays(of, s, first, end, excluded) })
		number := prepare(f.Effort, part, Goal{}).number(of)
		if len(part.to) == kept {
			return of, number
		}
		kept = len(part.to)
	}
}

// part returns the process with the states of f and their choices that has accepts. States with choices are initial.
func (f *fixpoint) part(has func(s, first, end uint32) bool) *MDP {
	m := &MDP{rows: make([]uint32, 1, f.States()+1), classes: f.classes}
	for s := range uint32(f.States()) {
		for first, end := range f.choices(s) {
			if has(s, first, end) {
				m.to = append(m.to, f.to[first:end]...)
				m.class = append(m.class, f.class[first:end]...)
			}
		}
		m.rows = append(m.rows, uint32(len(m.to)))
		if !m.Terminal(s) {
			m.initial = append(m.initial, start{s, 1})
		}
	}
	return m
}

// number sets of to the numbers, from 1 on, of the components of p that have choices, and returns their count.
func (p *Problem) number(of []uint32) uint32 {
	clear(of)
	number := uint32(0)
	for c := range len(p.components) - 1 {
		if first := p.components[c]; !p.Terminal(first) {
			number++
			for s := first; s < p.components[c+1]; s++ {
				of[p.origin[s]] = number
			}
		}
	}
	return number
}

// merge returns the problem in which each end component of choices that are not excluded is one state, without the
// choices that stay in it, and the states of terminal have no choices.
func (f *fixpoint) merge(excluded exclusion, terminal Set) *fixpoint {
	of, number := f.endComponents(excluded)
	if number == 0 {
		return f
	}
	states := make([][]uint32, number) // by merged state: its members; end components come first
	merged := make([]uint32, f.States())
	for s := range merged {
		if c := of[s]; c != 0 {
			merged[s] = c - 1
			states[c-1] = append(states[c-1], uint32(s))
		} else {
			merged[s] = uint32(len(states))
			states = append(states, []uint32{uint32(s)})
		}
	}
	m := &MDP{rows: []uint32{0}, classes: f.classes}
	for _, members := range states {
		for _, s := range members {
			for first, end := range f.choices(s) {
				if terminal.Has(s) || f.stays(of, s, first, end, excluded) {
					continue
				}
				for i := first; i < end; i++ {
					m.to = append(m.to, merged[f.to[i]])
					m.class = append(m.class, f.class[i])
				}
			}
		}
		m.rows = append(m.rows, uint32(len(m.to)))
	}
	for _, s := range f.initial {
		m.initial = append(m.initial, start{merged[s.state], s.weight})
	}
	goal := NewSet(m.States())
	goal.Add(merged[f.goal()])
	return &fixpoint{f.Effort, prepare(f.Effort, m, Goal{States: goal})}
}

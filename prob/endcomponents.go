package prob

import "slices"

// A part of a process is an end component if a scheduler can stay in it for ever and go from each of its states to each
// (de Alfaro 1997). Where that costs nothing, equations have more than one solution: "stay for ever" supports any value.
// Merging the states of an end component into one, which has the choices that leave it, changes no probability and makes
// the solution unique (Haddad and Monmege 2018).

// restless reports whether a choice cannot be part of an end component.
type restless func(first, end uint32) bool

// endComponents returns the maximal end components that are made of choices that are not restless: for each state the
// number of its component, from 1 on, or 0, and the number of components.
func (f *flagger) endComponents(no restless) ([]uint32, uint32) {
	of := make([]uint32, f.states()+1)
	stays := func(s uint32, same func(t uint32) bool, yield func(first, end uint32)) {
		f.each(s, func(first, end uint32) bool {
			if !no(first, end) && !slices.ContainsFunc(f.to[first:end], func(t uint32) bool { return !same(t) }) {
				yield(first, end)
			}
			return true
		})
	}
	x := f.greatest(func(x Set, s uint32) bool {
		found := false
		stays(s, x.Has, func(uint32, uint32) { found = true })
		return found
	})
	for s := range f.states() {
		if x.Has(s) {
			of[s] = 1
		}
	}
	// Each round keeps the choices that stay in a component of the round before, until that takes none away.
	for kept := -1; f.err == nil; {
		part := f.part(func(s uint32, yield func(first, end uint32)) {
			if of[s] != 0 {
				stays(s, func(t uint32) bool { return of[t] == of[s] }, yield)
			}
		})
		p, err := Prepare(f.ctx, part, Goal{})
		if f.err = err; err != nil {
			break
		}
		number := p.number(of)
		if len(part.to) == kept {
			return of, number
		}
		kept = len(part.to)
	}
	return of, 0
}

// part returns the process that has the states of p and those of its choices that each yields.
func (f *flagger) part(each func(s uint32, yield func(first, end uint32))) *MDP {
	m := &MDP{rows: make([]uint32, 1, f.states()+2), classes: f.classes}
	for s := range f.states() {
		each(s, func(first, end uint32) {
			m.to = append(m.to, f.to[first:end]...)
			m.class = append(m.class, f.class[first:end]...)
		})
		m.rows = append(m.rows, uint32(len(m.to)))
		if m.rows[s] != m.rows[s+1] {
			m.initial = append(m.initial, start{s, 1})
		}
	}
	m.rows = append(m.rows, uint32(len(m.to))) // the goal
	return m
}

// number sets of to the numbers of the components of p that have choices, and returns how many these are.
func (p *Problem) number(of []uint32) uint32 {
	clear(of)
	number := uint32(0)
	for c := 0; c+1 < len(p.components); c++ {
		if first := p.components[c]; p.rows[first] != p.rows[first+1] {
			number++
			for s := first; s < p.components[c+1]; s++ {
				of[p.origin[s]] = number
			}
		}
	}
	return number
}

// merge returns the problem in which each end component that is made of choices that are not restless is one state, without the choices that
// stay in it, and in which states of a set are terminal.
func (f *flagger) merge(no restless, terminal Set) *flagger {
	of, number := f.endComponents(no)
	if f.err != nil || number == 0 {
		return f
	}
	states := make([][]uint32, number) // of the components
	merged := make([]uint32, f.states()+1)
	n := number
	for s := range f.states() + 1 {
		if c := of[s]; c != 0 {
			states[c-1] = append(states[c-1], s)
			merged[s] = c - 1
		} else {
			merged[s] = n
			n++
		}
	}
	m := &MDP{rows: []uint32{0}, classes: f.classes}
	row := func(members ...uint32) {
		for _, s := range members {
			if s < f.states() && !terminal.Has(s) {
				f.each(s, func(first, end uint32) bool {
					inside := of[s] != 0 && !no(first, end) &&
						!slices.ContainsFunc(f.to[first:end], func(t uint32) bool { return of[t] != of[s] })
					for i := first; i < end && !inside; i++ {
						m.to = append(m.to, merged[f.to[i]])
						m.class = append(m.class, f.class[i])
					}
					return true
				})
			}
		}
		m.rows = append(m.rows, uint32(len(m.to)))
	}
	for _, members := range states {
		row(members...)
	}
	for s := range f.states() + 1 {
		if of[s] == 0 {
			row(s)
		}
	}
	for _, s := range f.initial {
		m.initial = append(m.initial, start{merged[s.state], s.weight})
	}
	goal := NewSet(m.States())
	goal.Add(merged[f.goal()])
	p, err := Prepare(f.ctx, m, Goal{States: goal})
	return &flagger{f.ctx, p, err}
}

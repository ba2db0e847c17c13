package prob

// A part of a process is an end component if a scheduler can stay in it for ever and go from each of its states to each
// (de Alfaro 1997). Where that costs nothing, equations have more than one solution: "stay for ever" supports any
// value. Merging the states of an end component into one, which has the choices that leave it, changes no probability
// and makes the solution unique (Haddad and Monmege 2018).

// An exclusion reports whether a choice cannot be part of an end component.
type exclusion func(first, end uint32) bool

// stays reports whether a choice that is not excluded leads only to states of the component of s.
func (f *fixpoint) stays(of []uint32, s, first, end uint32, excluded exclusion) bool {
	for _, t := range f.to[first:end] {
		if of[t] != of[s] {
			return false
		}
	}
	return of[s] != 0 && !excluded(first, end)
}

// endComponents returns the maximal end components that are made of choices that are not excluded: for each state the
// number of its component, from 1 on, or 0, and the number of components.
func (f *fixpoint) endComponents(excluded exclusion) ([]uint32, uint32) {
	of := make([]uint32, f.States())
	x := f.greatest(func(x Set, s uint32) bool {
		for first, end := range f.choices(s) {
			if f.all(x, first, end) && !excluded(first, end) {
				return true
			}
		}
		return false
	})
	for s := range f.states() {
		if x.Has(s) {
			of[s] = 1
		}
	}
	// Each round keeps the choices that stay in a component of the round before, until that takes none away.
	for kept := -1; ; {
		part := f.part(func(s, first, end uint32) bool { return f.stays(of, s, first, end, excluded) })
		number := prepare(f.Effort, part, Goal{}).number(of)
		if len(part.to) == kept {
			return of, number
		}
		kept = len(part.to)
	}
}

// part returns the process that has the states of p and some of their choices. States with choices are initial.
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

// number sets of to the numbers of the components of p that have choices, and returns how many these are.
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

// merge returns the problem in which each end component that is made of choices that are not excluded is one state,
// without the choices that stay in it, and in which states of a set are terminal.
func (f *fixpoint) merge(excluded exclusion, terminal Set) *fixpoint {
	of, number := f.endComponents(excluded)
	if number == 0 {
		return f
	}
	states := make([][]uint32, number) // by merged state: those that it stands for; components come first
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

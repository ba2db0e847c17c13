package prove

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/verify/prove/sat"
)

// A validator compares the rules with the semantics in a ring: each transition must be a step of a rule (Pnueli, Siegel
// and Singerman, Translation validation, TACAS 1998).
type validator struct {
	*viewer
	ring  *ring
	known map[string]bool // the situations that were judged
}

func newValidator(x *translation, sys *compile.System) *validator {
	v := &validator{newViewer(x, sys), &ring{translation: x, n: sys.Protocol().N}, make(map[string]bool)}
	v.ring.number()
	return v
}

// validateInitial returns an error if an initial state of the ring, given its atoms, is not one of the abstraction.
func (v *validator) validateInitial(atoms []atom) error {
	for _, a := range atoms {
		if !v.mayBeInitial(pattern{atoms: []atom{a}}) {
			return fmt.Errorf("in a ring of %d, an initial state has %s", v.ring.n, v.part(a))
		}
	}
	return nil
}

// validate returns an error if a transition from a state is no step of a rule. It judges a situation once: what a group
// of transitions reads, and the identities of all processes, since a rule reads no more.
func (v *validator) validate(state []model.Value) error {
	var out model.Successors
	uid := v.identities(state)
	for g, group := range v.Groups() {
		in := make([]model.Value, len(group.Slots))
		situation := keyOf(int64(g), uid...)
		for i, slot := range group.Slots {
			in[i] = state[slot]
			situation += string(binary.AppendUvarint(nil, uint64(in[i])))
		}
		if v.known[situation] || model.Ask(v.system(), g, in, &out) != nil {
			continue
		}
		v.known[situation] = true
		for i := range out.Len() {
			to := slices.Clone(state)
			for k, value := range out.Values(i) {
				to[group.Slots[k]] = value
			}
			before, err := v.atoms(state)
			after, failed := v.atoms(to)
			if err = cmp.Or(err, failed); err != nil {
				return err
			}
			if actor := v.system().Label(out.Step(i).Label).Process; !v.possible(before, after, actor) {
				return fmt.Errorf("in a ring of %d, no rule leads from %v to %v", v.ring.n, before, after)
			}
		}
	}
	return nil
}

// possible reports whether a process can take a step of a rule from one set of atoms to another.
func (v *validator) possible(before, after []atom, actor int) bool {
	c := v.change(before, after, actor)
	return slices.ContainsFunc(v.rules, func(r rule) bool {
		return c.from[newAtom(v.relation(stands, r.From), 0)] && c.explained(&r)
	})
}

// A change is the atoms before and after a transition, turned so that process 0 acts.
type change struct {
	*ring
	from, to map[atom]bool
	lits     map[sat.Lit]bool // of from
}

func (v *validator) change(before, after []atom, actor int) *change {
	turn := make([]int, v.ring.n)
	for i := range turn {
		turn[i] = (i - actor + v.ring.n) % v.ring.n
	}
	c := &change{v.ring, make(map[atom]bool), make(map[atom]bool), make(map[sat.Lit]bool)}
	for _, a := range before {
		c.from[a.at(turn)], c.lits[c.lit(a.at(turn))] = true, true
	}
	for _, a := range after {
		c.to[a.at(turn)] = true
	}
	return c
}

// explained reports whether a change is a step of a rule, for some nodes of its symbols.
func (c *change) explained(r *rule) bool {
	nodes := []int{0}
	var choose func() bool
	choose = func() bool {
		i := len(nodes) - 1
		if i == len(r.Symbols) {
			s := c.step(r, slices.Clone(nodes))
			return s != nil && c.is(s)
		}
		for o := range c.n {
			switch h := r.Symbols[i]; {
			case h == unused && o > 0, h >= 0 && !c.from[newAtom(c.relation(holds, h), 0, o)]:
				continue
			}
			nodes = append(nodes, o)
			if choose() {
				return true
			}
			nodes = nodes[:i+1]
		}
		return false
	}
	return choose()
}

// is reports whether a change is a step. A message that is received may stay in transit.
func (c *change) is(s *step) bool {
	for _, l := range s.before {
		if !c.holds(l) && !c.defined(l) {
			return false
		}
	}
	for a := range c.to {
		if after, changed := s.after[a]; !a.absent && !changed && !c.from[a] || after == -always {
			return false
		}
	}
	for a := range c.from {
		lost := a.relation >= c.base[comes] && a.relation < c.base[received] && !c.history
		if _, changed := s.after[a]; !a.absent && !changed && !lost && !c.to[a] {
			return false
		}
	}
	for a, after := range s.after {
		if c.to[a] != (after == always || after != -always && c.holds(after)) {
			return false
		}
	}
	return true
}

// holds reports whether a literal is true before the change.
func (c *change) holds(l sat.Lit) bool { return c.lits[l] || l < 0 && !c.lits[-l] }

// defined reports whether an auxiliary variable is true: all that follows from it is.
func (c *change) defined(l sat.Lit) bool {
	if !c.sets || l < c.first[c.base[head]] {
		return false
	}
	ok := true
	c.define(func(lits ...sat.Lit) {
		ok = ok && (!slices.Contains(lits, -l) || slices.ContainsFunc(lits, c.holds))
	})
	return ok
}

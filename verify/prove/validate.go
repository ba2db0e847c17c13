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
	*abstractor
	ring    *ring
	checked map[string]bool // situations: see validate
}

func newValidator(x *translation, sys *compile.System) *validator {
	v := &validator{newAbstractor(x, sys), &ring{translation: x, n: sys.Protocol().N}, make(map[string]bool)}
	v.ring.numberAtoms()
	return v
}

// validateInitial returns an error if an initial state of the ring, given its atoms, is not one of the abstraction.
func (v *validator) validateInitial(atoms []atom) error {
	for _, a := range atoms {
		if !v.mayBeInitial(pattern{atoms: []atom{a}}) {
			return fmt.Errorf("in a ring of %d, an initial state has %s", v.ring.n, v.phraseOf(a))
		}
	}
	return nil
}

// validate returns an error if a transition from a state is no step of a rule. It checks each situation once: the
// values that a group of transitions reads, and the identities of all processes. A rule reads no more.
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
		if v.checked[situation] || model.Ask(v.system(), g, in, &out) != nil {
			continue
		}
		v.checked[situation] = true
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
			if actor := v.system().Label(out.Step(i).Label).Process; !v.isStep(before, after, actor) {
				return fmt.Errorf("in a ring of %d, no rule leads from %v to %v", v.ring.n, before, after)
			}
		}
	}
	return nil
}

// isStep reports whether a process can take a step of a rule from one set of atoms to another.
func (v *validator) isStep(before, after []atom, actor int) bool {
	c := v.change(before, after, actor)
	return slices.ContainsFunc(v.rules, func(r rule) bool {
		return c.from[newAtom(v.relation(atControl, r.From), 0)] && c.isStepOf(&r)
	})
}

// A transition has the atoms before and after a transition of the system, rotated so that process 0 acts.
type transition struct {
	*ring
	from, to   map[atom]bool
	trueBefore map[sat.Lit]bool // of from
}

func (v *validator) change(before, after []atom, actor int) *transition {
	turn := make([]int, v.ring.n)
	for i := range turn {
		turn[i] = (i - actor + v.ring.n) % v.ring.n
	}
	c := &transition{v.ring, make(map[atom]bool), make(map[atom]bool), make(map[sat.Lit]bool)}
	for _, a := range before {
		c.from[a.withNodes(turn)], c.trueBefore[c.lit(a.withNodes(turn))] = true, true
	}
	for _, a := range after {
		c.to[a.withNodes(turn)] = true
	}
	return c
}

// isStepOf reports whether a transition is a step of a rule, for some nodes of its symbols.
func (c *transition) isStepOf(r *rule) bool {
	nodes := []int{0}
	var choose func() bool
	choose = func() bool {
		i := len(nodes) - 1
		if i == len(r.Symbols) {
			s := c.step(r, slices.Clone(nodes))
			return s != nil && c.matches(s)
		}
		for o := range c.n {
			switch h := r.Symbols[i]; {
			case h == unused && o > 0, h >= 0 && !c.from[newAtom(c.relation(stores, h), 0, o)]:
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

// matches reports whether a transition is a step. A received message may stay in transit.
func (c *transition) matches(s *step) bool {
	for _, l := range s.needs {
		if !c.holds(l) && !c.isImplied(l) {
			return false
		}
	}
	for a := range c.to {
		if after, changed := s.effects[a]; !a.absent && !changed && !c.from[a] || after == -alwaysTrue {
			return false
		}
	}
	for a := range c.from {
		lost := a.relation >= c.firstRelation[inTransit] && a.relation < c.firstRelation[hasReceived] && !c.hasHistory
		if _, changed := s.effects[a]; !a.absent && !changed && !lost && !c.to[a] {
			return false
		}
	}
	for a, after := range s.effects {
		if c.to[a] != (after == alwaysTrue || after != -alwaysTrue && c.holds(after)) {
			return false
		}
	}
	return true
}

// holds reports whether a literal is true before the transition.
func (c *transition) holds(l sat.Lit) bool { return c.trueBefore[l] || l < 0 && !c.trueBefore[-l] }

// isImplied reports whether an auxiliary variable may be true: all its consequences are true.
func (c *transition) isImplied(l sat.Lit) bool {
	if !c.hasSets || l < c.firstLits[c.firstRelation[queueHead]] {
		return false
	}
	ok := true
	c.addDefinitions(func(lits ...sat.Lit) {
		ok = ok && (!slices.Contains(lits, -l) || slices.ContainsFunc(lits, c.holds))
	})
	return ok
}

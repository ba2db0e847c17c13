package representative

import (
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// Orbits is a quotient whose states represent orbits of states of another System.
type Orbits interface {
	symmetry.Orbits
	model.Confluent
}

// A quotient is what a ReducedSystem of a quotient needs where several steps with one label lead to one orbit. The
// orbit does not determine whether these are one step of the reduction of the other system, or several.
type quotient struct {
	orbits  Orbits
	beneath *ReducedSystem // the reduction of the other system
}

// newQuotient returns nil for a system that is not a quotient. A quotient is an Orbits of a System.
func newQuotient(sys System) *quotient {
	if _, ok := model.As[model.Quotient](sys); !ok {
		return nil
	}
	q := sys.(Orbits)
	return &quotient{q, Reduce(q.Beneath().(System), Options{})}
}

// visitOrbits is visitTransitions for a quotient.
func (w *walker) visitOrbits(state uint64, arrows []arrow, i int, visit func(i int, step model.Step, to uint64)) error {
	w.targets = w.targets[:0]
	for _, a := range arrows {
		to, err := w.representative(a.to)
		if err != nil {
			return err
		}
		w.targets = append(w.targets, to)
	}
	if w.merges(arrows) {
		return w.visitBeneath(state, i, visit)
	}
	choices, next := uint32(0), uint32(0)
	for k, a := range arrows {
		if k > 0 && a.place != arrows[k-1].place {
			choices = next
		}
		step := a.step
		step.Choice += choices
		next = max(next, step.Choice+1)
		visit(i, step, w.targets[k])
	}
	return nil
}

// merges reports whether two transitions have the same label and the same representative.
func (w *walker) merges(arrows []arrow) bool {
	for j := range arrows {
		for k := range j {
			if w.targets[j] == w.targets[k] && arrows[j].step.Label == arrows[k].step.Label {
				return true
			}
		}
	}
	return false
}

// visitBeneath visits the transitions of a state as they are in the reduction of the other system.
func (w *walker) visitBeneath(state uint64, i int, visit func(i int, step model.Step, to uint64)) error {
	w.Read(state, w.state)
	q := w.quotient
	var out model.Successors
	member := q.orbits.Member(w.state)
	out.Reset(len(member))
	if err := q.beneath.Next(0, member, &out); err != nil {
		return err
	}
	for k := range out.Len() {
		q.orbits.Encode(out.Values(k), w.state)
		visit(i, out.Step(k), w.Number(w.state))
	}
	return nil
}

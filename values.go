package ringcheck

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Property claims something of the states of a system of Go values.
type Property[S any] struct {
	// Name is what reports call it, and Doc says it in a sentence.
	Name, Doc string

	kind  ir.PropertyKind
	holds func(S) bool
}

// Invariant claims that holds is true in every reachable state.
func Invariant[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Invariant, holds: holds}
}

// Terminal claims that holds is true in every reachable state from which nothing can happen. With a function that is
// false everywhere it claims that there is no deadlock.
func Terminal[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Terminal, holds: holds}
}

// Reachable claims that holds is true in some reachable state.
func Reachable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Reachable, holds: holds}
}

// Recoverable claims that from every reachable state one can be reached in which holds is true (AG EF).
func Recoverable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Recoverable, holds: holds}
}

// From makes a system of Go values ready to be explored, with what is claimed of it. The functions of the properties are
// called by several goroutines, about once for each state.
func From[S comparable](name string, values *model.Values[S], properties ...Property[S]) *System {
	sys := &System{Name: name, direct: values}
	for _, p := range properties {
		sys.properties = append(sys.properties, &ir.Property{Name: p.Name, Doc: p.Doc, Kind: p.kind})
	}
	sys.holds = func(i int, v model.Value) bool { return properties[i].holds(values.State(v)) }
	return sys
}

// Wrap makes a model.System ready to be explored.
func Wrap(name string, sys model.System) *System { return &System{Name: name, direct: sys} }

// chosenHolds returns what tells which of the chosen properties hold, nil if that is not told by a function.
func (s *System) chosenHolds(names []string) func(int, model.Value) bool {
	if s.holds == nil || names == nil {
		return s.holds
	}
	var places []int
	for i, p := range s.properties {
		if slices.Contains(names, p.Name) {
			places = append(places, i)
		}
	}
	return func(i int, v model.Value) bool { return s.holds(places[i], v) }
}

// explain says, line by line, what makes a property false in a state.
func (t *task) explain(p *ir.Property, state []model.Value) ([]string, error) {
	switch {
	case t.full != nil:
		return explain(t.full, p, state)
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind == ir.Recoverable:
		return []string{"from here it cannot be reached any more:", "  " + t.target.FormatSlot(0, state[0])}, nil
	}
	return []string{"it is false in " + t.target.FormatSlot(0, state[0])}, nil
}

// retrace returns an error unless the system takes the steps of a run when it is asked for them one by one.
func (t *task) retrace(moves []model.Move) error {
	for i := range moves {
		found := i == 0 && t.begins(moves[0].State)
		for g := 0; i > 0 && g < len(t.target.Groups()) && !found; g++ {
			var err error
			if found, err = t.takes(g, moves[i-1].State, moves[i]); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("there is no step %d", i)
		}
	}
	return nil
}

// begins reports whether a state is initial.
func (t *task) begins(state []model.Value) (found bool) {
	err := t.target.Initial(func(s []model.Value) bool {
		found = found || slices.Equal(s, state)
		return !found
	})
	return found && err == nil
}

// takes reports whether a group leads from a state to another one.
func (t *task) takes(g int, from []model.Value, move model.Move) (bool, error) {
	slots := t.target.Groups()[g].Slots
	in := make([]model.Value, len(slots))
	for i, s := range slots {
		in[i] = from[s]
	}
	var out model.Successors
	if err := model.Ask(t.target, g, in, &out); err != nil {
		return false, err
	}
	for i := range out.Len() {
		to := slices.Clone(from)
		for j, v := range out.Values(i) {
			to[slots[j]] = v
		}
		if out.Step(i).Label == move.Step.Label && slices.Equal(to, move.State) {
			return true, nil
		}
	}
	return false, nil
}

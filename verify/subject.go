package verify

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Subject is a protocol to be verified, and what is searched for that.
type Subject struct {
	System *compile.System
	// Searched is a smaller system to search in place of System, nil for System itself. Its states are states of
	// System, or else it is model.Cells. Verdicts, counts and lengths of runs are those of System if Searched is a
	// model.Quotient of it by rotation, which takes properties that are Symmetric.
	Searched model.System
	// Holds, if not nil, says which properties hold in a state of Searched, a system of one slot; then there is no
	// System, and of the properties only names and kinds are asked. It is called by several goroutines.
	Holds func(property int, v model.Value) bool
}

func (s Subject) searched() model.System {
	if s.Searched == nil {
		return s.System
	}
	return s.Searched
}

// cells returns the searched system if its slots are cells.
func (s Subject) cells() model.Cells {
	c, _ := model.As[model.Cells](s.searched())
	return c
}

// width returns how many slots of the protocol one of the searched system stands for.
func (s Subject) width() int { return len(s.System.Slots()) / len(s.searched().Slots()) }

// permits returns an error if the searched system does not tell whether a property holds.
func (s Subject) permits(properties []*ir.Property) error {
	if _, ok := model.As[model.Quotient](s.searched()); !ok {
		return nil
	}
	for _, p := range properties {
		if p.Kind == ir.LTL {
			return fmt.Errorf("%s: property %s: %w: rotations of a state are one, and a run goes through many", p.Pos, p.Name, ErrTemporal)
		}
		if err := Symmetric(p, s.System); err != nil {
			return err
		}
	}
	return nil
}

// decode returns a state of the protocol that one of the searched system stands for.
func (s Subject) decode(state []model.Value) []model.Value {
	cells := s.cells()
	if cells == nil || state == nil {
		return state
	}
	var all []model.Value
	for _, v := range state {
		all = append(all, cells.Cell(v)...)
	}
	return all
}

// lift returns a run of the protocol that ends in last, for one of the searched system to a state that stands for it.
func (s Subject) lift(moves []explore.Move, last []model.Value) ([]explore.Move, error) {
	if s.cells() == nil {
		return moves, nil
	}
	lifter, ok := model.As[model.Lifter](s.searched())
	if !ok {
		return nil, errors.New("the searched system does not tell which runs of the protocol its runs stand for")
	}
	var states [][]model.Value
	for _, m := range moves {
		states = append(states, m.State)
	}
	return lifter.Lift(states, func(state []model.Value) bool { return slices.Equal(state, last) })
}

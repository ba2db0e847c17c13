package verify

import (
	"context"
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
	// Unreduce, if not nil, means that Searched leaves out states by confluence (package reduce/confluence), with Seen
	// for the properties: verdicts are those of System. Counts and lengths are those of what is searched. Unreduce puts
	// the steps that were left out into a run again, and says where in it the states are; it is given the run of a
	// quotient as that lifts it.
	Unreduce func(ctx context.Context, run []explore.Move) (full []explore.Move, at []int, err error)
	// Holds, if not nil, says which properties hold in a state of Searched, a system of one slot; then there is no
	// System, and of the properties only names and kinds are asked. It is called by several goroutines.
	Holds func(property int, v model.Value) bool
	// Memory is how many bytes a property that is written out for all processes may take; 0 means that only their
	// number is bounded. One that takes more is evaluated as it is, which is slower.
	Memory uint64
	// StopFirst makes Check end after the first level with a state that breaks an invariant or terminal property.
	StopFirst bool
	// Met, if not nil, is called when a search first meets a state that breaks such a property, with its level, by one
	// of several goroutines.
	Met func(property *ir.Property, level int)
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
	for _, p := range properties {
		if err := s.permitsReduced(p); s.Unreduce != nil && err != nil {
			return err
		}
	}
	if !s.quotient() {
		return nil
	}
	for _, p := range properties {
		if err := s.permitsTemporal(p); err != nil {
			return err
		}
		if err := Symmetric(p, s.System); err != nil {
			return err
		}
	}
	return nil
}

// quotient reports whether a state of the searched system stands for all its rotations.
func (s Subject) quotient() bool {
	_, ok := model.As[model.Quotient](s.searched())
	return ok
}

// permitsTemporal returns an error if p is an LTL property that a quotient does not decide. The quotient by an
// automorphism is bisimilar to the system if labels are events without the process and letters are symmetric: so it has
// the same words, and with chance the same schedulers. It does not tell which process has acted, though.
func (s Subject) permitsTemporal(p *ir.Property) error {
	if p.Kind != ir.LTL {
		return nil
	}
	refuse := func(why string) error { return fmt.Errorf("%s: property %s: %w: %s", p.Pos, p.Name, ErrTemporal, why) }
	if len(p.Temporal.Fair) > 0 {
		return refuse("it is about fair runs, and rotations of a state are one, " +
			"so that it is not known which process has acted")
	}
	t, err := newTemporal(p, s.System.Protocol())
	if err != nil {
		return err
	}
	for _, step := range t.steps {
		if step.process != anyone {
			return refuse("it is about an event of one process, and rotations of a state are one")
		}
	}
	for _, body := range t.predicates() {
		if err := Symmetric(&ir.Property{Name: p.Name, Pos: p.Pos, Body: body}, s.System); err != nil {
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

// unreduce returns the run of the protocol that one of a reduced system stands for, to the first state that breaks a
// property if the last does. What follows the last of its steps changes nothing that the property is about; but a
// terminal state is the last.
func (s Subject) unreduce(ctx context.Context, p *ir.Property, moves []explore.Move) ([]explore.Move, error) {
	if s.Unreduce == nil {
		return moves, nil
	}
	full, at, err := s.Unreduce(ctx, moves)
	switch last := len(moves) - 1; {
	case err != nil || p.Kind == ir.Terminal:
		return full, err
	case last == 0:
		return full[:1], nil
	default:
		return full[:at[last-1]+2], nil
	}
}

package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/symmetry"
)

// A Verifier decides properties of a protocol in the system to search.
type Verifier struct {
	System *compile.System
	// Searched is a smaller system to search in place of System, nil for System itself. Its states are states of
	// System, or it implements model.Cells. If it is a model.Quotient, which implements symmetry.Invariance,
	// verdicts, counts and lengths of runs refer to System.
	Searched model.System
	// Unreduce, if not nil, means that Searched leaves out states by confluence (package reduce/confluence), with Seen
	// for the properties: verdicts refer to System, counts and lengths to Searched. Unreduce inserts the steps that
	// were left out into a run, lifted from a quotient if there is one, and returns the new indices of its states.
	Unreduce func(ctx context.Context, run []explore.Move) (full []explore.Move, at []int, err error)
	// Prioritize, if not nil, returns System with confluent steps that seen does not see as parts of the steps before
	// them. In a large system, temporal properties that hold are shown to hold with it.
	Prioritize func(seen func(before, after model.Value, moved bool) bool) Prioritized
	// Holds, if not nil, returns which properties hold in a state of Searched, a system of one slot; System is nil
	// then, and only the names and kinds of properties are used. Several goroutines call it.
	Holds func(property int, v model.Value) bool
	// Memory is the maximum memory of an expanded property, in bytes; 0 bounds only the number of its expressions. A
	// larger property is evaluated without expansion, which is slower.
	Memory uint64
	// StopFirst makes Check end after the first level with a state that violates an invariant or terminal property.
	StopFirst bool
	// Diagnose makes Check determine under which further assumptions a violated LTL property holds, even if that takes
	// several searches of a large system. Without it, Check tries only what is found soon.
	Diagnose bool
	// OnViolation, if not nil, is called, by one of several goroutines, when a search first visits a state that
	// violates such a property, with the level of the state.
	OnViolation func(property *ir.Property, level int)
}

func (s Verifier) searched() model.System {
	if s.Searched == nil {
		return s.System
	}
	return s.Searched
}

// cells returns the searched system if its slots are cells.
func (s Verifier) cells() model.Cells {
	c, _ := model.As[model.Cells](s.searched())
	return c
}

// width returns the number of slots of the protocol that a slot of the searched system represents.
func (s Verifier) width() int { return len(s.System.Slots()) / len(s.searched().Slots()) }

// permits returns an error unless the searched system decides the properties. It describes the first that is not
// decided, and names the others.
func (s Verifier) permits(properties []*ir.Property) error {
	var first error
	var others []string
	for _, p := range properties {
		switch err := s.permitsOne(p); {
		case err == nil:
		case first == nil:
			first = err
		default:
			others = append(others, p.Name)
		}
	}
	if others != nil {
		return fmt.Errorf("%w (these cannot be decided either: %s)", first, strings.Join(others, ", "))
	}
	return first
}

func (s Verifier) permitsOne(p *ir.Property) error {
	if p.Kind.OfRuns() && (s.Unreduce != nil || s.quotient()) {
		t, err := newTemporal(s.representative(p), s.System.Protocol())
		if err == nil {
			err = s.permitsTemporal(t)
		}
		if err != nil {
			return err
		}
	}
	if s.quotient() {
		return symmetricIn(s.searched(), p.Body, "property "+p.Name, p.Pos)
	}
	return nil
}

// permutations returns the searched quotient by permutations, perhaps of representatives; nil if another system is
// searched.
func (s Verifier) permutations() *symmetry.PermutationQuotient { return permutationsOf(s.searched()) }

func permutationsOf(searched model.System) *symmetry.PermutationQuotient {
	q, _ := model.As[model.Quotient](searched)
	p, _ := q.(*symmetry.PermutationQuotient)
	return p
}

// runQuotient returns the searched quotient by permutations if the permutation of each transition is known, so that
// runs can be lifted; otherwise nil.
func (s Verifier) runQuotient() *symmetry.PermutationQuotient {
	q, _ := model.As[*symmetry.PermutationQuotient](s.searched())
	return q
}

// runSystem returns the system to which runQuotient lifts runs: System, or System with a reduction.
func (s Verifier) runSystem() model.System { return s.runQuotient().Beneath() }

// representative returns an LTL property that has in the searched system the verdict of the given one. In a quotient, a
// property of each process becomes one of a single process of each orbit. Other properties remain.
func (s Verifier) representative(p *ir.Property) *ir.Property {
	q := s.permutations()
	if q == nil || p.Temporal == nil {
		return p
	}
	one, temporal := *p, *p.Temporal
	if temporal.Formula = q.Formula(temporal.Formula); temporal.Formula == p.Temporal.Formula {
		return p
	}
	one.Temporal = &temporal
	return &one
}

// quotient reports whether a state of the searched system represents all that are symmetric to it.
func (s Verifier) quotient() bool {
	_, ok := model.As[model.Quotient](s.searched())
	return ok
}

// permitsTemporal returns an error if a reduction or quotient does not decide an LTL property. If labels are events
// without the process and letters are symmetric, the quotient by an automorphism is bisimilar to the system: it has the
// same words, and with chance the same schedulers. But it does not show which process has acted.
func (s Verifier) permitsTemporal(t *temporal) error {
	fair := len(t.property.Temporal.Fair) > 0
	switch {
	case s.Unreduce != nil && fair:
		return t.refuse("it assumes fairness, but a reduction lets some processes act before others, " +
			"so it does not show which process never acts")
	case s.Unreduce != nil && !t.formula.Inert(t.stepAtoms()):
		return t.refuse("its value may depend on the number of steps that change nothing, as with next, " +
			"and a reduction leaves out such steps")
	case !s.quotient():
		return nil
	case fair && s.permutations() == nil:
		return t.refuse("it assumes fairness, but one state is stored for all that are symmetric to it, " +
			"so it is unknown which process has acted")
	case slices.ContainsFunc(t.steps, func(step stepAtom) bool { return s.moves(step.process) }):
		return t.refuse("it is about an event of one process, but one state is stored for all that are symmetric to it")
	}
	for at := range t.locationAtoms {
		if b := s.permutations().EquationVariance(at.equation, t.property.Pos); b != nil {
			return t.refuse(fmt.Sprintf("it assumes fairness to %s: %s", at.equation.Name, b))
		}
	}
	for atom, body := range t.states {
		if body == nil || t.forFairness(atom) { // the search follows these through permutations
			continue
		}
		p := t.property
		if err := symmetricIn(s.searched(), body, "property "+p.Name, p.Pos); err != nil {
			return err
		}
	}
	return nil
}

// moves reports whether a symmetry of the searched quotient may move the process of an atom.
func (s Verifier) moves(process int) bool {
	q := s.permutations()
	return process != anyone && (q == nil || q.Moves(process))
}

// decode returns a state of the protocol that a state of the searched system represents.
func (s Verifier) decode(state []model.Value) []model.Value {
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

// lift returns a run of the protocol that ends in last, for a run of the searched system to a state that represents
// last.
func (s Verifier) lift(moves []explore.Move, last []model.Value) ([]explore.Move, error) {
	lifter, ok := model.As[model.Lifter](s.searched())
	switch {
	case !ok && s.cells() == nil:
		return moves, nil
	case !ok:
		return nil, errors.New("runs of the searched system cannot be mapped to runs of the protocol")
	}
	var states [][]model.Value
	for _, m := range moves {
		states = append(states, m.State)
	}
	return lifter.Lift(states, func(state []model.Value) bool { return slices.Equal(state, last) })
}

// unreduce returns the run of the protocol that a run of a reduced system represents, up to the first state that
// violates the property. Steps after the last one of the reduced run are irrelevant for the property, except that a
// terminal state comes last.
func (s Verifier) unreduce(ctx context.Context, p *ir.Property, moves []explore.Move) ([]explore.Move, error) {
	if s.Unreduce == nil {
		return moves, nil
	}
	full, at, err := s.Unreduce(ctx, moves)
	switch last := len(moves) - 1; {
	case err != nil || p.Kind.OfEnds():
		return full, err
	case last == 0:
		return full[:1], nil
	default:
		return full[:at[last-1]+2], nil
	}
}

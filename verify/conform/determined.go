package conform

import (
	"context"
	"slices"

	"ringcheck/internal/graph"
	"ringcheck/model"
)

// A step of a run is determined if the program can do nothing else there that matters: whatever outputs it produces
// before the step, the step remains possible, with one result, and the outputs commute with it. All outputs that are
// possible in place of the step are therefore of other processes. A run of determined steps is determined: if a test
// gives the inputs of the run, each after the outputs before it, a program that follows the spec produces the outputs
// of the run, each process in their order, and at most outputs behind the last step of their process. (A program is
// assumed to produce an output that it can produce, if nothing happens to it meanwhile.)

// A Reason says why a step is not determined.
type Reason string

// The reasons.
const (
	Choice       Reason = "choice"       // the process may as well take another action, or the same with another result
	Race         Reason = "race"         // an input to a process that may act before it comes
	Interference Reason = "interference" // another process may act before, and then the step differs, or is impossible
)

// reasons numbers the reasons. Number 0 is that of a determined step.
var reasons = []Reason{"", Choice, Race, Interference}

// markDetermined finds the edges that are not determined. It ends early with ctx.
func (s *stateSpace) markDetermined(ctx context.Context, left *bounded) error {
	s.reasons = make([]uint8, len(s.edges.All))
	mark := func(edge uint32, r Reason) { s.reasons[edge] = uint8(slices.Index(reasons, r)) }
	for state := range uint32(s.edges.Len()) {
		if state%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		silent := left.silentProcesses(s.states[state])
		for edge := s.edges.At[state]; edge < s.edges.At[state+1]; edge++ {
			if r := s.conflictOf(state, edge, silent); r != "" {
				mark(edge, r)
			}
		}
	}
	// An output of another process leads to the same step in another state, which must be determined, too.
	for changed := true; changed; {
		changed = false
		for state := range slices.Backward(s.edges.At[1:]) {
			if state%1024 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			for edge := s.edges.At[state]; edge < s.edges.At[state+1]; edge++ {
				if s.reasons[edge] == 0 && s.becomesUndetermined(uint32(state), edge) {
					mark(edge, Interference)
					changed = true
				}
			}
		}
	}
	return nil
}

// conflictOf returns why an edge conflicts with an output in its state, or with a step that is left out there because
// it exceeds a bound: silent are the processes with such steps. It returns "" if there is no conflict.
func (s *stateSpace) conflictOf(state, edge uint32, silent []int) Reason {
	e := s.edges.All[edge]
	part := s.partOf(e)
	own := Choice // the reason if the process can act in another way
	if part.input {
		own = Race
	}
	found := Reason("")
	if slices.Contains(silent, part.process) {
		found = own
	} else if len(silent) > 0 && s.network.dependent {
		found = Interference
	}
	for _, other := range s.edges.Of(state) {
		switch otherPart := s.partOf(other); {
		case otherPart.line == part.line && other.To != e.To:
			return Choice
		case otherPart.line == part.line || otherPart.input:
		case part.process >= 0 && otherPart.process == part.process:
			found = own
		case found == "" && !s.commutes(e, other):
			found = Interference
		}
	}
	return found
}

// commutes reports whether an edge leads to one state before and after an output in its state.
func (s *stateSpace) commutes(e, output graph.Edge) bool {
	later, ok := s.follow(output.To, s.partOf(e).line)
	line := s.partOf(output).line
	return ok && slices.ContainsFunc(s.edges.Of(e.To), func(other graph.Edge) bool {
		return other.To == s.edges.All[later].To && s.partOf(other).line == line
	})
}

// follow returns an edge of a state with a line. It is ok if there is one, and all others lead to the same state.
func (s *stateSpace) follow(state, line uint32) (edge uint32, ok bool) {
	for i := s.edges.At[state]; i < s.edges.At[state+1]; i++ {
		e := s.edges.All[i]
		if s.partOf(e).line != line {
			continue
		}
		if ok && e.To != s.edges.All[edge].To {
			return 0, false
		}
		edge, ok = i, true
	}
	return edge, ok
}

// becomesUndetermined reports whether an output in the state of an edge makes it undetermined.
func (s *stateSpace) becomesUndetermined(state, edge uint32) bool {
	line := s.partOf(s.edges.All[edge]).line
	return slices.ContainsFunc(s.edges.Of(state), func(other graph.Edge) bool {
		part := s.partOf(other)
		if part.input || part.line == line {
			return false
		}
		later, ok := s.follow(other.To, line)
		return !ok || s.reasons[later] != 0
	})
}

// An actionPart says who takes an action, and what a test knows of it.
type actionPart struct {
	process int // noProcess if none takes it
	input   bool
	line    uint32 // numbers the line of the action
}

// partOf returns the part of an action in a test.
func (s *stateSpace) partOf(e graph.Edge) *actionPart {
	for uint32(len(s.parts)) <= e.Label {
		s.parts = append(s.parts, nil)
	}
	if s.parts[e.Label] == nil {
		_, process := s.network.sys.Action(model.Label(e.Label))
		event := s.testEventOf(model.Label(e.Label))
		s.parts[e.Label] = &actionPart{process, event.Role == Input, s.lines.Number(event.String())}
	}
	return s.parts[e.Label]
}

package systemtest

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/model"
)

// A Transition is a step of a group and where it leads.
type Transition struct {
	Group  int
	Step   model.Step
	Target []model.Value
}

// Successors returns the transitions of a state, group by group, and the errors of all groups that report one: an
// engine need not ask them in the order of their numbers.
func Successors(sys model.System, state []model.Value) (all []Transition, err error) {
	cursor := model.NewCursor(sys)
	for g := range sys.Groups() {
		err = errors.Join(err, cursor.Next(g, state))
		for i := range cursor.Len() {
			all = append(all, Transition{g, cursor.Step(i), cursor.Target(i, state)})
		}
	}
	return all, err
}

// Quiescent reports whether all of some transitions of a system are the environment's.
func Quiescent(sys model.System, list []Transition) bool {
	return !slices.ContainsFunc(list, func(t Transition) bool { return !sys.Groups()[t.Group].Environment })
}

// A Graph is the reachable part of a system.
type Graph struct {
	States         [][]model.Value // in breadth-first order
	Level          map[string]int  // the distance of a state from the initial states, by Key
	Levels         []uint64        // states by distance
	Transitions    uint64
	TerminalStates uint64
	// EnvironmentOnly is the states with transitions of which all are the environment's.
	EnvironmentOnly uint64
	Errors          int // states with a group that reports an error; their transitions are not followed
}

// Key returns a string that is the same for two states exactly if they are.
func Key(state []model.Value) string {
	var key []byte
	for _, v := range state {
		key = binary.LittleEndian.AppendUint32(key, v)
	}
	return string(key)
}

// Explore generates all reachable states with a map and a list.
func Explore(sys model.System) (*Graph, error) {
	g := &Graph{Level: map[string]int{}}
	err := sys.Initial(func(state []model.Value) bool { g.add(state, 0); return true })
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(g.States); i++ {
		state := g.States[i]
		successors, err := Successors(sys, state)
		if err != nil {
			g.Errors++
			continue
		}
		switch {
		case len(successors) == 0:
			g.TerminalStates++
		case Quiescent(sys, successors):
			g.EnvironmentOnly++
		}
		for _, t := range successors {
			if !t.Step.Repeated {
				g.Transitions++
			}
			g.add(t.Target, g.Level[Key(state)]+1)
		}
	}
	return g, nil
}

// Explored is Explore; the test fails if the initial states cannot be listed.
func Explored(tb testing.TB, sys model.System) *Graph {
	tb.Helper()
	g, err := Explore(sys)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// Run is explore.Run; the test fails where that reports an error.
func Run(tb testing.TB, sys model.System, opt explore.Options) *explore.Result {
	tb.Helper()
	r, err := explore.Run(tb.Context(), sys, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func (g *Graph) add(state []model.Value, level int) {
	if _, seen := g.Level[Key(state)]; seen {
		return
	}
	g.Level[Key(state)] = level
	g.States = append(g.States, slices.Clone(state))
	if level == len(g.Levels) {
		g.Levels = append(g.Levels, 0)
	}
	g.Levels[level]++
}

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// reduction is what makes the system to be searched smaller.
type reduction struct{ symmetry string }

// The values of --symmetry.
const (
	noSymmetry = "none"
	rotation   = "rotation"
)

func (r *reduction) register(cmd *cobra.Command) {
	kinds := []string{noSymmetry, rotation}
	cmd.Flags().StringVar(&r.symmetry, "symmetry", noSymmetry,
		"`KIND` of symmetry, "+strings.Join(kinds, " or ")+": store one of the states that differ by it; the counts are those of the full system")
	must(cmd.RegisterFlagCompletionFunc("symmetry", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp)))
}

// validate reports a value that makes no sense. showing says that states or transitions are to be shown.
func (r *reduction) validate(showing bool) error {
	switch {
	case r.symmetry != noSymmetry && r.symmetry != rotation:
		return wrongRequestf("--symmetry %s: want %s or %s", r.symmetry, noSymmetry, rotation)
	case r.symmetry != noSymmetry && showing:
		return wrongRequestf("--out and --dump-level show the full system: give them without --symmetry %s", r.symmetry)
	}
	return nil
}

// apply returns the system to be searched for sys.
func (r *reduction) apply(sys model.System) (model.System, error) {
	if r.symmetry == noSymmetry {
		return sys, nil
	}
	q, err := symmetry.Rotation(sys)
	if err != nil {
		return nil, fmt.Errorf("--symmetry %s: %w", r.symmetry, err)
	}
	return q, nil
}

// lift turns a run of a searched system that ends in the state last into one of the full system.
func lift(sys model.System, run []explore.Move, last []model.Value) (model.System, []explore.Move, error) {
	q, ok := sys.(*symmetry.Quotient)
	if !ok {
		return sys, run, nil
	}
	states := make([][]model.Value, len(run))
	for i, m := range run {
		states[i] = m.State
	}
	end := make([]model.Value, len(q.System.Slots()))
	q.Decode(last, 0, end)
	lifted, err := q.Lift(states, func(state []model.Value) bool { return slices.Equal(state, end) })
	moves := make([]explore.Move, len(lifted))
	for i, m := range lifted {
		moves[i] = explore.Move(m)
	}
	return q.System, moves, err
}

package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
)

// reduction is what makes the system to be searched smaller.
type reduction struct {
	kind, symmetry, assume string
	explain                bool
	assuming               *pflag.Flag // --assume, nil if there is none
}

// The values of --reduce.
const (
	noReduction = "none"
	confelm     = "confelm"
	onthefly    = "onthefly"
)

// The values of --assume.
const (
	noAssumption = "none"
	noConflict   = "no-conflict"
)

// The values of --symmetry.
const (
	noSymmetry = "none"
	rotation   = "rotation"
	dihedral   = "dihedral"
)

// The choices that there are, the default first.
func reductions() []string  { return []string{noReduction, confelm, onthefly} }
func assumptions() []string { return []string{noAssumption, noConflict} }
func symmetries() []string  { return []string{noSymmetry, rotation, dihedral} }

// turnings are the symmetries under which properties keep their values; reflection exchanges control points.
func turnings() []string { return []string{noSymmetry, rotation} }

func (r *reduction) register(cmd *cobra.Command) {
	r.registerKinds(cmd)
	cmd.Flags().BoolVar(&r.explain, "explain", false, "say which steps are confluent and why, or why not; on standard error with --json")
}

// registerKinds gives cmd the flags that say how to reduce.
func (r *reduction) registerKinds(cmd *cobra.Command) {
	r.registerReduce(cmd)
	choice(cmd, &r.assume, "assume", "WHAT", assumptions(),
		"to assume, %s or an invariant of the SPEC; no-conflict is that no process finds two messages in one channel and it matters "+
			"which one it takes first, an invariant says what it finds; fail where that is not so")
	r.assuming = cmd.Flags().Lookup("assume")
	r.registerSymmetry(cmd, symmetries())
}

func (r *reduction) registerReduce(cmd *cobra.Command) {
	choice(cmd, &r.kind, "reduce", "KIND", reductions(),
		"of reduction, %s: compose confluent steps, or go on to representatives as well; the system stays branching bisimilar")
}

func (r *reduction) registerSymmetry(cmd *cobra.Command, choices []string) {
	usage := "of symmetry, %s: store one of the states that differ by it; the counts are those of the full system"
	if slices.Contains(choices, dihedral) {
		usage += " (dihedral: by rotation or reflection)"
	}
	choice(cmd, &r.symmetry, "symmetry", "KIND", choices, usage)
}

// validateTurning reports a value of --symmetry that makes no sense, or not for properties.
func (r *reduction) validateTurning() error {
	if r.symmetry == dihedral {
		return wrongRequestf("--symmetry %s: what is the mirror image of a property is not known; want %s", dihedral, strings.Join(turnings(), " or "))
	}
	return oneOf("symmetry", r.symmetry, turnings())
}

// choice adds a flag whose value is one of several, the first by default.
func choice(cmd *cobra.Command, value *string, name, what string, choices []string, usage string) {
	usage = "`" + what + "` " + fmt.Sprintf(usage, strings.Join(choices, "|"))
	cmd.Flags().StringVar(value, name, choices[0], usage)
	must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)))
}

// validate reports a value that makes no sense. showing says that states or transitions are to be shown.
func (r *reduction) validate(showing bool) error {
	err := cmp.Or(oneOf("reduce", r.kind, reductions()), oneOf("symmetry", r.symmetry, symmetries()))
	if err == nil && r.assumesInvariant() {
		err = r.validateTurning()
	}
	switch {
	case err != nil:
		return err
	case r.assume == "":
		return wrongRequestf("--assume: want %s, or an invariant of the SPEC", strings.Join(assumptions(), ", "))
	case r.assumesInvariant() && showing:
		return wrongRequestf("--assume %s is checked while states are counted: give it without --out and --dump-level", r.assume)
	case r.explain && r.kind == noReduction:
		return wrongRequestf("--explain is about --reduce %s and %s: give one of them", confelm, onthefly)
	case r.symmetry != noSymmetry && showing:
		return wrongRequestf("--out and --dump-level show the full system: give them without --symmetry %s", r.symmetry)
	}
	return nil
}

func oneOf(name, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	last := len(choices) - 1
	return wrongRequestf("--%s %s: want %s or %s", name, value, strings.Join(choices[:last], ", "), choices[last])
}

func (r *reduction) level() reduce.Level {
	switch r.kind {
	case confelm:
		return reduce.Confelm
	case onthefly:
		return reduce.OnTheFly
	}
	return reduce.None
}

// verdictText says what was found out about confluence.
func verdictText(verdicts []confluence.Verdict) string {
	var b strings.Builder
	fmt.Fprintln(&b, "\nconfluence of the steps that the search came across, by control point")
	for _, v := range verdicts {
		is := "confluent"
		if !v.Confluent {
			is = "not confluent"
		}
		fmt.Fprintf(&b, "\n  %s, %s: %s (%s)\n", v.Point, v.Action, is, comma(uint64(v.Count)))
		fmt.Fprintf(&b, "    %s: %s\n", v.Example, v.Reason)
	}
	return b.String()
}

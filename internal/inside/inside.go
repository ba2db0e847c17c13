// Package inside shows the other packages of this module what package ringcheck, which sets these functions, does not
// export: its exported API mentions no type of the language.
package inside

import "ringcheck/model/language/check"

var (
	// Spec returns the declarations of a *ringcheck.Spec.
	Spec func(spec any) *check.Spec
	// Given returns the values with which a *ringcheck.System was instantiated, those of its Spec's methods.
	Given func(system any) map[string]string
	// Choices returns the names that can be given for an option, the default first: "engine", "reduce", "symmetry",
	// "assume", "fair", "equivalence", "explain", "scheduler" (of Questions), "random" (the schedulers of Simulation)
	// or "format" (of Run.Write).
	Choices func(option string) []string
)

package ringcheck

import (
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/conform"
	"ringcheck/verify/equivalence"
	"ringcheck/verify/estimate"
	"ringcheck/verify/quantify"
	"ringcheck/view"
)

// A Search says which states of a system are visited, and within which limits.
type Search = reduce.Search

// Claims choose properties. The zero value chooses all.
type Claims struct {
	// Properties are names of properties; nil means all.
	Properties []string
	// Fairness, unless "", replaces the fairness that LTL properties assume.
	Fairness Fairness
}

// Checks say what Check decides, and when it stops.
type Checks struct {
	Claims
	// Coverage asks in how many states each equation, action and condition of the spec takes part.
	Coverage bool
	// StopFirst ends the search after the first level with a state that violates an invariant or terminal property.
	StopFirst bool
	// Diagnose determines under which further assumptions a violated LTL property holds, even if the system is large.
	// That can take several times as long as the verdict.
	Diagnose bool
	// OnViolation, if not nil, is called when a state that violates such a property is first found, with the length of
	// a run to it: -1 under a reduction, where a step replaces several. Several goroutines call it.
	OnViolation func(property string, steps int)
}

// An Engine is a way to find the reachable states. "" is Explicit.
type Engine = reduce.Engine

// The engines, see package reduce.
const (
	Explicit = reduce.Explicit
	Symbolic = reduce.Symbolic
)

// Fairness is assumed of the runs that an LTL property is about.
type Fairness = reduce.Fairness

// The kinds of fairness: none, or weak or strong fairness to each process.
const (
	Unfair       = reduce.Unfair
	WeaklyFair   = reduce.WeaklyFair
	StronglyFair = reduce.StronglyFair
)

// A Reduction leaves out states by confluence. "" and "none" leave out nothing.
type Reduction = reduce.Reduction

// The reductions, see package reduce.
const (
	NoReduction = reduce.NoReduction
	Confelm     = reduce.Confelm
	OnTheFly    = reduce.OnTheFly
)

// A Symmetry says which states are identified, so that one of them is stored. "" and "none" identify none.
type Symmetry = reduce.Symmetry

// The symmetries, see package reduce/symmetry.
const (
	NoSymmetry  = reduce.NoSymmetry
	Rotation    = reduce.Rotation
	Permutation = reduce.Permutation
	Auto        = reduce.Auto
)

// NoConflict is the assumption that, whenever a process finds several messages in a channel, it does not matter which
// one it receives first; see package reduce/confluence.
const NoConflict = reduce.NoConflict

// choices has the names that can be given for each option with a fixed choice.
var choices = map[string]func() []string{
	"assume":      func() []string { return reduce.Choices("assume") },
	"comparison":  equivalence.Comparisons,
	"cover":       conform.Covers,
	"engine":      func() []string { return reduce.Choices("engine") },
	"equivalence": equivalence.Equivalences,
	"explain":     equivalence.Explanations,
	"fair":        func() []string { return reduce.Choices("fair") },
	"format":      view.FormatNames,
	"model":       equivalence.Models,
	"order":       conform.Orders,
	"random":      estimate.Schedulers,
	"reduce":      func() []string { return reduce.Choices("reduce") },
	"scheduler":   quantify.Schedulers,
	"symmetry":    func() []string { return reduce.Choices("symmetry") },
}

// Choices returns the names that can be given for an option, the default first: "assume", "comparison" (the
// equivalences of Compare), "cover" (of tests), "engine", "equivalence" (of Minimize), "explain", "fair", "format" (of
// Run.Write), "model" (of Refines), "order" (of a log), "random" (the schedulers of Simulation), "reduce", "scheduler"
// (of Questions) or "symmetry". It returns nil for other options.
func Choices(option string) []string {
	if names, ok := choices[option]; ok {
		return names()
	}
	return nil
}

// permits returns an error if an engine does not support the checks.
func (c *Checks) permits(engine Engine) error {
	switch {
	case engine != Symbolic:
	case c.Coverage:
		return model.Refuse("coverage", "", "the symbolic engine does not support it: it requires visiting every state")
	case c.StopFirst:
		return model.Refuse("stop-first", "", reduce.NotStepwise)
	}
	return nil
}

// A RequestError says that a request is invalid: the value of an option is wrong, or does not fit the system.
type RequestError = model.RequestError

// An Ending says whether a search completed. If it did not, all numbers of the report are lower bounds.
type Ending = explore.Ending

// Errors that say why a search ended early wrap ErrIncomplete: a limit, memory, the disk, the context.
var ErrIncomplete = explore.ErrIncomplete

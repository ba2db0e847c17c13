package ringcheck

import (
	"encoding/json"

	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/equivalence"
	"ringcheck/verify/prob"
	"ringcheck/view"
)

// A Search says which states of a system are visited, and within which limits.
type Search = reduce.Search

// Options configure an operation. The zero value searches the full system. The functions of this package take at most
// one Options.
type Options struct {
	Search

	// Properties are the names of those to check; nil means all.
	Properties []string
	// Fairness, unless "", replaces the fairness that LTL properties assume.
	Fairness Fairness

	// Coverage makes Check count the states in which each equation, action and condition of the spec takes part.
	Coverage bool

	// Witness makes Counterexample search for a run to a state that satisfies a reachable property.
	Witness bool

	// StopFirst ends Check after the first level with a state that violates an invariant or terminal property.
	StopFirst bool
	// Violated, if not nil, is called when Check first finds a state that violates such a property, with the length of
	// a run to it: -1 under a reduction, whose steps stand for several. It is called by several goroutines.
	Violated func(property string, steps int)

	// Store, if not nil, keeps the run of Explore, with About; see explore.Options.
	Store *store.Store
	About json.RawMessage

	// Strict refuses files that are only read with a warning, see Quantified.Warnings.
	Strict bool
}

// only returns the options passed to a function.
func only(opt []Options) Options {
	if len(opt) == 0 {
		return Options{}
	}
	o := opt[0]
	o.Search = o.Search.Normal()
	return o
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
	NoSymmetry = reduce.NoSymmetry
	Rotation   = reduce.Rotation
)

// A Scheduler chooses the steps of random runs; "" is the UniformScheduler.
type Scheduler string

// The schedulers.
const (
	// UniformScheduler takes each enabled choice of the system with equal probability.
	UniformScheduler Scheduler = "uniform"
	// TimedScheduler draws a delay for each message, uniformly from what the spec allows, and advances time when
	// nothing else is enabled. Steps at the same time are taken in random order.
	TimedScheduler Scheduler = "time"
)

// NoConflict is the assumption that, whenever a process finds several messages in a channel, it does not matter which
// one it receives first; see package reduce/confluence.
const NoConflict = reduce.NoConflict

// Choices returns the names that can be given for an option, the default first: "engine", "reduce", "symmetry",
// "assume", "fair", "equivalence", "explain", "scheduler" (of Questions), "random" (the schedulers of Simulation) or
// "format" (of Run.Write).
func Choices(option string) []string {
	switch option {
	case "equivalence":
		return equivalence.Equivalences()
	case "explain":
		return equivalence.Explanations()
	case "random":
		return []string{string(UniformScheduler), string(TimedScheduler)}
	case "scheduler":
		return []string{"all", prob.Uniform.String(), prob.Min.String(), prob.Max.String()}
	case "format":
		var names []string
		for _, f := range view.Formats() {
			names = append(names, f.Name)
		}
		return names
	}
	return reduce.Choices(option)
}

// oneOf returns a *RequestError unless the value of an option is "" or one of its Choices.
func oneOf(option, value string) error { return reduce.OneOf(option, value, Choices(option)) }

// validate checks the search and whether the symbolic engine supports the options.
func (o *Options) validate() error {
	if err := o.Search.Validate(); err != nil || o.Engine != Symbolic {
		return err
	}
	switch {
	case o.Coverage:
		return model.Refuse("coverage", "", "the symbolic engine does not support it: it requires visiting every state")
	case o.StopFirst:
		return model.Refuse("stop-first", "", reduce.Stepwise)
	}
	return nil
}

// A RequestError says that a request is invalid: the value of an option is wrong, or does not fit the system.
type RequestError = model.RequestError

// An Ending says whether a search completed. If it did not, all numbers of the report are lower bounds.
type Ending = explore.Ending

// Errors that say why a search ended early wrap ErrIncomplete: a limit, memory, the disk, the context.
var ErrIncomplete = explore.ErrIncomplete

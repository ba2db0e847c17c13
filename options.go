package ringcheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/lts"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/reduce"
	"ringcheck/symbolic"
	"ringcheck/view"
)

// Options say how to search. The zero value searches the full system with all cores, within 3/4 of the machine's
// memory and beyond that on disk. The functions of this package take at most one.
type Options struct {
	// Engine is how Explore and Check find the reachable states. Advice, if not nil, is told under Auto what the
	// beginning of a larger search shows, before the search goes on.
	Engine Engine
	Advice func(*Advice)

	Reduction Reduction
	Symmetry  Symmetry
	// Assume is what may be taken for granted to reduce more, and is checked in every state: NoConflict, or nothing.
	Assume string
	// Properties are the names of those to check; nil means all.
	Properties []string
	// Fairness is assumed of runs in place of what LTL properties say themselves, unless it is "".
	Fairness Fairness

	// Coverage makes Check count in how many states each equation, action and condition of the spec takes part.
	Coverage bool

	// Witness makes Counterexample look for a run to a state that a reachable property says there is.
	Witness bool

	// StopFirst ends Check after the first level with a state that breaks an invariant or terminal property.
	StopFirst bool
	// Violated, if not nil, is told of such properties when Check first meets a state that breaks one, after how many
	// steps; -1 under a reduction, whose steps stand for several. It is called by several goroutines.
	Violated func(property string, steps int)

	// MaxChannel and MaxNat bound what counts as growth without end: the messages in a channel (0 means 64) and
	// the value of a nat (0 means 1000).
	MaxChannel int
	MaxNat     int64

	Workers   int    // goroutines that expand states; 0 means GOMAXPROCS
	MaxStates uint64 // stop when so many states are stored; 0 means no limit
	Memory    uint64 // budget in bytes; 0 means 3/4 of the machine's
	// Progress, if not nil, is called every ProgressEvery (0 means every second), see explore.Options.
	Progress      func(explore.Progress)
	ProgressEvery time.Duration
	// SymbolicProgress is Progress of the symbolic engine.
	SymbolicProgress func(symbolic.Progress)
	// Log, if not nil, is told what a search does, a line at a time.
	Log func(line string)
	// Store, if not nil, keeps the run of Explore, with About; see explore.Options.
	Store *store.Store
	About json.RawMessage

	// Visible says, for Minimize, Compare and Generate, which labels are not τ; nil leaves it at the default, which is
	// that events of a spec and all labels of a file are. It is called by several goroutines.
	Visible func(label string, byDefault bool) bool
	// KeepUnreachable keeps states of an .aut file that cannot be reached from its initial state.
	KeepUnreachable bool
	// Strict refuses a process in a file of which something would be assumed, see Quantified.Warnings.
	Strict bool
	// Explain says how Compare explains a difference, and ExplainWithin how long that may take; 0 means 5 s.
	Explain       Explanation
	ExplainWithin time.Duration
}

// only returns the options that a function was given.
func only(opt []Options) Options {
	if len(opt) == 0 {
		return Options{}
	}
	o := opt[0]
	if o.Reduction == none {
		o.Reduction = NoReduction
	}
	if o.Symmetry == none {
		o.Symmetry = NoSymmetry
	}
	return o
}

// An Engine is a way to find the reachable states. "" is Explicit.
type Engine string

// The engines.
const (
	// Explicit visits one state after the other, see package explore.
	Explicit Engine = "explicit"
	// Symbolic works with sets of states as decision diagrams, see package symbolic. It has no symmetry, no OnTheFly and
	// no MaxStates, and decides neither LTL properties nor bounds.
	Symbolic Engine = "symbolic"
	// Auto is Explicit, and tells Options.Advice whether Symbolic looks like the better choice.
	Auto Engine = "auto"
)

// An Advice says what the beginning of a search shows of how its states go together: a diagram of them is small if many
// share parts.
type Advice struct {
	Symbolic bool // the symbolic engine would be the better choice
	// Levels is how many levels of the breadth-first search were looked at, States how many states they have, and Nodes
	// the size of the diagram of these.
	Levels int
	States Number
	Nodes  int64
	// In the last Recent of these levels the states became StateGrowth times as many, and the nodes NodeGrowth times.
	Recent                  int
	StateGrowth, NodeGrowth float64
}

// String says what was seen, and what it means.
func (a *Advice) String() string {
	seen := fmt.Sprintf("the first %d levels have %v states, in a diagram of %d nodes; "+
		"in the last %d of them states became %.1f times as many, and nodes %.1f times",
		a.Levels, a.States, a.Nodes, a.Recent, a.StateGrowth, a.NodeGrowth)
	if a.Symbolic {
		return "--engine symbolic looks like the better choice: " + seen
	}
	return "--engine explicit looks like the right choice: " + seen
}

// Fairness is what runs are fair to.
type Fairness string

// The sorts of fairness: to nobody, weak and strong fairness to each process.
const (
	Unfair       Fairness = "none"
	WeaklyFair   Fairness = "weak"
	StronglyFair Fairness = "strong"
)

// instead returns q with f in place of the fairness that it assumes.
func (f Fairness) instead(q *ir.Property) *ir.Property {
	if f == "" || q.Kind != ir.LTL {
		return q
	}
	property, temporal := *q, *q.Temporal
	temporal.Fair = nil
	if f != Unfair {
		temporal.Fair = []ir.FairClause{{Strongly: f == StronglyFair}}
	}
	property.Temporal = &temporal
	return &property
}

// A Reduction is a way to leave out states that do not matter, by confluence. "" and "none" are none.
type Reduction string

// The reductions, see package reduce.
const (
	NoReduction Reduction = ""
	Confelm     Reduction = "confelm"  // compose confluent steps with the step before them
	OnTheFly    Reduction = "onthefly" // as well, keep only representatives
)

// A Symmetry is a way to store one state for all that are alike. "" and "none" are none.
type Symmetry string

// The symmetries, see package reduce/symmetry.
const (
	NoSymmetry Symmetry = ""
	Rotation   Symmetry = "rotation"
)

// An Explanation is a reason why systems are not equivalent. "" is ByFormula.
type Explanation string

// The explanations.
const (
	ByFormula     Explanation = "formula" // a formula and, where there is one, a trace
	ByTrace       Explanation = "trace"   // a trace that only one of the systems can do
	NoExplanation Explanation = none
)

// An Equivalence tells which states of a system are alike.
type Equivalence string

// The equivalences, see package bisim, and prob.Minimize for the last. Systems are compared by the others.
const (
	Strong        Equivalence = "strong"
	Branching     Equivalence = "branching"
	Divergence    Equivalence = "divergence"
	Probabilistic Equivalence = "probabilistic"
)

// NoConflict is the assumption that no process finds two messages in one channel and it matters which one it takes
// first, see package reduce/confluence.
const NoConflict = "no-conflict"

// left returns how much memory may be held beside some systems.
func (o *Options) left(systems ...*lts.LTS) uint64 {
	budget := o.budget()
	for _, l := range systems {
		budget -= min(l.Bytes(), budget)
	}
	return max(1, budget)
}

// budget returns how much memory may be held.
func (o *Options) budget() uint64 { return cmp.Or(o.Memory, machine.Budget()) }

// none is how the choice of nothing is called.
const none = "none"

// Choices returns the names that can be given for an option, the default first: "engine", "reduce", "symmetry",
// "assume", "fair", "explain", "scheduler" (of Questions) or "format" (of Run.Write).
func Choices(option string) []string {
	switch option {
	case "engine":
		return []string{string(Explicit), string(Symbolic), string(Auto)}
	case "reduce":
		return []string{none, string(Confelm), string(OnTheFly)}
	case "symmetry":
		return []string{none, string(Rotation)}
	case "assume":
		return []string{none, NoConflict}
	case "fair":
		return []string{string(Unfair), string(WeaklyFair), string(StronglyFair)}
	case "equivalence":
		return []string{string(Branching), string(Strong), string(Divergence), string(Probabilistic)}
	case "explain":
		return []string{string(ByFormula), string(ByTrace), none}
	case "scheduler":
		return []string{"all", prob.Uniform.String(), prob.Min.String(), prob.Max.String()}
	case "format":
		var names []string
		for _, f := range view.Formats() {
			names = append(names, f.Name)
		}
		return names
	}
	return nil
}

func (r Reduction) String() string { return cmp.Or(string(r), none) }
func (s Symmetry) String() string  { return cmp.Or(string(s), none) }

// MarshalText implements encoding.TextMarshaler.
func (r Reduction) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (s Symmetry) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reduction) UnmarshalText(text []byte) (err error) {
	*r, err = choose(Reduction(text), Choices("reduce"))
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Symmetry) UnmarshalText(text []byte) (err error) {
	*s, err = choose(Symmetry(text), Choices("symmetry"))
	return err
}

// choose returns the name of one of the choices, "" for none.
func choose[T ~string](name T, choices []string) (T, error) {
	switch {
	case name == "" || name == none:
		return "", nil
	case slices.Contains(choices, string(name)):
		return name, nil
	}
	return "", fmt.Errorf("want %s", printable.Or(choices))
}

// A RequestError says that what is asked for cannot be: an option has a value that makes no sense, or none for this
// system.
type RequestError struct {
	Option string // as the command line calls it, such as "symmetry"
	Value  string // may be empty
	Err    error
}

func (e *RequestError) Error() string {
	if e.Option == "" {
		return e.Err.Error()
	}
	return strings.TrimSpace(e.Option+" "+e.Value) + ": " + e.Err.Error()
}

func (e *RequestError) Unwrap() error { return e.Err }

func refuse(option, value, format string, args ...any) error {
	return &RequestError{option, value, fmt.Errorf(format, args...)}
}

// validate reports names of choices that there are not.
func (o *Options) validate() error {
	err := cmp.Or(
		oneOf("reduce", string(o.Reduction)),
		oneOf("symmetry", string(o.Symmetry)),
		oneOf("assume", o.Assume),
	)
	if err == nil && o.Engine != "" {
		err = oneOf("engine", string(o.Engine))
	}
	if err == nil && o.Engine == Symbolic {
		err = o.symbolic()
	}
	return err
}

// symbolic returns an error for what does not go with sets of states.
func (o *Options) symbolic() error {
	switch {
	case o.Symmetry != NoSymmetry:
		return refuse("symmetry", string(o.Symmetry),
			"which of the states that are alike is the least depends on all slots: not with the symbolic engine")
	case o.Reduction == OnTheFly:
		return refuse("reduce", string(o.Reduction),
			"which state represents others depends on all of it: not with the symbolic engine")
	case o.Coverage:
		return refuse("coverage", "", "it looks at every state: not with the symbolic engine")
	case o.StopFirst:
		return refuse("stop-first", "", "the symbolic engine does not meet states one by one")
	case o.MaxStates != 0:
		return refuse("max-states", fmt.Sprint(o.MaxStates), "states are not met one by one by the symbolic engine")
	}
	return nil
}

func oneOf(option, value string) error {
	if _, err := choose(value, Choices(option)); err != nil {
		return &RequestError{option, value, err}
	}
	return nil
}

// full returns an error if the options ask for anything but the full system, of which alone what is asked for can be
// told.
func (o *Options) full(what string) error {
	if o.Symmetry != NoSymmetry {
		return refuse("symmetry", string(o.Symmetry), "%s of the full system only", what)
	}
	return nil
}

// ordered returns the options of a search whose states are shown. Under OnTheFly, which state represents others can
// depend on the order in which they are met, so that one worker explores.
func (o Options) ordered() Options {
	if o.Reduction == OnTheFly {
		o.Workers = 1
	}
	return o
}

// assumption returns what is assumed, "" if nothing is.
func (o *Options) assumption() string {
	if o.Assume == none {
		return ""
	}
	return o.Assume
}

func (o *Options) level() reduce.Level {
	return map[Reduction]reduce.Level{NoReduction: reduce.None, Confelm: reduce.Confelm,
		OnTheFly: reduce.OnTheFly}[o.Reduction]
}

// bounds returns what counts as growth without end.
func (o *Options) bounds() compile.Options {
	return compile.Options{MaxMessages: o.MaxChannel, MaxNat: o.MaxNat}
}

// search returns the options of the engine.
func (o *Options) search() explore.Options {
	return explore.Options{
		Workers: o.Workers, MaxStates: o.MaxStates, Memory: o.budget(), Spill: true, Ceiling: o.ceiling(),
		Progress: o.Progress, ProgressEvery: o.ProgressEvery,
	}
}

// smallCeiling is what a search may always hold: --mem 1MiB is a wish to see it spill.
const smallCeiling = 32 << 20

// ceiling returns where even a search that spills stops; 0 if the budget is unknown.
func (o *Options) ceiling() uint64 {
	budget := o.budget()
	if budget == 0 {
		return 0
	}
	return max(budget, smallCeiling)
}

// log tells who asked for it what is done.
func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// ErrIncomplete is what an error wraps that says why a search ended early: a limit, memory, the disk, the context.
var ErrIncomplete = errors.New("stopped before the end")

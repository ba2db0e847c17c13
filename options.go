package ringcheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/inside"
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

// Options configure a search. The zero value searches the full system with all cores, in up to 3/4 of the machine's
// memory, and spills to disk beyond that. The functions of this package take at most one Options, except Compare.
type Options struct {
	Engine    Engine // how Explore and Check find the reachable states
	Reduction Reduction
	Symmetry  Symmetry
	// Assume is an assumption that allows further reduction, NoConflict or "". It is checked in every state.
	Assume string
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

	// MaxChannel bounds the messages in a channel (0 means 64) and MaxNat the value of a nat (0 means 1000). A search
	// that exceeds one stops, since the system may be infinite.
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
	// Log, if not nil, receives lines about the progress of the work.
	Log func(line string)
	// Store, if not nil, keeps the run of Explore, with About; see explore.Options.
	Store *store.Store
	About json.RawMessage

	// Visible says which labels are not τ for Minimize and Compare; nil means the events of a spec and all labels of a
	// file. It is called by several goroutines.
	Visible func(label string, byDefault bool) bool
	// KeepUnreachable keeps states of an .aut file that cannot be reached from its initial state.
	KeepUnreachable bool
	// Strict refuses files that are only read with a warning, see Quantified.Warnings.
	Strict bool
	// Explain says how Compare explains a difference, and ExplainWithin limits the time for that; 0 means 5 s.
	Explain       Explanation
	ExplainWithin time.Duration
}

// only returns the options passed to a function, with "none" normalized.
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
	// Symbolic works with sets of states as decision diagrams, see package symbolic. It has no symmetry, no OnTheFly
	// and no MaxStates, and decides neither LTL properties nor bounds.
	Symbolic Engine = "symbolic"
)

// Fairness is assumed of the runs that an LTL property is about.
type Fairness string

// The kinds of fairness: none, or weak or strong fairness to each process.
const (
	Unfair       Fairness = "none"
	WeaklyFair   Fairness = "weak"
	StronglyFair Fairness = "strong"
)

// replace returns q with its fairness replaced by f.
func (f Fairness) replace(q *ir.Property) *ir.Property {
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

// A Reduction leaves out states by confluence. "" and "none" leave out nothing.
type Reduction string

// The reductions, see package reduce.
const (
	NoReduction Reduction = ""
	Confelm     Reduction = "confelm"  // compose confluent steps with the step before them
	OnTheFly    Reduction = "onthefly" // as well, keep only representatives
)

// A Symmetry says which states are identified, so that one of them is stored. "" and "none" identify none.
type Symmetry string

// The symmetries, see package reduce/symmetry.
const (
	NoSymmetry Symmetry = ""
	Rotation   Symmetry = "rotation"
)

// An Explanation is the way in which Compare explains a difference. "" is ByFormula.
type Explanation string

// The explanations.
const (
	ByFormula     Explanation = "formula" // a formula and, where there is one, a trace
	ByTrace       Explanation = "trace"   // a trace that only one of the systems can do
	NoExplanation Explanation = none
)

// An Equivalence is a kind of bisimilarity.
type Equivalence string

// The equivalences, see package bisim, and prob.Minimize for Probabilistic, by which Compare does not compare.
const (
	Strong        Equivalence = "strong"
	Branching     Equivalence = "branching"
	Divergence    Equivalence = "divergence"
	Probabilistic Equivalence = "probabilistic"
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
const NoConflict = "no-conflict"

// left returns the memory budget that remains beside systems in memory.
func (o *Options) left(systems ...*lts.LTS) uint64 {
	budget := o.budget()
	for _, l := range systems {
		budget -= min(l.Bytes(), budget)
	}
	return max(1, budget)
}

// budget returns the memory budget in bytes.
func (o *Options) budget() uint64 { return cmp.Or(o.Memory, machine.Budget()) }

// none selects nothing.
const none = "none"

func init() { inside.Choices = choices }

// choices returns the names that can be given for an option, the default first.
func choices(option string) []string {
	switch option {
	case "engine":
		return []string{string(Explicit), string(Symbolic)}
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
	*r, err = choose(Reduction(text), choices("reduce"))
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Symmetry) UnmarshalText(text []byte) (err error) {
	*s, err = choose(Symmetry(text), choices("symmetry"))
	return err
}

// choose checks that a name is known, and returns "" for none.
func choose[T ~string](name T, known []string) (T, error) {
	switch {
	case name != "" && !slices.Contains(known, string(name)):
		return "", fmt.Errorf("expected %s", printable.Or(known))
	case name == none:
		return "", nil
	}
	return name, nil
}

// A RequestError says that a request is invalid: the value of an option is wrong, or does not fit the system.
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

// validate checks the names of choices and whether the symbolic engine supports them.
func (o *Options) validate() error {
	err := cmp.Or(
		oneOf("reduce", string(o.Reduction)),
		oneOf("symmetry", string(o.Symmetry)),
		oneOf("assume", o.Assume),
		oneOf("engine", string(o.Engine)),
	)
	if err == nil && o.Engine == Symbolic {
		err = o.symbolic()
	}
	return err
}

// symbolic returns an error for options that the symbolic engine does not support.
func (o *Options) symbolic() error {
	const oneByOne = "the symbolic engine does not support it: it does not visit states one by one"
	switch {
	case o.Symmetry != NoSymmetry:
		return refuse("symmetry", string(o.Symmetry),
			"the symbolic engine does not support it: the least of symmetric states depends on all slots")
	case o.Reduction == OnTheFly:
		return refuse("reduce", string(o.Reduction),
			"the symbolic engine does not support it: a representative depends on the whole state")
	case o.Coverage:
		return refuse("coverage", "", "the symbolic engine does not support it: it requires visiting every state")
	case o.StopFirst:
		return refuse("stop-first", "", oneByOne)
	case o.MaxStates != 0:
		return refuse("max-states", fmt.Sprint(o.MaxStates), oneByOne)
	}
	return nil
}

func oneOf(option, value string) error {
	if _, err := choose(value, choices(option)); err != nil {
		return &RequestError{option, value, err}
	}
	return nil
}

// assumption returns the assumption, "" if there is none.
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

// outcomeBytes is about what an outcome of a draw takes while the alternatives of a process are listed and compared.
const outcomeBytes = 2 << 10

// bounds returns the limits beyond which a system counts as infinite.
func (o *Options) bounds() compile.Options {
	return compile.Options{MaxMessages: o.MaxChannel, MaxNat: o.MaxNat,
		MaxOutcomes: int(min(max(o.budget(), 32<<20)/outcomeBytes, math.MaxInt32))}
}

// search returns the options of the engine.
func (o *Options) search() explore.Options {
	return explore.Options{
		Workers: o.Workers, MaxStates: o.MaxStates, Memory: o.budget(), Ceiling: o.ceiling(),
		Spill:    runtime.GOOS != "js", // a browser has no disk
		Progress: o.Progress, ProgressEvery: o.ProgressEvery,
	}
}

// smallCeiling is how many bytes a search may always hold: tiny budgets are for testing that it spills.
const smallCeiling = 32 << 20

// ceiling returns how many bytes even a search that spills may hold; 0 if the budget is unknown.
func (o *Options) ceiling() uint64 {
	budget := o.budget()
	if budget == 0 {
		return 0
	}
	return max(budget, smallCeiling)
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// Errors that say why a search ended early wrap ErrIncomplete: a limit, memory, the disk, the context.
var ErrIncomplete = explore.ErrIncomplete

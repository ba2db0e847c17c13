package reduce

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Search says which states of a system are visited, and within which limits. The zero value searches the full system
// with all cores, in up to 3/4 of the machine's memory, and spills to disk beyond that.
type Search struct {
	// Engine is how Explore and Check find the reachable states.
	Engine    Engine
	Reduction Reduction
	Symmetry  Symmetry
	// Assume is an assumption that allows further reduction, NoConflict or "". It is checked in every state.
	Assume string

	// MaxChannel bounds the messages in a channel (0 means 64) and MaxNat the value of a nat (0 means 1000). A search
	// that exceeds one stops, since the system may be infinite.
	MaxChannel int
	MaxNat     int64

	Workers   int    // goroutines that expand states; 0 means GOMAXPROCS
	MaxStates uint64 // the number of stored states that ends the search; 0 means no limit
	Memory    uint64 // budget in bytes; 0 means 3/4 of the machine's
	// Progress, if not nil, is called every ProgressEvery (0 means every second), see explore.Options.
	Progress      func(explore.Progress)
	ProgressEvery time.Duration
	// Log, if not nil, receives lines about the progress of the work.
	Log func(line string)
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

// A Reduction leaves out states by confluence. "" and "none" leave out nothing.
type Reduction string

// The reductions.
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
	// Permutation identifies states that differ by the numbers of processes that the spec does not tell apart.
	Permutation Symmetry = "permutation"
	// Rotation is Permutation by rotations only: process p becomes (p + r) mod n.
	Rotation Symmetry = "rotation"
	// Auto is Permutation, called Rotation where it rotates a ring only, or none.
	Auto Symmetry = "auto"
)

// Fairness is assumed of the runs that an LTL property is about.
type Fairness string

// The kinds of fairness: none, or weak or strong fairness to each process.
const (
	Unfair       Fairness = none
	WeaklyFair   Fairness = "weak"
	StronglyFair Fairness = "strong"
)

// NoConflict is the assumption that, whenever a process finds several messages in a channel, it does not matter which
// one it receives first; see package reduce/confluence.
const NoConflict = "no-conflict"

// none selects nothing.
const none = "none"

// choices are the names that can be given for an option of a Search, the default first.
var choices = map[string][]string{
	"engine":   {string(Explicit), string(Symbolic)},
	"reduce":   {none, string(Confelm), string(OnTheFly)},
	"symmetry": {none, string(Rotation), string(Permutation), string(Auto)},
	"assume":   {none, NoConflict},
	"fair":     {string(Unfair), string(WeaklyFair), string(StronglyFair)},
}

// Choices returns the names that can be given for an option: "engine", "reduce", "symmetry", "assume" or "fair". The
// default is the first.
func Choices(option string) []string { return choices[option] }

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

// OneOf returns a *model.RequestError unless the value of an option is "" or one of the known names.
func OneOf(option, value string, known []string) error {
	if _, err := choose(value, known); err != nil {
		return &model.RequestError{Option: option, Value: value, Err: err}
	}
	return nil
}

// Rewards returns the declared rewards with the given names. The error is a *model.RequestError about an option.
func Rewards(option string, declared []*ir.Reward, names []string) ([]*ir.Reward, error) {
	return ByName(option, declared, func(r *ir.Reward) string { return r.Name }, names, "")
}

// ByName returns the elements of all with the given names. The error is a *model.RequestError about an option; where
// precedes the names that exist.
func ByName[T any](option string, all []T, nameOf func(T) string, names []string, where string) (
	chosen []T, err error) {
	var known []string
	for _, t := range all {
		known = append(known, nameOf(t))
	}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, model.Refuse(option, name, "expected %s%s", where, strings.Join(known, " or "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// Normal returns s with "" for each "none".
func (s Search) Normal() Search {
	if s.Reduction == none {
		s.Reduction = NoReduction
	}
	if s.Symmetry == none {
		s.Symmetry = NoSymmetry
	}
	if s.Assume == none {
		s.Assume = ""
	}
	return s
}

// Validate checks the names of choices, the limits, and whether the symbolic engine supports them. The error is a
// *model.RequestError.
func (s *Search) Validate() error {
	err := cmp.Or(
		OneOf("reduce", string(s.Reduction), Choices("reduce")),
		OneOf("symmetry", string(s.Symmetry), Choices("symmetry")),
		OneOf("assume", s.Assume, Choices("assume")),
		OneOf("engine", string(s.Engine), Choices("engine")),
	)
	switch {
	case err != nil:
		return err
	case s.Workers < 0:
		return model.Refuse("workers", fmt.Sprint(s.Workers), "must not be negative")
	case s.MaxChannel < 0:
		return model.Refuse("max-channel", fmt.Sprint(s.MaxChannel), "must not be negative")
	case s.MaxNat < 0:
		return model.Refuse("max-nat", fmt.Sprint(s.MaxNat), "must not be negative")
	case s.Engine == Symbolic:
		return s.symbolic()
	}
	return nil
}

// NotStepwise is the reason for which the symbolic engine does not support an option.
const NotStepwise = "the symbolic engine does not support it: it does not visit states one by one"

// Stepwise is Validate for an operation that visits states one by one.
func (s *Search) Stepwise() error {
	if s.Engine == Symbolic {
		return model.Refuse("engine", string(s.Engine), "only explore and check support it")
	}
	return s.Validate()
}

const notSymbolic = "the symbolic engine does not support it: the least of symmetric states depends on all slots"

// symbolic returns an error for a search that the symbolic engine does not support.
func (s *Search) symbolic() error {
	switch {
	case s.Symmetry != NoSymmetry && s.Symmetry != none && s.Symmetry != Auto:
		return model.Refuse("symmetry", string(s.Symmetry), notSymbolic)
	case s.Reduction == OnTheFly:
		return model.Refuse("reduce", string(s.Reduction),
			"the symbolic engine does not support it: a representative depends on the whole state")
	case s.MaxStates != 0:
		return model.Refuse("max-states", fmt.Sprint(s.MaxStates), NotStepwise)
	}
	return nil
}

// dependent returns an error for a search that needs the dependencies between the parts of a system, which are known
// only of a spec.
func (s *Search) dependent() error {
	const reason = "reductions need read and write sets, which only a spec declares"
	switch {
	case s.Reduction != NoReduction:
		return model.Refuse("reduce", string(s.Reduction), reason)
	case s.Assume != "":
		return model.Refuse("assume", s.Assume, reason)
	}
	return s.WithoutSymmetry(reason)
}

// WithoutSymmetry returns a *model.RequestError with the reason if a symmetry is asked for. Auto becomes NoSymmetry
// instead, and the log says why.
func (s *Search) WithoutSymmetry(reason string) error {
	switch s.Symmetry {
	case NoSymmetry, none:
		return nil
	case Auto:
		s.Logf("symmetry: none: %s", reason)
		s.Symmetry = NoSymmetry
		return nil
	}
	return model.Refuse("symmetry", string(s.Symmetry), "%s", reason)
}

// Budget returns the memory budget in bytes.
func (s *Search) Budget() uint64 { return cmp.Or(s.Memory, machine.Budget()) }

// Remaining returns the memory budget that remains beside systems in memory.
func (s *Search) Remaining(systems ...*lts.LTS) uint64 {
	budget := s.Budget()
	for _, l := range systems {
		budget -= min(l.Bytes(), budget)
	}
	return max(1, budget)
}

// outcomeBytes is about what an outcome of a draw takes while the alternatives of a process are listed and compared.
const outcomeBytes = 2 << 10

// Bounds returns the limits beyond which a system counts as infinite.
func (s *Search) Bounds() compile.Options {
	return compile.Options{MaxMessages: s.MaxChannel, MaxNat: s.MaxNat,
		MaxOutcomes: int(min(max(s.Budget(), 32<<20)/outcomeBytes, math.MaxInt32))}
}

// ExploreOptions returns the options of the explicit engine.
func (s *Search) ExploreOptions() explore.Options {
	return explore.Options{
		Workers: s.Workers, MaxStates: s.MaxStates, Memory: s.Budget(), Ceiling: s.ceiling(),
		Spill:    runtime.GOOS != "js", // a browser has no disk
		Progress: s.Progress, ProgressEvery: s.ProgressEvery,
	}
}

// smallCeiling is the number of bytes that a search may always hold: tiny budgets are for testing that it spills.
const smallCeiling = 32 << 20

// ceiling returns the number of bytes that even a search that spills may hold; 0 if the budget is unknown.
func (s *Search) ceiling() uint64 {
	budget := s.Budget()
	if budget == 0 {
		return 0
	}
	return max(budget, smallCeiling)
}

// Logf passes a line to Log.
func (s *Search) Logf(format string, args ...any) {
	if s.Log != nil {
		s.Log(fmt.Sprintf(format, args...))
	}
}

// replace returns q with its fairness replaced by f.
func (f Fairness) replace(q *ir.Property) *ir.Property {
	if f == "" || !q.Kind.OfRuns() {
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

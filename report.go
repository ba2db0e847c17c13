package ringcheck

import (
	"context"
	"math"
	"time"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/verify"
	"ringcheck/view"
)

// Counts are those of the requested system: under a symmetry, of the full system.
type Counts struct {
	States      Number `json:"states"`
	Transitions Number `json:"transitions"`
	// TerminalStates are those without transitions.
	TerminalStates Number `json:"terminal_states"`
	// EnvironmentOnlyStates are those in which only the environment can act: a run may end there, too.
	EnvironmentOnlyStates Number `json:"environment_only_states"`

	*Enumeration // nil with the symbolic engine
	*Diagram     // nil but with the symbolic engine
}

// An Enumeration has the counts that only the explicit engine has.
type Enumeration struct {
	Levels       int   `json:"levels"` // non-empty levels of the breadth-first search
	StoredStates Count `json:"stored_states"`
	// StatesWithoutGhosts is the number of states without the ghost variables of the spec; nil if there are none, or if
	// it was not counted.
	StatesWithoutGhosts *Count `json:"states_without_ghosts,omitempty"`
}

// A Storage describes the states that Explore stored.
type Storage struct {
	// InternalStates is the number of states for which OnTheFly computed a representative.
	InternalStates Count   `json:"internal_states"`
	Visited        Visited `json:"visited"`
}

// Visited describes the set of the states stored.
type Visited struct {
	Exact         bool    `json:"exact"` // always true: different states are never identified
	Bytes         uint64  `json:"bytes"`
	BytesPerState float64 `json:"bytes_per_state"`
	SpilledStates Count   `json:"spilled_states"` // on disk, beyond the memory budget
}

// A Diagram has the sizes that only the symbolic engine has.
type Diagram struct {
	Nodes     int64 `json:"nodes"`      // of the diagram of the reachable states
	Arcs      int64 `json:"arcs"`       // of these nodes
	PeakNodes int64 `json:"peak_nodes"` // most in memory at any time, garbage included
}

// seconds returns a duration to the millisecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// A Report is the result of Explore or Check.
type Report struct {
	Description
	Ending
	Engine    Engine `json:"engine,omitempty"` // "" if it is the explicit one
	*Verdicts        // nil but for Check
	Counts
	*Storage         // nil but for Explore with the explicit engine
	Workers      int `json:"workers"`
	explore.Cost     // of Check, until all is decided

	LevelSizes []Count `json:"-"` // states by level; under a symmetry, of the full system
	DiskBytes  uint64  `json:"-"` // written to disk
	HeldBytes  uint64  `json:"-"` // the most that the search held

	sys      *System
	steps    Search   // for runs
	fairness Fairness // of LTL properties
	search   *explore.Result
	fault    []model.Value                       // the state in which the fault occurs
	invalid  *verify.EvalError                   // of the first property with a fault
	faultRun func(context.Context) (*Run, error) // of the task, which this file does not know
	advice   func(context.Context) string        // likewise; nil: none
}

// Verdicts are those of Check.
type Verdicts struct {
	Holds      *bool     `json:"holds"` // whether all properties hold; null: not known
	Properties []Verdict `json:"properties"`
	Coverage   []Covered `json:"coverage,omitempty"` // by place, with Options.Coverage
}

// newCounts returns the counts that every engine has.
func newCounts(states, transitions, terminal, environmentOnly Number) Counts {
	return Counts{States: states, Transitions: transitions, TerminalStates: terminal,
		EnvironmentOnlyStates: environmentOnly}
}

// Invalid returns a *RequestError about a property that has no value in some state where it needs one; nil if there is
// none. Of several properties it is the one with the shortest run to such a state.
func (r *Report) Invalid() error {
	if r.invalid == nil {
		return nil
	}
	return &RequestError{Err: r.invalid}
}

// FaultRun searches for a shortest run to the fault of the model or, if there is none, to the state that Invalid is
// about; nil if there is none either.
func (r *Report) FaultRun(ctx context.Context) (*Run, error) { return r.faultRun(ctx) }

// A Verdict is the result for one property.
type Verdict struct {
	Name string `json:"name"`
	// Kind is "invariant", "terminal", "reachable", "recoverable", "ltl", "probability" or "expected".
	Kind  string `json:"kind"`
	Doc   string `json:"doc"`
	Holds *bool  `json:"holds"` // null: the search ended too early to tell, or the property has a fault
	// States is the number of states that violate the property, or satisfy it if it is a reachable one. Only the
	// symbolic engine can leave it unknown.
	States Number `json:"states"`
	// TraceLength is the length of a shortest run to such a state, or to the fault; null if there is none, or under a
	// reduction, whose steps stand for several.
	TraceLength *int     `json:"trace_length"`
	Why         []string `json:"why,omitempty"` // why it is false at the end of that run, line by line
	// Fault says why the property has no value in some state where it needs one.
	Fault *model.Fault `json:"fault,omitempty"`
	// Fairness is what an LTL property assumes of runs: "fair", "strongly fair of Deliver, with probability one". Lasso
	// is the shape of a run that violates it.
	Fairness string `json:"fairness,omitempty"`
	Lasso    *Lasso `json:"lasso,omitempty"`
	// Warnings say where the property states less than it seems to.
	Warnings []Warning `json:"warnings,omitempty"`
	// Value is the probability or expected reward that a claim is about; nil if it is not known.
	Value *Value `json:"value,omitempty"`
}

// A Warning points to something that is probably not intended.
type Warning = model.Warning

// Outcome returns whether the property holds.
func (v *Verdict) Outcome() verify.Outcome {
	switch {
	case v.Holds == nil:
		return verify.Unknown
	case *v.Holds:
		return verify.Holds
	}
	return verify.Violated
}

// A Covered is the coverage of an equation, an action or a condition of the spec.
type Covered struct {
	Place    string `json:"place"` // file:line:column
	Kind     string `json:"kind"`  // "equation", "action" or "condition"
	Equation string `json:"equation,omitempty"`
	Action   string `json:"action,omitempty"` // what an action does: "send M"
	// States is the number of states in which a process is in the equation or acts by it, the action is possible, or
	// the condition is true for a process that evaluates it.
	States Count `json:"states"`
	// False is the number of states in which a condition is false for a process that evaluates it.
	False *Count `json:"false,omitempty"`

	Line   int `json:"-"`
	Column int `json:"-"`
}

// Never returns "never" if nothing is covered, "never true" or "never false" for a condition that always has the same
// value, and "" if all is covered.
func (c *Covered) Never() string {
	switch {
	case c.States == 0 && (c.False == nil || *c.False == 0):
		return "never"
	case c.States == 0:
		return "never true"
	case c.False != nil && *c.False == 0:
		return "never false"
	}
	return ""
}

// Property returns the verdict on the property of a name, nil if that was not checked.
func (r *Report) Property(name string) *Verdict {
	for i := range r.Properties {
		if r.Properties[i].Name == name {
			return &r.Properties[i]
		}
	}
	return nil
}

// A Run is one with what it shows, for drawing.
type Run = view.Run

// A Lasso is the shape of a run that goes on for ever.
type Lasso = model.Lasso

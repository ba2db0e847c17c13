package ringcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// Counts are the numbers of states and transitions of the requested system: under a symmetry, of the full system.
type Counts struct {
	States      Number `json:"states"`
	Transitions Number `json:"transitions"`
	// TerminalStates are those without transitions.
	TerminalStates Number `json:"terminal_states"`
	// EnvironmentOnlyStates are those in which only the environment can act: a run may end there, too.
	EnvironmentOnlyStates Number `json:"environment_only_states"`
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

// A Report is the result of Explore or Check. A section that the search does not have is nil.
type Report struct {
	Description
	Ending
	Engine Engine // "" if it is the explicit one
	Counts
	Verdicts    *Verdicts    // of Check
	Enumeration *Enumeration // of the explicit engine
	Diagram     *Diagram     // of the symbolic engine
	Storage     *Storage     // of Explore with the explicit engine

	Workers      int
	explore.Cost // of Check, until all is decided

	LevelSizes []Count // states by level; under a symmetry, of the full system
	DiskBytes  uint64  // written to disk
	HeldBytes  uint64  // the most that the search held

	sys        *System
	steps      Search   // for runs
	fairness   Fairness // of LTL properties
	search     *explore.Result
	errorState []model.Value                       // the state in which the error occurs
	invalid    *verify.EvalError                   // of the first property without a value in some state
	errorRun   func(context.Context) (*Run, error) // of the task, which this file does not know
	advice     func(context.Context) []string      // likewise; nil: none
}

// MarshalJSON returns a JSON object with the fields of all sections.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		*Description
		*Ending
		Engine Engine `json:"engine,omitempty"`
		*Verdicts
		*Counts
		*Enumeration
		*Diagram
		*Storage
		Workers int `json:"workers"`
		*explore.Cost
	}{&r.Description, &r.Ending, r.Engine, r.Verdicts, &r.Counts, r.Enumeration, r.Diagram, r.Storage, r.Workers,
		&r.Cost})
}

// Verdicts are the results of Check.
type Verdicts struct {
	Holds      *bool      `json:"holds"` // whether all properties hold; null: not known
	Properties []Verdict  `json:"properties"`
	Coverage   []Coverage `json:"coverage,omitempty"` // by place, with Options.Coverage
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

// ErrorRun searches for a shortest run to the model error. Without a model error, the run leads to the state that
// Invalid is about. The run is nil if neither exists.
func (r *Report) ErrorRun(ctx context.Context) (*Run, error) {
	if r.errorRun == nil {
		return nil, nil
	}
	return r.errorRun(ctx)
}

// A Verdict is the result for one property.
type Verdict = verify.Verdict

// A Warning points to something that is probably not intended.
type Warning = model.Warning

// Coverage is the number of states in which a part of a spec is active.
type Coverage = verify.Coverage

// Property returns the verdict on the property of a name, nil if that was not checked.
func (r *Report) Property(name string) *Verdict {
	if r.Verdicts == nil {
		return nil
	}
	for i := range r.Verdicts.Properties {
		if v := &r.Verdicts.Properties[i]; v.Name == name {
			return v
		}
	}
	return nil
}

// A Run is one with what it shows, for drawing.
type Run = view.Run

// A Lasso is the shape of a run that goes on for ever.
type Lasso = model.Lasso

// report returns the report of a search that took some time until all was decided. If diagrams is not nil, it has the
// counts, and r only says how the search ended.
func (t *task) report(r *explore.Result, diagrams *symbolic.Result, took time.Duration) *Report {
	report := &Report{
		Description: t.Description(), Ending: r.Ending(), HeldBytes: r.TotalBytes, DiskBytes: r.DiskBytes,
		sys: t.System, steps: t.Search, fairness: t.checks.Fairness, search: r, errorState: r.ErrorState,
		Workers: r.Workers, Cost: explore.CostOf(took),
	}
	report.errorRun = func(ctx context.Context) (*Run, error) { return t.errorRun(ctx, report) }
	if d := diagrams; d != nil {
		report.Engine, report.Workers, report.HeldBytes = Symbolic, 1, report.PeakRSSBytes
		report.Counts = newCounts(Number{Int: d.States}, Number{Int: d.Transitions}, Number{Int: d.TerminalStates},
			Number{Int: d.EnvironmentOnly})
		report.Diagram = &Diagram{d.Nodes, d.Arcs, d.PeakNodes}
	} else {
		report.Counts = newCounts(Count(r.States).Number(), Count(r.Transitions).Number(),
			Count(r.TerminalStates).Number(), Count(r.EnvironmentOnly).Number())
		t.addEnumeration(report, r)
		report.advice = func(ctx context.Context) []string { return t.advice(ctx, r) }
	}
	return report
}

// addEnumeration completes the report of a search state by state.
func (t *task) addEnumeration(report *Report, r *explore.Result) {
	report.Enumeration = &Enumeration{Levels: len(r.Levels), StoredStates: Count(r.Stored)}
	report.Storage = &Storage{Visited: Visited{
		Exact: true, Bytes: r.Bytes, SpilledStates: Count(r.Spilled),
		BytesPerState: math.Round(100*float64(r.Bytes)/float64(max(1, r.Stored))) / 100,
	}}
	if t.Reduced != nil {
		report.Storage.InternalStates = Count(t.Reduced.InternalStates())
	}
	report.TransitionsPerSecond = new(uint64)
	if r.Elapsed > 0 {
		*report.TransitionsPerSecond = uint64(float64(r.Transitions) / r.Elapsed.Seconds())
	}
	for _, n := range r.Levels {
		report.LevelSizes = append(report.LevelSizes, Count(n))
	}
	t.Search.Logf("%d levels, %d states stored, %d of them on disk; "+
		"the visited set holds %d bytes, the search held %d; %.3f s",
		len(r.Levels), r.Stored, r.Spilled, r.Bytes, r.TotalBytes, r.Elapsed.Seconds())
}

// errorRun returns a shortest run to the error in r, nil if r has no model error.
func (t *task) errorRun(ctx context.Context, r *Report) (*Run, error) {
	if r.ModelError == nil && r.invalid != nil {
		return t.invalidRun(ctx, r.invalid)
	}
	if r.ModelError == nil || r.errorState == nil {
		return nil, nil
	}
	run, err := verify.RunTo(ctx, t.Subject, r.errorState, r.Err())
	if err != nil {
		return nil, err
	}
	run.Finding = fmt.Sprintf("%v, after %s", r.Err(), printable.Count(run.Length(), "step"))
	return run, nil
}

// invalidRun returns a run to a state in which a property has no value.
func (t *task) invalidRun(ctx context.Context, e *verify.EvalError) (*Run, error) {
	if err := t.Liftable(); err != nil {
		return nil, err
	}
	found, err := t.verifier().ErrorRun(ctx, e, t.Search.ExploreOptions())
	if err != nil {
		return nil, fmt.Errorf("no run that leads there was found: %w", err)
	}
	return verify.Show(t.Subject, found)
}

// exploreSymbolically is Explore with decision diagrams.
func (t *task) exploreSymbolically(ctx context.Context) (*Report, error) {
	r, early, err := reduce.Do(ctx, t.Subject,
		func() (*symbolic.Result, error) { return symbolic.Run(ctx, t.SearchSystem, t.symbolicOptions()) })
	if err != nil {
		return nil, err
	}
	if r != nil {
		return t.report(&explore.Result{Stop: r.Stop, ModelError: r.ModelError}, r, r.Elapsed), nil
	}
	r = t.unbegunSymbolic(ctx)
	report := t.report(&explore.Result{Stop: r.Stop}, r, r.Elapsed)
	report.Ending = early
	return report, nil
}

// checkSymbolically is Check with decision diagrams. A run to a violation is replayed, though only its length is
// reported; Counterexample finds the same.
func (t *task) checkSymbolically(ctx context.Context) (*verify.Result, error) {
	r, failed := t.verifier().CheckSymbolically(ctx, t.ChosenProperties, t.symbolicOptions())
	if r == nil {
		return nil, failed
	}
	for _, v := range r.Judgments {
		if v.Run == nil || v.Outcome != verify.Violated || t.Search.Reduction != NoReduction {
			continue
		}
		if err := verify.Replay(t.Full, v.Run); err != nil {
			return nil, fmt.Errorf("the two implementations of %s disagree: %w", t.System.Name, err)
		}
	}
	return r, failed
}

// unbegunSymbolic is unbegun for the symbolic engine.
func (t *task) unbegunSymbolic(ctx context.Context) *symbolic.Result {
	r := t.Unbegun(ctx)
	return &symbolic.Result{
		Stop: r.Stop, Elapsed: r.Elapsed, States: new(big.Int), Transitions: new(big.Int),
		TerminalStates: new(big.Int), EnvironmentOnly: new(big.Int),
	}
}

// symbolicOptions returns the options of the engine.
func (t *task) symbolicOptions() symbolic.Options {
	opt := symbolic.Options{
		Progress: t.Search.Progress, ProgressEvery: t.Search.ProgressEvery, Memory: t.Search.Budget(),
	}
	opt.Order = symbolic.Order(t.SearchSystem)
	var names []string
	for _, slot := range opt.Order {
		names = append(names, t.SearchSystem.Slots()[slot].Name)
	}
	t.Search.Logf("order of the slots: %s", strings.Join(names, ", "))
	return opt
}

// undecidable returns an error if there are chosen properties or bounds that the symbolic engine does not decide.
func (t *task) undecidable() error {
	var names []string
	for _, p := range t.ChosenProperties {
		if p.Kind.OfRuns() {
			names = append(names, p.Name)
		}
	}
	for _, b := range t.Bounds {
		names = append(names, b.Name)
	}
	if names == nil {
		return nil
	}
	return model.Refuse("engine", string(Symbolic), "it does not decide %s: choose others with --property",
		strings.Join(names, ", "))
}

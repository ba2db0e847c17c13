package ringcheck

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/model/language/ir"
	"ringcheck/symbolic"
	"ringcheck/verify"
)

// An Engine is a way to find the reachable states.
type Engine string

// The engines.
const (
	// Explicit visits one state after the other, see package explore.
	Explicit Engine = "explicit"
	// Symbolic works with sets of states as decision diagrams, see package symbolic.
	Symbolic Engine = "symbolic"
)

// SymbolicOptions say how to search symbolically, beside Options.
type SymbolicOptions struct {
	// Strategy is how; the zero value is by saturation.
	Strategy symbolic.Strategy
	// Progress, if not nil, is called every Options.ProgressEvery.
	Progress func(symbolic.Progress)
}

// A Number is a count that may be larger than a Count can be. In JSON it is written like that.
type Number struct{ *big.Int }

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if n.IsUint64() {
		return Count(n.Uint64()).MarshalJSON()
	}
	return []byte(`"` + n.String() + `"`), nil
}

// A SymbolicReport is what a symbolic search found.
type SymbolicReport struct {
	Subject
	Ending
	Engine   Engine `json:"engine"`
	Strategy string `json:"strategy"`

	States         Number `json:"states"`
	Transitions    Number `json:"transitions"`
	Deadlocks      Number `json:"deadlocks"` // the same as TerminalStates
	TerminalStates Number `json:"terminal_states"`
	// EnvironmentOnlyStates are those that have transitions, all of which are the environment's: a run may end there, too.
	EnvironmentOnlyStates Number `json:"environment_only_states"`
	// Levels is how many there are in a breadth-first search; nil unless it was one.
	Levels *int `json:"levels,omitempty"`

	Nodes        int64   `json:"nodes"`      // of the diagram of the reachable states
	Arcs         int64   `json:"arcs"`       // of these nodes
	PeakNodes    int64   `json:"peak_nodes"` // the most in memory at any time, garbage included
	Workers      int     `json:"workers"`
	Seconds      float64 `json:"seconds"`
	PeakRSSBytes uint64  `json:"peak_rss_bytes"` // of the process

	LevelSizes []Number `json:"-"`
}

// ExploreSymbolically is Explore with sets of states as decision diagrams. There is no symmetry, no OnTheFly and no MaxStates.
func ExploreSymbolically(ctx context.Context, sys *System, how SymbolicOptions, opt ...Options) (*SymbolicReport, error) {
	o := only(opt)
	if err := o.symbolic(); err != nil {
		return nil, err
	}
	t, err := newTask(sys, o)
	if err != nil {
		return nil, err
	}
	r, _, err := search(ctx, t, func() (*symbolic.Result, error) { return symbolic.Run(ctx, t.target, t.symbolicOptions(how)) })
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		r = unbegunSymbolic(ctx)
	}
	return t.symbolicReport(r, how)
}

// unbegunSymbolic returns the result of a search that ctx has ended before it began.
func unbegunSymbolic(ctx context.Context) *symbolic.Result {
	return &symbolic.Result{Stop: unbegun(ctx).Stop, States: new(big.Int), Transitions: new(big.Int), Deadlocks: new(big.Int), EnvironmentOnly: new(big.Int)}
}

// symbolic returns an error for what does not go with sets of states.
func (o *Options) symbolic() error {
	switch {
	case o.Symmetry != NoSymmetry:
		return refuse("symmetry", string(o.Symmetry), "which of the states that are alike is the least depends on all slots: not with the symbolic engine")
	case o.Reduction == OnTheFly:
		return refuse("reduce", string(o.Reduction), "which state represents others depends on all of it: not with the symbolic engine")
	case o.assumesInvariant():
		return refuse("assume", o.Assume, "it is checked state by state: not with the symbolic engine")
	case o.StopFirst:
		return refuse("stop-first", "", "the symbolic engine does not meet states one by one")
	case o.MaxStates != 0:
		return refuse("max-states", fmt.Sprint(o.MaxStates), "states are not met one by one by the symbolic engine")
	}
	return nil
}

// symbolicOptions returns the options of the engine.
func (t *task) symbolicOptions(how SymbolicOptions) symbolic.Options {
	opt := symbolic.Options{
		Strategy: how.Strategy, Progress: how.Progress, ProgressEvery: t.opt.ProgressEvery,
		Workers: t.opt.Workers, Memory: t.opt.budget(),
	}
	opt.Order = symbolic.Order(t.target)
	var names []string
	for _, slot := range opt.Order {
		names = append(names, t.target.Slots()[slot].Name)
	}
	t.opt.log("order of the slots: %s", strings.Join(names, ", "))
	return opt
}

// symbolicReport returns that of a search.
func (t *task) symbolicReport(r *symbolic.Result, how SymbolicOptions) (*SymbolicReport, error) {
	report := &SymbolicReport{
		Subject: t.about(), Engine: Symbolic, Strategy: how.Strategy.String(),
		States: Number{r.States}, Transitions: Number{r.Transitions}, Deadlocks: Number{r.Deadlocks}, TerminalStates: Number{r.Deadlocks},
		EnvironmentOnlyStates: Number{r.EnvironmentOnly},
		Nodes:                 r.Nodes, Arcs: r.Arcs, PeakNodes: r.PeakNodes,
		Workers: r.Workers, Seconds: seconds(r.Elapsed), PeakRSSBytes: machine.PeakRSS(),
	}
	if r.Levels != nil {
		report.Levels = new(len(r.Levels))
	}
	for _, n := range r.Levels {
		report.LevelSizes = append(report.LevelSizes, Number{n})
	}
	var err error
	report.Ending, _, err = t.ending(&explore.Result{Stop: r.Stop, Fault: r.Fault})
	return report, err
}

// A SymbolicCheckReport is what CheckSymbolically found.
type SymbolicCheckReport struct {
	SymbolicReport
	Holds      *bool             `json:"holds"` // whether all properties hold; null: not known
	Properties []SymbolicVerdict `json:"properties"`
}

// A SymbolicVerdict is a Verdict whose number of states may be larger than a Count can be.
type SymbolicVerdict struct {
	Verdict
	States *Number `json:"states"` // null: not known
}

// CheckSymbolically is Check with sets of states as decision diagrams. A run to a violation is worked out, and was taken again by a
// second implementation, though only its length is reported; Counterexample finds the same.
func CheckSymbolically(ctx context.Context, sys *System, how SymbolicOptions, opt ...Options) (*SymbolicCheckReport, error) {
	o := only(opt)
	if err := o.symbolic(); err != nil {
		return nil, err
	}
	t, properties, err := newCheckTask(sys, o)
	if err != nil {
		return nil, err
	}
	if err := t.plain(properties); err != nil {
		return nil, err
	}
	r, early, err := search(ctx, t, func() (*verify.SymbolicReport, error) {
		return t.subject().CheckSymbolically(ctx, properties, t.symbolicOptions(how))
	})
	switch {
	case err != nil:
		return nil, propertyError(err)
	case r == nil:
		r = &verify.SymbolicReport{Search: unbegunSymbolic(ctx)}
		for _, p := range properties {
			r.Verdicts = append(r.Verdicts, verify.SymbolicVerdict{Property: p})
		}
	}
	c, err := t.symbolicallyChecked(r, how)
	if err == nil && c.Complete && early.err != nil {
		c.Ending = early
	}
	return c, err
}

// plain returns an error if one of the properties, or of the bounds that are chosen, takes more than sets of states to decide.
func (t *task) plain(properties []*ir.Property) error {
	var name string
	for _, p := range properties {
		if p.Kind == ir.LTL {
			name = p.Name
		}
	}
	if p := t.sys.protocol; p != nil {
		for _, b := range p.Bounds {
			if t.opt.Properties == nil || slices.Contains(t.opt.Properties, b.Name) {
				name = b.Name
			}
		}
	}
	if name == "" {
		return nil
	}
	return refuse("property", name, "it is not decided by the symbolic engine: choose others")
}

// symbolicallyChecked returns the report of a search for violations.
func (t *task) symbolicallyChecked(r *verify.SymbolicReport, how SymbolicOptions) (*SymbolicCheckReport, error) {
	counts, err := t.symbolicReport(r.Search, how)
	if err != nil {
		return nil, err
	}
	c := &SymbolicCheckReport{SymbolicReport: *counts}
	c.Seconds, c.PeakRSSBytes = seconds(r.Elapsed), machine.PeakRSS()
	var verdicts []Verdict
	for i := range r.Verdicts {
		v, err := t.symbolicVerdict(&r.Verdicts[i])
		if err != nil {
			return nil, err
		}
		c.Properties, verdicts = append(c.Properties, v), append(verdicts, v.Verdict)
	}
	c.Holds = together(verdicts)
	return c, nil
}

func (t *task) symbolicVerdict(v *verify.SymbolicVerdict) (SymbolicVerdict, error) {
	known := &verify.Verdict{Property: v.Property, Outcome: v.Outcome, Warnings: v.Warnings}
	if v.Run != nil {
		known.Level, known.State = len(v.Run.Moves)-1, v.State
	}
	verdict, err := t.verdict(known)
	if err == nil && v.Run != nil && v.Outcome == verify.Violated && t.opt.Reduction == NoReduction {
		if err = verify.Replay(t.full, t.opt.bounds(), v.Run); err != nil {
			err = fmt.Errorf("the two implementations of %s disagree: %w", t.sys.Name, err)
		}
	}
	s := SymbolicVerdict{Verdict: verdict}
	if v.Count != nil {
		s.States = &Number{v.Count}
	}
	return s, err
}

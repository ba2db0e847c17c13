package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/symbolic"
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
	t, err := prepareSymbolic(ctx, sys, only(opt))
	switch {
	case errors.Is(err, ErrIncomplete):
		r := &symbolic.Result{Stop: unbegun(ctx).Stop, States: new(big.Int), Transitions: new(big.Int), Deadlocks: new(big.Int)}
		return t.symbolicReport(r, how)
	case err != nil:
		return nil, err
	}
	r, err := symbolic.Run(ctx, t.target, t.symbolicOptions(how))
	if err != nil {
		return nil, err
	}
	return t.symbolicReport(r, how)
}

// prepareSymbolic makes sys ready for a symbolic search.
func prepareSymbolic(ctx context.Context, sys *System, opt Options) (*task, error) {
	switch {
	case opt.Symmetry != NoSymmetry:
		return nil, refuse("symmetry", string(opt.Symmetry), "states that are represented by others make a diagram larger: not with --engine symbolic")
	case opt.Reduction == OnTheFly:
		return nil, refuse("reduce", string(opt.Reduction), "what represents a state depends on all of it: not with --engine symbolic")
	case opt.assumesInvariant():
		return nil, refuse("assume", opt.Assume, "it is checked state by state: not with --engine symbolic")
	case opt.MaxStates != 0:
		return nil, refuse("max-states", fmt.Sprint(opt.MaxStates), "states are not met one by one with --engine symbolic")
	}
	return prepare(ctx, sys, opt)
}

// symbolicOptions returns the options of the engine.
func (t *task) symbolicOptions(how SymbolicOptions) symbolic.Options {
	opt := symbolic.Options{
		Strategy: how.Strategy, Progress: how.Progress, ProgressEvery: t.opt.ProgressEvery,
		Workers: t.opt.Workers, Memory: cmp.Or(t.opt.Memory, machine.Memory()/4*3),
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
		Nodes: r.Nodes, Arcs: r.Arcs, PeakNodes: r.PeakNodes,
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

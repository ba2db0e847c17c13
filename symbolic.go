package ringcheck

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
	"ringcheck/symbolic"
	"ringcheck/verify"
)

// exploreSymbolically is Explore with sets of states as decision diagrams.
func (t *task) exploreSymbolically(ctx context.Context) (*Report, error) {
	r, _, err := search(ctx, t,
		func() (*symbolic.Result, error) { return symbolic.Run(ctx, t.target, t.symbolicOptions()) })
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = unbegunSymbolic(ctx)
	}
	return t.report(&explore.Result{Stop: r.Stop, Fault: r.Fault}, r, r.Elapsed)
}

// checkSymbolically decides properties with sets of states as decision diagrams. A run to a violation is confirmed by a
// replay, though only its length is reported; Counterexample finds the same.
func (t *task) checkSymbolically(ctx context.Context, properties []*ir.Property) (*verify.Report, error) {
	r, err := t.subject().CheckSymbolically(ctx, properties, t.symbolicOptions())
	if err != nil {
		return nil, err
	}
	for _, v := range r.Verdicts {
		if v.Run == nil || v.Outcome != verify.Violated || t.opt.Reduction != NoReduction {
			continue
		}
		if err := verify.Replay(t.full, v.Run); err != nil {
			return nil, fmt.Errorf("the two implementations of %s disagree: %w", t.sys.Name, err)
		}
	}
	return r, nil
}

// unbegunSymbolic returns the result of a search that ctx has ended before it began.
func unbegunSymbolic(ctx context.Context) *symbolic.Result {
	return &symbolic.Result{
		Stop: unbegun(ctx).Stop, States: new(big.Int), Transitions: new(big.Int),
		Deadlocks: new(big.Int), EnvironmentOnly: new(big.Int),
	}
}

// symbolicOptions returns the options of the engine.
func (t *task) symbolicOptions() symbolic.Options {
	opt := symbolic.Options{
		Progress: t.opt.SymbolicProgress, ProgressEvery: t.opt.ProgressEvery, Memory: t.opt.budget(),
	}
	opt.Order = symbolic.Order(t.target)
	var names []string
	for _, slot := range opt.Order {
		names = append(names, t.target.Slots()[slot].Name)
	}
	t.opt.log("order of the slots: %s", strings.Join(names, ", "))
	return opt
}

// plain returns an error if one of the properties, or of the bounds that are chosen, takes more than sets of states to
// decide.
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

// The beginning that Advise looks at, and what it has to show.
const (
	prefixStates = 1 << 20
	prefixTime   = 5 * time.Second // for the diagram
	manyStates   = 8               // a node, if diagrams are to be worth while
	slowGrowth   = 0.75            // the exponent of the nodes in the states at most
)

// advise tells Options.Advice, under Auto, what the beginning of the search shows.
func (t *task) advise(ctx context.Context) error {
	if t.opt.Engine != Auto || t.opt.Advice == nil {
		return nil
	}
	a, err := advise(ctx, t.sys, t.opt)
	if a != nil {
		t.opt.Advice(a)
	}
	return err
}

// advise searches the beginning of a system with both engines. It returns nil if the system is that small or cannot be
// searched symbolically as the options want: then the explicit engine is right. What it says is about the beginning; a
// diagram can grow in another way later.
func advise(ctx context.Context, sys *System, o Options) (*Advice, error) {
	if o.symbolic() != nil {
		return nil, nil
	}
	o.MaxStates, o.Progress = prefixStates, nil
	t, err := prepare(ctx, sys, o)
	if err != nil {
		return nil, err
	}
	begun, err := explore.Run(ctx, t.target, t.opt.search())
	if err != nil || begun.Stop != explore.StateLimit {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, prefixTime)
	defer cancel()
	sizes, err := symbolic.Prefix(ctx, t.target, t.symbolicOptions(), len(begun.Levels))
	if err != nil || len(sizes) < 2 {
		return nil, err
	}
	return newAdvice(sizes), nil
}

// newAdvice looks at the levels in which the number of states grew to the 16-fold last.
func newAdvice(sizes []symbolic.Size) *Advice {
	last := len(sizes) - 1
	end := sizes[last]
	from := last - 1
	for from > 0 && ratio(end.States, sizes[from].States) < 16 {
		from--
	}
	a := &Advice{
		Levels: len(sizes), States: Number{end.States}, Nodes: end.Nodes, Recent: last - from,
		StateGrowth: ratio(end.States, sizes[from].States), NodeGrowth: float64(end.Nodes) / float64(sizes[from].Nodes),
	}
	slow := math.Log(a.NodeGrowth) <= slowGrowth*math.Log(a.StateGrowth)
	a.Symbolic = slow && ratio(end.States, big.NewInt(end.Nodes)) >= manyStates
	return a
}

func ratio(a, b *big.Int) float64 {
	r, _ := new(big.Rat).SetFrac(a, b).Float64()
	return r
}

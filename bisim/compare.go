package bisim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// A Comparison says whether two systems are equivalent; [Comparison.Explain] explains a difference.
type Comparison struct {
	Equivalent bool

	equivalence Equivalence
	a, b        *lts.LTS
	joint       *lts.LTS // the quotient of the disjoint union
	ofA, ofB    uint32   // the initial states of a and b in joint
	memory      uint64
}

// A Difference explains why two systems are not equivalent.
type Difference struct {
	// Formula, if not nil, holds in the first system and not in the second.
	Formula *Formula
	// Trace, if not nil, is a shortest trace of one of the systems that the other does not have, without τ's unless the
	// equivalence is Strong. Inequivalent systems can have the same traces, and the search is bounded.
	Trace []string
	// TraceOfFirst says that the first system has Trace; otherwise the second has.
	TraceOfFirst bool
	// SameTraces says that the systems have the same traces, so that there is no Trace.
	SameTraces bool
}

// ErrUnconfirmed reports a difference that failed its check: a bug in this package.
var ErrUnconfirmed = errors.New("internal error: the difference found between the systems could not be confirmed")

// Compare decides whether the initial states of a and b are equivalent.
func Compare(ctx context.Context, a, b *lts.LTS, e Equivalence, o Options) (*Comparison, error) {
	c := &Comparison{equivalence: e, a: a, b: b, memory: o.Memory}
	err := o.run(ctx, "comparing systems", func(f *effort.Effort) error { return c.decide(f, o) })
	if err != nil {
		return nil, err
	}
	return c, nil
}

// decide minimises the two systems, and then the disjoint union of the results.
func (c *Comparison) decide(f *effort.Effort, o Options) error {
	var small [2]*lts.LTS
	for i, l := range [2]*lts.LTS{c.a, c.b} {
		q, _, err := minimize(f, l, c.equivalence, o)
		if err != nil {
			return err
		}
		small[i] = q
	}
	u, err := union(f, small[0], small[1])
	if err != nil {
		return err
	}
	q, p, err := minimize(f, u, c.equivalence, o)
	if err != nil {
		return err
	}
	c.joint, c.ofA, c.ofB = q, p.Of[small[0].Initial()], p.Of[uint32(small[0].States())+small[1].Initial()]
	c.Equivalent = c.ofA == c.ofB
	return nil
}

// Explain returns why the systems are not equivalent: a trace and, if formula is set, a formula of least depth, both
// confirmed on the original systems by a model checker. It may take long, so pass a context with a deadline. If the
// context ends or the memory limit is reached, Explain returns the error with its findings so far; the formula of the
// trace replaces a formula that takes too long.
func (c *Comparison) Explain(ctx context.Context, formula bool) (*Difference, error) {
	d := new(Difference)
	o := Options{Memory: c.memory}
	within, cancel := ctx, context.CancelFunc(func() {})
	if formula {
		within, cancel = halfOf(ctx)
	}
	defer cancel()
	err := o.run(within, "looking for a trace", func(f *effort.Effort) error { return c.findTrace(f, d) })
	if !formula || errors.Is(err, ErrUnconfirmed) {
		return d, err
	}
	err = o.run(ctx, "looking for a formula", func(f *effort.Effort) error { return c.findFormula(f, d) })
	if err != nil && d.Trace != nil && !errors.Is(err, ErrUnconfirmed) {
		d.Formula, err = c.formulaOf(d), nil
	}
	return d, err
}

func (c *Comparison) findFormula(f *effort.Effort, d *Difference) error {
	found, err := distinguish(f, c.joint, c.equivalence, c.ofA, c.ofB)
	if err != nil {
		return err
	}
	if !newChecker(f, c.a).holds(found, c.a.Initial()) || newChecker(f, c.b).holds(found, c.b.Initial()) {
		return fmt.Errorf("%w: %v", ErrUnconfirmed, found)
	}
	d.Formula = found
	return nil
}

// formulaOf returns the formula saying that the trace is possible, negated if the second system has it. Confirming the
// trace confirms the formula, too.
func (c *Comparison) formulaOf(d *Difference) *Formula {
	f := truth
	for _, label := range slices.Backward(d.Trace) {
		if c.equivalence == Strong {
			f = &Formula{Op: Next, Label: label, Args: []*Formula{f}}
		} else {
			f = &Formula{Op: Until, Label: label, Args: []*Formula{truth, f}}
		}
	}
	if !d.TraceOfFirst {
		return not(f)
	}
	return f
}

func (c *Comparison) findTrace(f *effort.Effort, d *Difference) error {
	trace, ofA, complete := distinguishingTrace(f, c.joint, c.equivalence, c.ofA, c.ofB)
	if trace == nil {
		d.SameTraces = complete
		return nil
	}
	if admits(f, c.a, c.equivalence, trace) != ofA || admits(f, c.b, c.equivalence, trace) == ofA {
		return fmt.Errorf("%w: trace %q", ErrUnconfirmed, trace)
	}
	d.Trace, d.TraceOfFirst = trace, ofA
	return nil
}

// union returns the disjoint union of two systems; the states of b are numbered after the states of a.
func union(f *effort.Effort, a, b *lts.LTS) (*lts.LTS, error) {
	if uint64(a.States())+uint64(b.States()) > lts.MaxStates {
		return nil, lts.ErrTooLarge
	}
	u := lts.NewBuilder()
	var row []lts.Edge
	shift := uint32(0)
	for _, l := range []*lts.LTS{a, b} {
		translate := translator{l, u, make([]lts.Label, l.Labels())}
		for s := range uint32(l.States()) {
			f.Tick()
			row = append(row[:0], l.Out(s)...)
			translate.row(row)
			for i := range row {
				row[i].To += shift
			}
			u.Add(shift+s, row...)
		}
		shift += uint32(l.States())
	}
	f.Hold(16*uint64(shift) + 8*uint64(a.Transitions()+b.Transitions()))
	return u.Build(f.Context, a.Initial(), int(shift))
}

// The search for a distinguishing trace takes exponential time in the worst case, so it is bounded.
const (
	tracePairs  = 1 << 16 // pairs of sets of states
	traceStates = 1 << 22 // states in these sets
)

// A tracer follows traces of a system: sequences of labels, without τ if the equivalence abstracts from it.
type tracer struct {
	l         *lts.LTS
	abstracts bool
	effort    *effort.Effort
}

// admits reports whether l has a trace, up to τ's if the equivalence abstracts from τ.
func admits(f *effort.Effort, l *lts.LTS, e Equivalence, trace []string) bool {
	t := tracer{l, e != Strong, f}
	label := labelsByName(l)
	set := t.close([]uint32{l.Initial()})
	for _, name := range trace {
		a, ok := label[name]
		if !ok {
			return false
		}
		set = t.steps(set)[a]
	}
	return len(set) > 0
}

// close sorts a set and, if the equivalence abstracts from τ, adds the states reachable by τ's.
func (t *tracer) close(set []uint32) []uint32 {
	if t.abstracts {
		seen := make(map[uint32]bool, len(set))
		for _, s := range set {
			seen[s] = true
		}
		for i := 0; i < len(set); i++ {
			t.effort.Tick()
			for _, e := range t.l.Out(set[i]) {
				if e.Label == lts.Tau && !seen[e.To] {
					seen[e.To] = true
					set = append(set, e.To)
				}
			}
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// steps returns the sets reached from a set, by label.
func (t *tracer) steps(set []uint32) map[lts.Label][]uint32 {
	to := map[lts.Label][]uint32{}
	for _, s := range set {
		t.effort.Tick()
		for _, e := range t.l.Out(s) {
			if !t.abstracts || e.Label != lts.Tau {
				to[e.Label] = append(to[e.Label], e.To)
			}
		}
	}
	for a, s := range to {
		to[a] = t.close(s)
	}
	return to
}

// A pairNode is a pair of sets reached by the same trace.
type pairNode struct {
	x, y   []uint32
	parent int
	label  lts.Label
}

// distinguishingTrace looks for a shortest trace that only one of x and y has. It returns nil if there is none, and
// then complete is true, or if the search is too long.
func distinguishingTrace(
	f *effort.Effort, l *lts.LTS, e Equivalence, x, y uint32,
) (trace []string, ofX, complete bool) {
	t := &tracer{l, e != Strong, f}
	nodes := []pairNode{{x: t.close([]uint32{x}), y: t.close([]uint32{y}), parent: -1}}
	seen := map[string]bool{}
	states := 0
	for i := 0; i < len(nodes); i++ {
		if len(nodes) >= tracePairs || states >= traceStates {
			return nil, false, false
		}
		byX, byY := t.steps(nodes[i].x), t.steps(nodes[i].y)
		labels := slices.AppendSeq(slices.Collect(maps.Keys(byX)), maps.Keys(byY))
		slices.Sort(labels)
		for _, a := range slices.Compact(labels) {
			node := pairNode{byX[a], byY[a], i, a}
			if len(node.x) == 0 || len(node.y) == 0 {
				nodes = append(nodes, node)
				return traceOf(l, nodes), len(node.x) > 0, true
			}
			if key := pairKey(node.x, node.y); !seen[key] && !slices.Equal(node.x, node.y) {
				seen[key] = true
				nodes = append(nodes, node)
				states += len(node.x) + len(node.y)
				f.Hold(uint64(100 + 8*(len(node.x)+len(node.y)))) // the sets, the key and their headers
			}
		}
	}
	return nil, false, true
}

// traceOf returns the labels on the path to the last node.
func traceOf(l *lts.LTS, nodes []pairNode) []string {
	var trace []string
	for i := len(nodes) - 1; nodes[i].parent >= 0; i = nodes[i].parent {
		trace = append(trace, l.Label(nodes[i].label))
	}
	slices.Reverse(trace)
	return trace
}

func pairKey(x, y []uint32) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(x)))
	for _, s := range slices.Concat(x, y) {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	return string(b)
}

// halfOf returns a context with half of the time remaining before ctx's deadline.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

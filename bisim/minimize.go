package bisim

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// An Equivalence is a notion of when two states behave alike.
type Equivalence int

const (
	// Strong bisimilarity treats τ like every other label.
	Strong Equivalence = iota
	// Branching bisimilarity abstracts from inert τ's (van Glabbeek and Weijland, 1996). It does not distinguish a
	// state that can diverge, that is do τ for ever, from a state that cannot.
	Branching
	// Divergence is branching bisimilarity with explicit divergence: of related states both or neither can do τ for
	// ever within their class.
	Divergence
)

var equivalenceNames = [...]string{"strong", "branching", "divergence"}

func (e Equivalence) String() string { return equivalenceNames[e] }

// ParseEquivalence is the inverse of String.
func ParseEquivalence(name string) (Equivalence, error) {
	if e := slices.Index(equivalenceNames[:], name); e >= 0 {
		return Equivalence(e), nil
	}
	return 0, fmt.Errorf("unknown equivalence %q; expected strong, branching or divergence", name)
}

// Options configure the computation. The zero value sets no limit.
type Options struct {
	// KeepAll skips the linear-time merging before the refinement. The result is the same.
	KeepAll bool
	// Memory is the limit in bytes on the memory of a computation beside its input; 0 means no limit. A computation
	// that needs more ends with an error that wraps lts.ErrMemory.
	Memory uint64
}

// run calls work with the context and the memory limit of the options, and prefixes its error with doing.
func (o Options) run(ctx context.Context, doing string, work func(*effort.Effort) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", doing, err)
		}
	}()
	defer effort.Catch(&err)
	f := &effort.Effort{Context: ctx, Limit: o.Memory}
	f.Check()
	return work(f)
}

func classes(f *effort.Effort, l *lts.LTS, e Equivalence, o Options) *Partition {
	g, node := reduce(f, l, e, !o.KeepAll)
	if g.minimal {
		f.Release(g.Bytes())
		return canonical(f, node, g.Len())
	}
	held := f.Held
	of, blocks := refine(f, g)
	f.Held = held - g.Bytes()
	for s, i := range node {
		f.Tick()
		node[s] = of[i]
	}
	return canonical(f, node, blocks)
}

// Minimize computes the coarsest partition of the states of l into classes of an equivalence, and the quotient by it.
// Beside l, its peak memory is between 40 bytes per transition, if few classes remain, and 150, if no two states are
// equivalent; if states can be merged beforehand (see Options.KeepAll), only the remaining ones count. It fails only if
// the context ends or the memory does not suffice.
func Minimize(ctx context.Context, l *lts.LTS, e Equivalence, o Options) (q *lts.LTS, p *Partition, err error) {
	err = o.run(ctx, fmt.Sprintf("minimizing modulo %v bisimilarity", e), func(f *effort.Effort) error {
		q, p, err = minimize(f, l, e, o)
		return err
	})
	return q, p, err
}

func minimize(f *effort.Effort, l *lts.LTS, e Equivalence, o Options) (*lts.LTS, *Partition, error) {
	p := classes(f, l, e, o)
	q, err := quotient(f, l, p, e)
	return q, p, err
}

// A Partition divides the states of a system into blocks 0 … Blocks−1, numbered in the order of their first states.
type Partition struct {
	Blocks int
	Of     []uint32 // the block of each state
}

const none = ^uint32(0)

// canonical renumbers the values of of, which are below bound, in order of first occurrence.
func canonical(f *effort.Effort, of []uint32, bound int) *Partition {
	number := slices.Repeat([]uint32{none}, bound)
	next := uint32(0)
	for s, b := range of {
		f.Tick()
		if number[b] == none {
			number[b] = next
			next++
		}
		of[s] = number[b]
	}
	return &Partition{Blocks: int(next), Of: of}
}

// quotient returns the system whose states are the blocks of a partition into classes of an equivalence, without
// duplicate transitions. For Branching and Divergence there are no τ's within a block, except that for Divergence a
// block that diverges has a τ-loop.
func quotient(f *effort.Effort, l *lts.LTS, p *Partition, e Equivalence) (*lts.LTS, error) {
	var diverges []bool
	if e == Divergence {
		diverges = divergent(f, l, p)
	}
	b := lts.NewBuilder()
	translate := translator{l, b, make([]lts.Label, l.Labels())}
	blocks := membersOf(f, p.Of, p.Blocks)
	defer f.Release(blocks.Bytes())
	var row []lts.Edge
	for k := range uint32(p.Blocks) {
		row = row[:0]
		compactAt := 1 << 12
		for _, s := range blocks.Of(k) {
			for _, edge := range l.Out(s) {
				f.Tick()
				to := p.Of[edge.To]
				if e == Strong || edge.Label != lts.Tau || to != k {
					row = append(row, lts.Edge{Label: edge.Label, To: to})
				}
			}
			if len(row) > compactAt {
				row = normalize(row)
				compactAt = max(compactAt, 2*len(row))
			}
		}
		if e == Divergence && diverges[k] {
			row = append(row, lts.Edge{Label: lts.Tau, To: k})
		}
		row = normalize(row)
		translate.row(row)
		f.Hold(8*uint64(len(row)) + 8) // and the row's place in the system
		b.Add(k, row...)
	}
	return b.Build(f.Context, p.Of[l.Initial()], p.Blocks)
}

// A translator maps the labels of one system to the labels of another that is being built. The latter gets only the
// labels that it uses.
type translator struct {
	from *lts.LTS
	to   *lts.Builder
	have []lts.Label // by label of from; τ if not translated yet
}

func (t *translator) row(row []lts.Edge) {
	for i, e := range row {
		if e.Label == lts.Tau {
			continue
		}
		if t.have[e.Label] == lts.Tau {
			t.have[e.Label] = t.to.Label(t.from.Label(e.Label))
		}
		row[i].Label = t.have[e.Label]
	}
}

// divergent reports, by block of a Divergence partition, whether its states can do τ for ever within it, that is,
// whether some state is on a τ-cycle.
func divergent(f *effort.Effort, l *lts.LTS, p *Partition) []bool {
	component, _ := componentsOf(f, l, false)
	defer f.Release(4 * uint64(len(component)))
	diverges := make([]bool, p.Blocks)
	for s := range uint32(l.States()) {
		f.Tick()
		for _, e := range l.Out(s) {
			if e.Label == lts.Tau && component[s] == component[e.To] {
				diverges[p.Of[s]] = true
			}
		}
	}
	return diverges
}

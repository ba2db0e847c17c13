package bisim

import (
	"ringcheck/lts"
)

// Quotient returns the system whose states are the blocks of a partition into classes of an equivalence.
// Equal transitions are one. For Branching and Divergence there are no τ's within a block, but for a loop
// at a block that diverges, for Divergence.
func Quotient(l *lts.LTS, p *Partition, e Equivalence) (*lts.LTS, error) {
	var diverges []bool
	if e == Divergence {
		diverges = divergent(l, p)
	}
	b := lts.NewBuilder()
	out := b.Appender()
	translate := newTranslator(l, b)
	blocks := membersOf(p.Of, p.Blocks)
	var row []lts.Edge
	for k := range uint32(p.Blocks) {
		row = row[:0]
		compactAt := 1 << 12
		for _, s := range blocks.of(k) {
			for _, edge := range l.Out(s) {
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
		out.Add(k, row...)
	}
	return b.Build(p.Of[l.Initial()], p.Blocks)
}

// A translator replaces the labels of one system by those of another that is being built, which so gets only
// labels that it uses.
type translator struct {
	from *lts.LTS
	to   *lts.Builder
	have []lts.Label // by label of from; τ if not translated yet
}

func newTranslator(from *lts.LTS, to *lts.Builder) *translator {
	return &translator{from, to, make([]lts.Label, from.Labels())}
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

// divergent tells in which blocks of classes of Divergence a state can do τ for ever within the block: then
// all can, and some state is on a τ-cycle.
func divergent(l *lts.LTS, p *Partition) []bool {
	component, _ := tauComponents(l)
	diverges := make([]bool, p.Blocks)
	for s := range uint32(l.States()) {
		for _, e := range l.Out(s) {
			if e.Label == lts.Tau && component[s] == component[e.To] {
				diverges[p.Of[s]] = true
			}
		}
	}
	return diverges
}

package tree

import (
	"sync/atomic"

	"ringcheck/internal/intern"
)

// A lead describes the cells of the least rank in a half. From the highest bit down: 24 bits of the rank, 6 bits for
// the position of the first such cell, 1 bit if no other cell has these 24 bits, and 1 bit that is always set.
type lead uint32

const (
	leadRank   = 8
	leadCell   = 1<<6 - 1
	leadUnique = 2
	leadKnown  = 1
)

func (l lead) rank() uint32   { return uint32(l) >> leadRank }
func (l lead) cell() int      { return int(l >> 2 & leadCell) }
func (l lead) isUnique() bool { return l&leadUnique != 0 }

// leads has the lead of each half of a state.
type leads struct{ left, right lead }

// firstCell returns the cell of a state with which its representative begins; known is false if other rotations begin
// with an equal cell. The right half begins at cut.
func (l leads) firstCell(cut int) (at int, known bool) {
	switch a, b := l.left.rank(), l.right.rank(); {
	case a < b:
		return l.left.cell(), l.left.isUnique()
	case a > b:
		return cut + l.right.cell(), l.right.isUnique()
	}
	return 0, false
}

// leadsOf returns the leads of a state.
func (r *rotationExpander) leadsOf(id StateID) leads {
	left, right := intern.Split(id)
	return leads{r.lead(r.w.root.left, left, &r.leads[0]), r.lead(r.w.root.right, right, &r.leads[1])}
}

// lead returns the lead of a half, which known has if it was computed before.
func (r *rotationExpander) lead(n *node, half uint32, known *intern.Array[atomic.Uint32]) lead {
	p := known.At(half)
	if l := p.Load(); l != 0 {
		return lead(l)
	}
	n.decode(half, r.twice)
	best := lead(leadKnown)
	for cell := n.first; cell < n.end; cell++ {
		rank := r.necklace.Rank(r.twice[cell]) >> leadRank
		switch {
		case cell == n.first || rank < best.rank():
			best = lead(rank<<leadRank) | leadKnown
			if k := cell - n.first; k <= leadCell {
				best |= lead(k)<<2 | leadUnique
			}
		case rank == best.rank():
			best &^= leadUnique
		}
	}
	p.Store(uint32(best))
	return best
}

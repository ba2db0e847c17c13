package confluence

import (
	"cmp"
	"slices"
)

// Linearised returns the groups in the order in which the linearised µCRL specification of Bakhshi et al.
// (2008) has them: processes 0, 2, 4, …, 5, 3, 1, and for the odd ones what concerns the right before what
// concerns the left. It is the zigzag that nested binary parallel composition gives when each level reverses
// the summands of its operand. Together with draws taken last first it leads to the internal states that
// the paper reports, if one worker explores.
func (p *Prioritized) Linearised() []int {
	order := make([]int, len(p.groups))
	for g := range order {
		order[g] = g
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := p.groups[a].role.Process, p.groups[b].role.Process
		if x == y && x%2 == 1 {
			return cmp.Compare(b, a)
		}
		return cmp.Or(cmp.Compare(zigzag(x), zigzag(y)), cmp.Compare(a, b))
	})
	return order
}

// zigzag grows in the order 0, 2, 4, …, 5, 3, 1.
func zigzag(process int) int {
	if process%2 == 1 {
		return -process + 1<<30
	}
	return process
}

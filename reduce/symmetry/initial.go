package symmetry

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
)

// An orbit records which rotations of a representative are initial states.
type orbit struct {
	cells []model.Value
	met   []bool
}

// closed returns an error unless every rotation of every initial state is an initial state.
func (q *Quotient) closed(ctx context.Context) error {
	known := make(map[string]*orbit)
	var all []*orbit
	x := newExpansion(q)
	err := q.System.Initial(func(state []model.Value) bool {
		x.encode(state)
		start := x.least()
		cells := x.cells[start : start+q.ring.n]
		key := text(cells)
		o := known[key]
		if o == nil {
			o = &orbit{slices.Clone(cells), make([]bool, period(cells))}
			known[key] = o
			all = append(all, o)
		}
		o.met[start%len(o.met)] = true
		return ctx.Err() == nil
	})
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return fmt.Errorf("compare the initial states: %w", err)
	}
	for _, o := range all {
		if slices.Contains(o.met, false) {
			return asymmetric("the processes can begin as (%s), but not in every rotation of that", q.format(o))
		}
	}
	return nil
}

// text packs numbers into a map key.
func text(numbers []uint32) string {
	b := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return string(b)
}

// format returns an initial state of o.
func (q *Quotient) format(o *orbit) string {
	n := len(o.cells)
	start := slices.Index(o.met, true)
	var parts []string
	for p := range n {
		first := q.cells.at(o.cells[(p+n-start)%n]).values[0]
		parts = append(parts, fmt.Sprintf("%d: %s", p, q.System.FormatSlot(q.ring.slots[0][0], first)))
	}
	return strings.Join(parts, ", ")
}

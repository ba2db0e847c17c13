package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// parts are parts of states that belong to one node, to be numbered together: so the lookups, which do not
// depend on each other, overlap.
type parts struct {
	at     []int         // in expansion.to
	values []model.Value // of one part after the other
}

func (p *parts) clear() { p.at, p.values = p.at[:0], p.values[:0] }

// number returns the number of a part if it is what it was before, or 0 if it is to be found later.
func (p *parts) number(number uint32, before, part []model.Value, at int) uint32 {
	if slices.Equal(before, part) {
		return number
	}
	p.at = append(p.at, at)
	p.values = append(p.values, part...)
	return 0
}

// settleParts numbers the halves that direct crossings of n have left to be found.
func (w *Worker) settleParts(n *node, p *parts, to []uint64, shift uint) {
	if len(p.at) == 0 {
		return
	}
	c := w.column(len(p.at))
	w.numbers(n, p.values, 0, c)
	for i, at := range p.at {
		to[at] |= uint64(c.numbers[i]) << shift
	}
	w.spare = append(w.spare, c)
	p.clear()
}

// A column is one thing for each of some parts.
type column struct {
	numbers []uint32
	pairs   []uint64
}

func (w *Worker) column(n int) *column {
	var c *column
	if k := len(w.spare); k > 0 {
		c, w.spare = w.spare[k-1], w.spare[:k-1]
	} else {
		c = new(column)
	}
	c.numbers = slices.Grow(c.numbers[:0], n)[:n]
	c.pairs = slices.Grow(c.pairs[:0], n)[:n]
	return c
}

// numbers makes out the numbers of the values from offset on, which belong to n, of each of some parts.
func (w *Worker) numbers(n *node, values []model.Value, offset int, out *column) {
	k := len(out.numbers)
	if n.leaf() {
		for i, stride := 0, len(values)/k; i < k; i++ {
			out.numbers[i] = values[i*stride+offset]
		}
		return
	}
	right := w.column(k)
	w.numbers(n.left, values, offset, out)
	w.numbers(n.right, values, offset+n.right.first-n.first, right)
	for i, l := range out.numbers {
		out.pairs[i] = intern.Pair(l, right.numbers[i])
	}
	w.number(n, out.pairs, out.numbers)
	w.spare = append(w.spare, right)
}

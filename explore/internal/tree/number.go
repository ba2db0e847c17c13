package tree

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Missing halves of successors are numbered together, so that the independent reads of memory overlap.

// pendingPairs has missing halves that are pairs of numbers without a number yet.
type pendingPairs struct {
	at    []int    // in successors.to
	pairs []uint64 // of the child's children
}

func (p *pendingPairs) clear() { p.at, p.pairs = p.at[:0], p.pairs[:0] }

// pendingValues has missing halves that are vectors of values without a number yet.
type pendingValues struct {
	at     []int         // in successors.to
	values []model.Value // of all halves, one half after the other
}

func (p *pendingValues) clear() { p.at, p.values = p.at[:0], p.values[:0] }

func (p *pendingValues) add(half []model.Value, at int) {
	p.at = append(p.at, at)
	p.values = append(p.values, half...)
}

// addChange returns the number of a half if it has not changed. Otherwise it adds the half and returns 0.
func (p *pendingValues) addChange(number uint32, before, half []model.Value, at int) uint32 {
	if slices.Equal(before, half) {
		return number
	}
	p.add(half, at)
	return 0
}

// largeParts is the maximum number of values of halves that wait to be numbered together.
const largeParts = 1 << 22

// large reports whether the caller should call numberMissing before it adds more.
func (x *successors) large() bool {
	return len(x.leftValues.values)+len(x.rightValues.values) > largeParts
}

// numberMissing numbers the missing halves in x, the successors of parts of n.
func (w *Worker) numberMissing(n *node, x *successors) {
	w.numberPairs(n.left, &x.leftPairs, x.to, 32)
	w.numberPairs(n.right, &x.rightPairs, x.to, 0)
	w.numberValues(n.left, &x.leftValues, x.to, 32)
	w.numberValues(n.right, &x.rightValues, x.to, 0)
}

// numberPairs numbers the missing halves on the side of n, whose numbers are shifted in to.
func (w *Worker) numberPairs(n *node, p *pendingPairs, to []uint64, shift uint) {
	w.numbers = slices.Grow(w.numbers[:0], len(p.at))[:len(p.at)]
	w.number(n, p.pairs, w.numbers)
	for i, at := range p.at {
		to[at] |= uint64(w.numbers[i]) << shift
	}
	p.clear()
}

// numberValues is numberPairs for vectors of values.
func (w *Worker) numberValues(n *node, p *pendingValues, to []uint64, shift uint) {
	if len(p.at) == 0 {
		return
	}
	c := w.acquireColumn(len(p.at))
	w.numberColumn(n, p.values, 0, c)
	for i, at := range p.at {
		to[at] |= uint64(c.numbers[i]) << shift
	}
	w.columns = append(w.columns, c)
	p.clear()
}

// number sets out to the numbers of pairs of n.
func (w *Worker) number(n *node, pairs []uint64, out []uint32) {
	w.countWork(len(pairs))
	if n.numberedBy != nil {
		n = n.numberedBy
	}
	w.lookup.Find(&n.numbers, pairs, out, n.number)
}

// A column is one value for each of some parts.
type column struct {
	numbers []uint32
	pairs   []uint64
}

func (w *Worker) acquireColumn(n int) *column {
	var c *column
	if k := len(w.columns); k > 0 {
		c, w.columns = w.columns[k-1], w.columns[:k-1]
	} else {
		c = new(column)
	}
	c.numbers = slices.Grow(c.numbers[:0], n)[:n]
	c.pairs = slices.Grow(c.pairs[:0], n)[:n]
	return c
}

// numberColumn sets out to the numbers of the values from offset on, which belong to n, of each of some parts.
func (w *Worker) numberColumn(n *node, values []model.Value, offset int, out *column) {
	k := len(out.numbers)
	if n.empty() {
		clear(out.numbers)
		return
	}
	if n.leaf() {
		for i, stride := 0, len(values)/k; i < k; i++ {
			out.numbers[i] = values[i*stride+offset]
		}
		return
	}
	right := w.acquireColumn(k)
	w.numberColumn(n.left, values, offset, out)
	w.numberColumn(n.right, values, offset+n.right.first-n.first, right)
	for i, l := range out.numbers {
		out.pairs[i] = intern.Pair(l, right.numbers[i])
	}
	w.number(n, out.pairs, out.numbers)
	w.columns = append(w.columns, right)
}

// maxProduct is the maximum number of parts that Halves numbers at one node: some MiB.
const maxProduct = 1 << 20

// Halves returns the numbers of the halves of states that are all combinations of the given values of the slots, which
// are different for each slot: a state for each pair of halves. It returns nil if there are too many halves.
func (w *Worker) Halves(values [][]model.Value) (left, right []uint32) {
	return w.combinations(w.root.left, values), w.combinations(w.root.right, values)
}

// combinations returns the numbers of the parts that belong to n of such states, nil if there are too many.
func (w *Worker) combinations(n *node, values [][]model.Value) []uint32 {
	switch {
	case n.empty():
		return []uint32{0}
	case n.leaf():
		return values[n.first]
	}
	left, right := w.combinations(n.left, values), w.combinations(n.right, values)
	if len(left) == 0 || len(right) == 0 || len(left) > maxProduct/len(right) {
		return nil
	}
	pairs := make([]uint64, 0, len(left)*len(right))
	for _, l := range left {
		for _, r := range right {
			pairs = append(pairs, intern.Pair(l, r))
		}
	}
	numbers := make([]uint32, len(pairs))
	w.number(n, pairs, numbers)
	return numbers
}

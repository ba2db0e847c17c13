package level

import "math/bits"

// A half is half of a key: the numbers of the words in its slots, packed one behind the other, the last slot in the lowest
// bits. Keys are as short as they can be; the number of words in them is fixed for a level.
type half interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [16]uint64
}

// maxHalfWords is that of the largest half.
const maxHalfWords = 16

// An item is a state with what is asleep there.
type item[H half] struct {
	left, right H
	asleep      uint64
}

func less[H half](a, b H) bool {
	for i := range len(a) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// before reports whether the key of x is less than that of y.
func (x *item[H]) before(y *item[H]) bool {
	if x.left != y.left {
		return less(x.left, y.left)
	}
	return less(x.right, y.right)
}

func (x *item[H]) same(y *item[H]) bool { return x.left == y.left && x.right == y.right }

// push shifts h up and puts a number into the bits that are free then.
func push[H half](h *H, number uint32, width uint8) {
	last := len(*h) - 1
	for i := range last {
		(*h)[i] = (*h)[i]<<width | (*h)[i+1]>>(64-width)
	}
	(*h)[last] = (*h)[last]<<width | uint64(number)
}

// pop is the reverse.
func pop[H half](h *H, width uint8) (number uint32) {
	last := len(*h) - 1
	number = uint32((*h)[last] & (1<<width - 1))
	for i := last; i > 0; i-- {
		(*h)[i] = (*h)[i]>>width | (*h)[i-1]<<(64-width)
	}
	(*h)[0] >>= width
	return number
}

// pack returns the half key of the given numbers, which has one width for each.
func pack[H half](numbers []uint32, widths []uint8) (h H) {
	for i, n := range numbers {
		push(&h, n, widths[i])
	}
	return h
}

// unpack is the reverse.
func unpack[H half](h H, widths []uint8, numbers []uint32) {
	for i := len(widths) - 1; i >= 0; i-- {
		numbers[i] = pop(&h, widths[i])
	}
}

// sub returns a-b.
func sub[H half](a, b H) H {
	var borrow uint64
	for i := len(a) - 1; i >= 0; i-- {
		a[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return a
}

// add returns a+b, and whether that is too large.
func add[H half](a, b H) (H, bool) {
	var carry uint64
	for i := len(a) - 1; i >= 0; i-- {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return a, carry != 0
}

// A translator changes keys from one layout to another one.
type translator[H half] struct {
	from, to Layout
	numbers  []uint32
	before   H // the left half that was changed last
	after    H
	any      bool
}

// newTranslator returns nil if there is nothing to change.
func newTranslator[H half](from, to Layout) *translator[H] {
	if from.equal(to) {
		return nil
	}
	return &translator[H]{from: from, to: to, numbers: make([]uint32, len(to.widths))}
}

func (t *translator[H]) translate(items []item[H]) {
	cut := t.to.cut
	for i := range items {
		x := &items[i]
		if !t.any || x.left != t.before {
			t.before, t.any = x.left, true
			unpack(x.left, t.from.widths[:cut], t.numbers[:cut])
			t.after = pack[H](t.numbers[:cut], t.to.widths[:cut])
		}
		x.left = t.after
		unpack(x.right, t.from.widths[cut:], t.numbers[cut:])
		x.right = pack[H](t.numbers[cut:], t.to.widths[cut:])
	}
}

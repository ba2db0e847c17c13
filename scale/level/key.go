package level

// A half is half of a key: the numbers of the words in its slots, packed, with the last slot in the lowest bits. Keys
// are as short as possible; their length is fixed within a level.
type half interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [16]uint64
}

// maxHalfWords is the number of 64-bit words of the largest half.
const maxHalfWords = 16

// An item is a state with its sleep set.
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

// push shifts h left by width and puts number into the free bits.
func push[H half](h *H, number uint32, width uint8) {
	last := len(*h) - 1
	for i := range last {
		(*h)[i] = (*h)[i]<<width | (*h)[i+1]>>(64-width)
	}
	(*h)[last] = (*h)[last]<<width | uint64(number)
}

// pop reverses push.
func pop[H half](h *H, width uint8) (number uint32) {
	last := len(*h) - 1
	number = uint32((*h)[last] & (1<<width - 1))
	for i := last; i > 0; i-- {
		(*h)[i] = (*h)[i]>>width | (*h)[i-1]<<(64-width)
	}
	(*h)[0] >>= width
	return number
}

// pack returns the half with the given numbers, one width each.
func pack[H half](numbers []uint32, widths []uint8) (h H) {
	for i, n := range numbers {
		push(&h, n, widths[i])
	}
	return h
}

// unpack reverses pack.
func unpack[H half](h H, widths []uint8, numbers []uint32) {
	for i := len(widths) - 1; i >= 0; i-- {
		numbers[i] = pop(&h, widths[i])
	}
}

// numbersOf returns the numbers in a half.
func numbersOf[H half](h H, widths []uint8) []uint32 {
	numbers := make([]uint32, len(widths))
	unpack(h, widths, numbers)
	return numbers
}

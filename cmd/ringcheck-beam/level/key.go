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

func lessHalf[H half](a, b H) bool {
	for i := range len(a) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// precedes reports whether the key of x is less than the key of y.
func (x *item[H]) precedes(y *item[H]) bool {
	if x.left != y.left {
		return lessHalf(x.left, y.left)
	}
	return lessHalf(x.right, y.right)
}

func (x *item[H]) sameKey(y *item[H]) bool { return x.left == y.left && x.right == y.right }

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

// sortItems sorts items by key with an LSD radix sort by bytes, skipping bytes that are equal in all keys. It returns
// whichever of the two slices, which have equal length, holds the result.
func sortItems[H half](items, spare []item[H]) []item[H] {
	if len(items) < 64 {
		insertionSort(items)
		return items
	}
	spare = spare[:len(items)]
	for word := 2*len(items[0].left) - 1; word >= 0; word-- {
		differ := uint64(0)
		for i := range items {
			differ |= items[i].word(word) ^ items[0].word(word)
		}
		for shift := 0; shift < 64; shift += 8 {
			if byte(differ>>shift) != 0 {
				distribute(items, spare, word, shift)
				items, spare = spare, items
			}
		}
	}
	return items
}

// word returns a word of the key, counted from the highest.
func (x *item[H]) word(i int) uint64 {
	if n := len(x.left); i >= n {
		return x.right[i-n]
	}
	return x.left[i]
}

// distribute copies items to out sorted by a byte of the key, stably.
func distribute[H half](items, out []item[H], word, shift int) {
	var place [256]int
	for i := range items {
		place[byte(items[i].word(word)>>shift)]++
	}
	sum := 0
	for d, n := range place {
		place[d] = sum
		sum += n
	}
	for i := range items {
		d := byte(items[i].word(word) >> shift)
		out[place[d]] = items[i]
		place[d]++
	}
}

func insertionSort[H half](items []item[H]) {
	for i := 1; i < len(items); i++ {
		x := items[i]
		j := i
		for ; j > 0 && x.precedes(&items[j-1]); j-- {
			items[j] = items[j-1]
		}
		items[j] = x
	}
}

// unite merges neighbours with the same key, uniting their sleep sets.
func unite[H half](items []item[H]) []item[H] {
	n := 0
	for i := range items {
		if n > 0 && items[n-1].sameKey(&items[i]) {
			items[n-1].asleep |= items[i].asleep
			continue
		}
		items[n] = items[i]
		n++
	}
	return items[:n]
}

package level

// sortItems sorts items by key with an LSD radix sort by bytes, skipping bytes that are equal in all keys. It returns
// whichever of the two slices, which have equal length, holds the result.
func sortItems[H half](items, spare []item[H]) []item[H] {
	if len(items) < 64 {
		insertionSort(items)
		return items
	}
	var left, right H // the bits in which keys differ
	for i := range items {
		for j := range len(left) {
			left[j] |= items[i].left[j] ^ items[0].left[j]
			right[j] |= items[i].right[j] ^ items[0].right[j]
		}
	}
	spare = spare[:len(items)]
	for j := len(right) - 1; j >= 0; j-- {
		for shift := 0; shift < 64; shift += 8 {
			if byte(right[j]>>shift) != 0 {
				distribute(items, spare, func(x *item[H]) byte { return byte(x.right[j] >> shift) })
				items, spare = spare, items
			}
		}
	}
	for j := len(left) - 1; j >= 0; j-- {
		for shift := 0; shift < 64; shift += 8 {
			if byte(left[j]>>shift) != 0 {
				distribute(items, spare, func(x *item[H]) byte { return byte(x.left[j] >> shift) })
				items, spare = spare, items
			}
		}
	}
	return items
}

// distribute copies items to out sorted by a digit, stably.
func distribute[H half](items, out []item[H], digit func(*item[H]) byte) {
	var place [256]int
	for i := range items {
		place[digit(&items[i])]++
	}
	sum := 0
	for d, n := range place {
		place[d] = sum
		sum += n
	}
	for i := range items {
		d := digit(&items[i])
		out[place[d]] = items[i]
		place[d]++
	}
}

func insertionSort[H half](items []item[H]) {
	for i := 1; i < len(items); i++ {
		x := items[i]
		j := i
		for ; j > 0 && x.before(&items[j-1]); j-- {
			items[j] = items[j-1]
		}
		items[j] = x
	}
}

// unite merges neighbours with the same key, uniting their sleep sets.
func unite[H half](items []item[H]) []item[H] {
	n := 0
	for i := range items {
		if n > 0 && items[n-1].same(&items[i]) {
			items[n-1].asleep |= items[i].asleep
			continue
		}
		items[n] = items[i]
		n++
	}
	return items[:n]
}

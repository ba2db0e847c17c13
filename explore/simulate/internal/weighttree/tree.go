// Package weighttree draws from items with weights that change.
package weighttree

// fan is the number of children of a node: the sums of siblings fill two cache lines.
const fan = 32

// A Tree holds the weights of numbered items. It is a tree of sums: sums[0] has the weight of each item, and each
// further level the sums of groups of fan entries of the level before. The last level has one entry.
type Tree struct{ sums [][]uint32 }

// New returns a tree of items without weight.
func New(items int) *Tree {
	t := &Tree{}
	for n := max(1, items); ; n = (n + fan - 1) / fan {
		t.sums = append(t.sums, make([]uint32, n))
		if n == 1 {
			return t
		}
	}
}

// Total returns the sum of the weights.
func (t *Tree) Total() uint32 { return t.sums[len(t.sums)-1][0] }

// Weight returns the weight of an item.
func (t *Tree) Weight(item int) uint32 { return t.sums[0][item] }

// Set sets the weight of an item.
func (t *Tree) Set(item int, weight uint32) {
	change := weight - t.sums[0][item] // modulo 2³²
	if change == 0 {
		return
	}
	for _, level := range t.sums {
		level[item] += change
		item /= fan
	}
}

// Find returns the item in whose share of the numbers from 0 to Total-1 a number lies, and its position in that share.
// The shares are as large as the weights, and in the order of the items.
func (t *Tree) Find(number uint32) (item int, rest uint32) {
	for i := len(t.sums) - 2; i >= 0; i-- {
		item *= fan
		for level := t.sums[i]; number >= level[item]; item++ {
			number -= level[item]
		}
	}
	return item, number
}

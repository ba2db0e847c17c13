package weighttree_test

import (
	"testing"

	"pgregory.net/rapid"

	"ringcheck/explore/simulate/internal/weighttree"
)

func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.IntRange(1, 3000).Draw(t, "items")
		tree, want := weighttree.New(items), make([]uint32, items)
		for range rapid.IntRange(1, 50).Draw(t, "changes") {
			i, w := rapid.IntRange(0, items-1).Draw(t, "item"), rapid.Uint32Range(0, 3).Draw(t, "weight")
			tree.Set(i, w)
			want[i] = w
		}
		number := uint32(0)
		for i, w := range want {
			for rest := range w {
				if item, got := tree.Find(number); item != i || got != rest {
					t.Fatalf("%d is number %d of item %d, want %d of %d", number, got, item, rest, i)
				}
				number++
			}
		}
		if tree.Total() != number {
			t.Fatalf("total %d, want %d", tree.Total(), number)
		}
	})
}

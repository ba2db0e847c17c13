package visited_test

import (
	"fmt"

	"ringcheck/explore/internal/visited"
)

// One goroutine puts state IDs in batches, and makes room when the set asks for it.
func Example() {
	set := visited.New()
	defer set.Close()
	in := set.Inserter()
	fresh, _ := in.Put([]uint64{3, 5, 3}, nil)
	fmt.Println(fresh)

	numbers := make([]uint64, 10_000)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	added := 0
	for rest := numbers; len(rest) > 0; {
		fresh, rest = in.Put(rest, fresh[:0])
		added += len(fresh)
		if set.ShouldGrow() {
			set.Grow(1)
		}
	}
	fmt.Println(added, "more;", set.Len(), "in all")
	// Output:
	// [3 5]
	// 9998 more; 10000 in all
}

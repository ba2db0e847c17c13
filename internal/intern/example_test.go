package intern_test

import (
	"fmt"

	"ringcheck/internal/intern"
)

// Words get numbers, letter by letter; what is known about a number is kept in an Array.
func Example() {
	var prefixes intern.Pairs
	var seen intern.Array[int]
	for _, word := range []string{"ab", "ac", "ab", "abc"} {
		n := uint32(0)
		for _, letter := range word {
			n = prefixes.Number(intern.Pair(n, uint32(letter))) + 1
		}
		*seen.At(n)++
		fmt.Println(word, "is", n, "seen", *seen.At(n), "times")
	}
	// Output:
	// ab is 2 seen 1 times
	// ac is 3 seen 1 times
	// ab is 2 seen 2 times
	// abc is 4 seen 1 times
}

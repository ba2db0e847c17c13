package spectest_test

import (
	"fmt"
	"strings"

	"ringcheck/internal/test/spectest"
)

// The same seed gives the same spec, so that a test which fails names the seed.
func ExampleRandom() {
	src := spectest.Random(7, 0)
	again := spectest.Random(7, 0)
	fmt.Println(strings.SplitN(src, "\n", 2)[0], src == again)
	// Output: protocol random true
}

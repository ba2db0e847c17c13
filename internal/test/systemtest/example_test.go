package systemtest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ringcheck/internal/test/systemtest"
)

// The same seed gives the same system, so that a test which fails names the seed.
func Example() {
	shape := systemtest.Shape{Slots: 3, Groups: 4, Values: 2}
	one, err := systemtest.Explore(systemtest.New(7, shape))
	if err != nil {
		panic(err)
	}
	two, err := systemtest.Explore(systemtest.New(7, shape))
	if err != nil {
		panic(err)
	}
	fmt.Println(len(one.States) == len(two.States), one.Transitions == two.Transitions)
	// Output: true true
}

// TestVariety: random systems are of all sorts.
func TestVariety(t *testing.T) {
	const systems = 300
	large, deep, stuck, widths := 0, 0, 0, map[int]bool{}
	for seed := range uint64(systems) {
		sys := systemtest.New(seed, systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0))))
		graph := systemtest.Explored(t, sys)
		if len(graph.States) > 100 {
			large++
		}
		if len(graph.Levels) > 8 {
			deep++
		}
		if graph.TerminalStates > 0 {
			stuck++
		}
		for _, g := range sys.Groups() {
			widths[len(g.Slots)] = true
		}
	}
	if large < systems/10 || deep < systems/20 || stuck < systems/10 || stuck > systems*9/10 || len(widths) < 7 {
		t.Errorf("of %d systems %d are large, %d deep, %d get stuck; widths of groups: %v", systems, large, deep, stuck,
			widths)
	}
}

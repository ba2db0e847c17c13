package bisim_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
)

func mustRead(aut string) *lts.LTS {
	l, err := lts.ReadAut(context.Background(), strings.NewReader(aut), 0)
	if err != nil {
		panic(err)
	}
	return l
}

// A sender that tries until it succeeds is, but for divergence, one that succeeds.
func ExampleMinimize() {
	l := mustRead(`des (0, 4, 3)
(0, "try", 1)
(1, tau, 1)
(1, tau, 2)
(2, "deliver", 0)
`)
	for _, e := range []bisim.Equivalence{bisim.Branching, bisim.Divergence} {
		q, _, err := bisim.Minimize(context.Background(), l, e, bisim.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %d states, %d transitions\n", e, q.States(), q.Transitions())
	}
	// Output:
	// branching: 2 states, 2 transitions
	// divergence: 3 states, 4 transitions
}

// Two elections with the same traces: the second may come to an end without a leader.
func ExampleCompare() {
	sure := mustRead("des (0, 1, 2)\n(0, leader, 1)\n")
	unsure := mustRead("des (0, 3, 4)\n(0, tau, 1)\n(0, tau, 2)\n(1, leader, 3)\n")
	c, err := bisim.Compare(context.Background(), sure, unsure, bisim.Branching, bisim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := c.Explain(context.Background(), true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Equivalent, why.Trace == nil)
	fmt.Println(why.Formula)
	// Output:
	// false true
	// ¬(true ⟨τ⟩ ¬(true ⟨leader⟩ true))
}

func ExampleMinimize_quotient() {
	l := mustRead("des (0, 2, 3)\n(0, a, 1)\n(0, a, 2)\n")
	q, _, err := bisim.Minimize(context.Background(), l, bisim.Strong, bisim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q.Write(lts.NewDotWriter(os.Stdout))
	// Output:
	// digraph lts {
	// node [shape=circle];
	// 0 -> 1 [label="a"];
	// start [shape=none, label=""];
	// start -> 0;
	// }
}

package lts_test

import (
	"fmt"
	"os"
	"strings"

	"ringcheck/lts"
)

func Example() {
	l, err := lts.ReadAut(strings.NewReader(`des (0, 3, 3)
(0, "work", 1)
(1, "log(1, 2)", 2)
(2, tau, 0)
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	l.Hide(func(label string) bool { return strings.HasPrefix(label, "log") })
	fmt.Println(l.States(), l.Transitions())
	l.Write(lts.NewDotWriter(os.Stdout))
	// Output:
	// 3 3
	// digraph lts {
	// node [shape=circle];
	// 0 -> 1 [label="work"];
	// 1 -> 2 [label="τ", style=dashed];
	// 2 -> 0 [label="τ", style=dashed];
	// start [shape=none, label=""];
	// start -> 0;
	// }
}

package lts_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ringcheck/bisim/lts"
)

func Example() {
	ctx := context.Background()
	l, err := lts.ReadAut(ctx, strings.NewReader(`des (0, 3, 3)
(0, "work", 1)
(1, "log(1, 2)", 2)
(2, tau, 0)
`), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := l.Hide(ctx, func(label string) bool { return strings.HasPrefix(label, "log") }); err != nil {
		fmt.Println(err)
		return
	}
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

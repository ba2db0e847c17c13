package regress_test

import (
	"context"
	"fmt"

	"ringcheck/results/regress"
)

func Example() {
	f, err := regress.Parse("counts.json", []byte(`{"entries": [
		{"spec": "franklin", "params": {"n": 2}, "expect": {"states": 657}},
		{"spec": "franklin", "params": {"n": 3}, "expect": {"states": 15446, "properties": {"elected": {"holds": true}}}}
	]}`))
	if err != nil {
		panic(err)
	}
	report, err := f.Run(context.Background(), regress.Options{})
	if err != nil {
		panic(err)
	}
	for _, r := range report.Results {
		fmt.Println(r.Name, r.Status, r.Differences)
	}
	// Output:
	// franklin n=2 k=2 ok []
	// franklin n=3 k=2 differs [states: expected 15,446, found 15,445 (-1)]
}

package reduce_test

import (
	"context"
	"fmt"
	"log"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
	"ringcheck/specs"
)

// The states of Franklin's algorithm with three processes and two identities, in full and reduced.
func Example() {
	spec, err := specs.Open("franklin")
	if err != nil {
		log.Fatal(err)
	}
	p, err := spec.Instantiate(map[string]string{"n": "3", "k": "2", "order": "left"})
	if err != nil {
		log.Fatal(err)
	}
	for _, level := range []reduce.Reduction{reduce.NoReduction, reduce.Confelm, reduce.OnTheFly} {
		sys, err := compile.New(context.Background(), p, compile.Options{})
		if err != nil {
			log.Fatal(err)
		}
		small, err := reduce.Apply(context.Background(), sys, reduce.Search{Reduction: level}, nil)
		if err != nil {
			log.Fatal(err)
		}
		r, err := explore.Run(context.Background(), small.System, explore.Options{Workers: 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.States, r.Transitions, small.InternalStates())
	}
	// Output:
	// 7613 17880 0
	// 2875 6342 0
	// 1819 4086 2343
}

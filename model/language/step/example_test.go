package step_test

import (
	"fmt"
	"log"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// A coin decides which of two processes speaks; the other listens.
const coin = `protocol coin ""
topology directed ring of 2
channel unordered
var heads: bool
message Hello
process p = if p = 0 then Toss else Listen
Toss = draw heads; if heads then send right Hello; Done else skip; Done
Listen = recv left Hello; Done
Done = stop
`

func Example() {
	f, err := syntax.Parse("coin.ring", []byte(coin))
	if err != nil {
		log.Fatal(err)
	}
	spec, err := check.File(f)
	if err != nil {
		log.Fatal(err)
	}
	p, err := spec.Instantiate(nil)
	if err != nil {
		log.Fatal(err)
	}

	machine := step.New(p, step.Options{})
	graph, err := spectest.Explore(machine, 100)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range graph.States {
		fmt.Println(spectest.Format(machine, s))
		transitions, err := spectest.Successors(machine, s)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range transitions {
			fmt.Println("   ", t.Weight.RatString(), t.Label)
		}
	}
	// Output:
	// Toss Listen {} {}
	//     1/2 skip(0)
	//     1/2 send(0,right,Hello)
	// Done Listen {} {}
	// Done Listen {} {Hello}
	//     1 recv(1,left,Hello)
	// Done Done {} {}
}

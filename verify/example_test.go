package verify_test

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/specs"
	"ringcheck/verify"
)

func Example() {
	spec, err := specs.Open("franklin")
	if err != nil {
		panic(err)
	}
	protocol, err := spec.Instantiate(map[string]string{"n": "3", "k": "2"})
	if err != nil {
		panic(err)
	}
	sys, err := compile.New(context.Background(), protocol, compile.Options{})
	if err != nil {
		panic(err)
	}
	report, err := verify.Verifier{System: sys}.Check(context.Background(), protocol.Properties, explore.Options{})
	if err != nil {
		panic(err)
	}
	for _, v := range report.Judgments {
		fmt.Println(v.Property.Name, v.Outcome)
	}
	// Output:
	// unique holds
	// elected holds
	// electable holds
	// election holds
	// lemma1 holds
	// alone holds
}

func ExampleVerifier_Counterexample() {
	spec, err := specs.Open("franklin")
	if err != nil {
		panic(err)
	}
	protocol, err := spec.Instantiate(map[string]string{"n": "3", "k": "2", "bits": "false"})
	if err != nil {
		panic(err)
	}
	sys, err := compile.New(context.Background(), protocol, compile.Options{})
	if err != nil {
		panic(err)
	}
	run, _, err := verify.Verifier{System: sys}.Counterexample(context.Background(), protocol.Properties,
		explore.Options{})
	if err != nil {
		panic(err)
	}
	if run == nil {
		fmt.Println("nothing is violated")
		return
	}
	fmt.Printf("%s is violated after %d steps\n", run.Property.Name, len(run.Moves)-1)
	// Output:
	// elected is violated after 24 steps
}

package symmetry_test

import (
	"context"
	"fmt"
	"log"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/symmetry"
	"ringcheck/specs"
)

func ExampleRotation() {
	spec, err := specs.Open("itai-rodeh")
	if err != nil {
		log.Fatal(err)
	}
	protocol, err := spec.Instantiate(map[string]string{"n": "4"})
	if err != nil {
		log.Fatal(err)
	}
	sys, err := compile.New(context.Background(), protocol, compile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	quotient, err := symmetry.Rotation(context.Background(), sys)
	if err != nil {
		log.Fatal(err)
	}
	all, err := explore.Run(context.Background(), sys, explore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	orbits, err := explore.Run(context.Background(), quotient, explore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all states:", all.States, "states,", all.Transitions, "transitions,", all.Stored, "stored")
	fmt.Println("by orbits: ", orbits.States, "states,", orbits.Transitions, "transitions,", orbits.Stored, "stored")
	// Output:
	// all states: 9207 states, 22564 transitions, 9207 stored
	// by orbits:  9207 states, 22564 transitions, 2336 stored
}

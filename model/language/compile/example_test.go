package compile_test

import (
	"context"
	"fmt"
	"log"

	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
)

func Example() {
	f, err := syntax.Parse("coin.ring", []byte(`protocol coin ""
topology directed ring of 2
channel unordered
var x: 1..2
message M(x: 1..2)
process p = if p = 0 then Toss else Listen
Toss = draw x; send right M(x); stop
Listen = recv left M(x); Heard(x)
Heard(x) = skip; Heard(x)
`))
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
	sys, err := compile.New(context.Background(), p, compile.Options{})
	if err != nil {
		log.Fatal(err)
	}

	err = sys.Initial(func(state []model.Value) bool {
		for i, slot := range sys.Slots() {
			fmt.Printf("%s: %s\n", slot.Name, sys.FormatSlot(i, state[i]))
		}
		cursor := model.NewCursor(sys)
		for g, group := range sys.Groups() {
			if err := cursor.Next(g, state); err != nil {
				log.Fatal(err)
			}
			for i := range cursor.Len() {
				step := cursor.Step(i)
				fmt.Printf("%s: %d/%d %s\n", group.Name, step.Weight.Num, step.Weight.Den, sys.Label(step.Label).Text)
			}
		}
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// process 0: Toss
	// channel 1→0 (right): {}
	// process 1: Listen
	// channel 0→1 (right): {}
	// process 0 sends to right: 1/2 send(0,right,M(1))
	// process 0 sends to right: 1/2 send(0,right,M(2))
}

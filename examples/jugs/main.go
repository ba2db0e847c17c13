// The water jugs: measure four litres with a jug of three litres and one of five. The property claims that this is
// impossible, and the counterexample shows how to do it.
package main

import (
	"context"
	"iter"
	"log"
	"os"

	"ringcheck"
	"ringcheck/model"
)

// jugs are the litres in the small jug and in the big one.
type jugs struct{ Small, Big int }

const small, big = 3, 5

func next(j jugs) iter.Seq2[model.Action, jugs] {
	return func(yield func(model.Action, jugs) bool) {
		toBig, toSmall := min(j.Small, big-j.Big), min(j.Big, small-j.Small)
		for _, move := range []struct {
			name string
			to   jugs
		}{
			{"fill the small jug", jugs{small, j.Big}},
			{"fill the big jug", jugs{j.Small, big}},
			{"empty the small jug", jugs{0, j.Big}},
			{"empty the big jug", jugs{j.Small, 0}},
			{"pour the small jug into the big one", jugs{j.Small - toBig, j.Big + toBig}},
			{"pour the big jug into the small one", jugs{j.Small + toSmall, j.Big - toSmall}},
		} {
			if move.to != j && !yield(model.Action{Name: move.name}, move.to) {
				return
			}
		}
	}
}

func main() {
	sys := ringcheck.From("water jugs", model.Of(next, jugs{}),
		ringcheck.Invariant("no four litres", func(j jugs) bool { return j.Big != 4 }))
	run, _, err := ringcheck.Counterexample(context.Background(), sys, ringcheck.Claims{}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Write(os.Stdout, "text"); err != nil {
		log.Fatal(err)
	}
}

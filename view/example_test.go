package view_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
	"ringcheck/view"
)

const pingPong = `
protocol ping "a message overtakes another one"
topology directed ring of 2
channel unordered
type Number = 1..2
message Ping(i: Number)
process p = if p = 0 then Play else Listen
Play = send right Ping(1); send right Ping(2); stop
Listen = recv left Ping(2); Heard
Heard = recv left Ping(1); stop
`

func Example() {
	f, err := syntax.Parse("ping.ring", []byte(pingPong))
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
	seen := sys.NewView()
	run, err := explore.Path(context.Background(), sys, explore.Options{Workers: 1},
		func(_ int, state []model.Value) bool {
			seen.Show(state)
			at := seen.Seen(1).Point
			return !at.Start && at.Equation.Name == "Heard"
		})
	if err != nil {
		log.Fatal(err)
	}
	trace, err := view.New(sys, run)
	if err != nil {
		log.Fatal(err)
	}
	trace.Caption.Finding = "Ping(1) arrives, but late"
	fmt.Println(trace.Steps[3].Text)
	if err := trace.MSC(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// process 1 receives Ping(2) from process 0, overtaking Ping(1) of step 1
	// ping
	// ┃ a message that is overtaken
	//
	//   ╭─╮            ╭─╮
	//   │0│            │1│
	//   ╰┬╯            ╰┬╯
	// 0  │              │  0: Play
	//    │              │  1: Listen
	// 1  ●━Ping(1)━━━┓  │  0: Play
	// 2  ●─Ping(2)─╮ ┃  │  0: Play
	// 3  │         ╰─╂─►●  1: Heard
	//    │           ┃  │     overtakes Ping(1) of step 1
	// 4  │           ┗━►●  1: Heard
	//
	// Ping(1) arrives, but late
}

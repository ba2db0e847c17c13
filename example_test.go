package ringcheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"os"

	"ringcheck"
	"ringcheck/model"
)

// Is exactly one leader elected?
func Example() {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3, "k": 2})
	if err != nil {
		log.Fatal(err)
	}
	report, err := ringcheck.Check(context.Background(), sys, ringcheck.Checks{}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.States, "states")
	for _, p := range report.Verdicts.Properties {
		fmt.Println(p.Kind, p.Name, p.Outcome())
	}
	// Output:
	// 15445 states
	// invariant unique holds
	// terminal elected holds
	// reachable electable holds
	// recoverable election holds
	// invariant lemma1 holds
	// invariant alone holds
}

// A run to the flaw of Dolev, Klawe and Rodeh's algorithm without round numbers.
func ExampleReport_Run() {
	sys, err := ringcheck.Load("dkr", ringcheck.Set{"n": 4, "modulus": 1})
	if err != nil {
		log.Fatal(err)
	}
	report, err := ringcheck.Check(context.Background(), sys,
		ringcheck.Checks{Claims: ringcheck.Claims{Properties: []string{"elected"}}}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	run, err := report.Run(context.Background(), "elected")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Finding)
	// run.Write(w, "svg") draws it.

	// Output:
	// elected (one leader, the others passive, and no message is left) is violated after 32 steps, in a terminal state
}

// Counts of the full system from a third of its states.
func ExampleExplore() {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	report, err := ringcheck.Explore(context.Background(), sys,
		ringcheck.Search{Symmetry: ringcheck.Rotation})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.States, report.Transitions, report.TerminalStates)
	fmt.Println("stored:", report.Enumeration.StoredStates)
	// Output:
	// 15445 43968 24
	// stored: 5165
}

// A system of Go values: three lamps, each of which can be switched if the one before it is on.
func ExampleFrom() {
	type lamps [3]bool
	next := func(s lamps) iter.Seq2[model.Action, lamps] {
		return func(yield func(model.Action, lamps) bool) {
			for i := range s {
				if t := s; i == 0 || s[i-1] {
					t[i] = !t[i]
					if !yield(model.Action{Name: "switch", Process: i}, t) {
						return
					}
				}
			}
		}
	}
	sys := ringcheck.From("lamps", model.Of(next, lamps{}),
		ringcheck.Invariant("in order", func(s lamps) bool { return !s[1] || s[0] }))
	run, _, err := ringcheck.Counterexample(context.Background(), sys, ringcheck.Claims{}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Write(os.Stdout, "text"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// lamps
	//
	// in order is violated after 3 steps
	//
	//    0  initial state
	//    1  process 0: switch
	//       0: false → true
	//    2  process 1: switch
	//       1: false → true
	//    3  process 0: switch
	//       0: true → false
	//
	// it is false in [false true false]
}

// chairs is a system given by its slots and what depends on them: four chairs, each of which is taken and left
// independently.
type chairs struct{}

func (chairs) Slots() []model.Slot { return make([]model.Slot, 4) }
func (chairs) Groups() (groups []model.Group) {
	for i := range 4 {
		groups = append(groups, model.Group{Slots: []int{i}})
	}
	return groups
}
func (chairs) Initial(yield func([]model.Value) bool) error {
	yield(make([]model.Value, 4))
	return nil
}
func (chairs) Next(_ int, in []model.Value, out *model.Successors) error {
	out.Add(model.Step{Weight: model.Certain})[0] = 1 - in[0]
	return nil
}
func (chairs) Label(model.Label) model.LabelInfo      { return model.LabelInfo{Text: "turn", Slot: -1} }
func (chairs) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

// A custom model.System: states are vectors, and a group of transitions names the slots that it depends on.
func ExampleWrap() {
	report, err := ringcheck.Explore(context.Background(), ringcheck.Wrap("chairs", chairs{}), ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Counts.States, "states,", report.Counts.Transitions, "transitions")
	// Output: 16 states, 64 transitions
}

// The quotient of a correct election has two states and one transition if only the event is visible.
func ExampleMinimize() {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	m, err := ringcheck.Minimize(context.Background(), sys, ringcheck.Branching, ringcheck.GraphOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.States, m.Transitions, m.Labels)
	// Output:
	// 2 1 [leader]
}

// With FIFO channels the round numbers are not needed (Proposition 1 of Bakhshi et al.).
func ExampleCompare() {
	with, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3, "channel": "fifo"})
	if err != nil {
		log.Fatal(err)
	}
	without, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3, "channel": "fifo", "bits": false})
	if err != nil {
		log.Fatal(err)
	}
	c, err := ringcheck.Compare(context.Background(), with, without, ringcheck.Branching, ringcheck.Comparison{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*c.Equivalent)
	// Output:
	// true
}

// A sender that repeats what is lost is a buffer for one datum. One that does not may come to rest with the datum lost,
// which its traces do not show, but its failures.
func ExampleRefines() {
	buffer, err := ringcheck.Load("examples/buffer.ring")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, resend := range []bool{true, false} {
		sender, err := ringcheck.Load("examples/go-back-n.ring", ringcheck.Set{"resend": resend})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, model := range []ringcheck.RefinementModel{ringcheck.WeakTrace, ringcheck.Failures} {
			r, err := ringcheck.Refines(context.Background(), sender, buffer, model, ringcheck.Comparison{})
			if err == nil {
				err = r.Err()
			}
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(resend, model, *r.Refines)
			if r.Violation != nil {
				fmt.Println("after", r.Trace, "it refuses", r.Refusal)
			}
		}
	}
	// Output:
	// true weak-trace true
	// true failures true
	// false weak-trace true
	// false failures false
	// after [accept(1)] it refuses [deliver(1)]
}

// The cost of an election: the least, greatest and mean number of messages over all orders of three identities.
func ExampleQuantify() {
	sys, err := ringcheck.Load("chang-roberts", ringcheck.Set{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	report, err := ringcheck.Quantify(context.Background(), sys,
		ringcheck.Questions{Until: "terminal", Rewards: []string{"messages"}, Exact: true}, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range report.Results {
		fmt.Println(a.Name(), a.Scheduler, a.Exact)
	}
	// Output:
	// expected messages uniform 11/2
	// expected messages min 5
	// expected messages max 6
}

// The classes of states of a probabilistic election that an observer of its steps and events can tell apart.
func ExampleMinimize_probabilistic() {
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	lumped, err := ringcheck.Minimize(context.Background(), sys, ringcheck.Probabilistic, ringcheck.GraphOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lumped.From.States, "states,", lumped.States, "classes")
	// Output:
	// 15445 states, 702 classes
}

// A spec in a program, and a report as JSON.
func ExampleParse() {
	spec, err := ringcheck.Parse("tick.ring",
		[]byte("protocol tick\nparam n: 1..9\ntopology directed ring of n\nevent tick\nprocess p = A\n"+
			"A = tick; stop\n"))
	if err != nil {
		log.Fatal(err)
	}
	sys, err := spec.System(ringcheck.Set{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	report, err := ringcheck.Explore(context.Background(), sys, ringcheck.Search{})
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(report.Counts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// {"states":8,"transitions":12,"terminal_states":1,"environment_only_states":0}
}

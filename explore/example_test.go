package explore_test

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/model"
)

// jugs is a System in Go: two jugs, of 3 and 5 litres, that can be filled, emptied and poured into each other.
type jugs struct{}

var sizes = []model.Value{3, 5}

// All groups but pouring change one slot.
var (
	moves    = []string{"fill 3", "fill 5", "empty 3", "empty 5", "pour 3 into 5", "pour 5 into 3"}
	moveSlot = [][]int{{0}, {1}, {0}, {1}, {0, 1}, {0, 1}}
)

func (jugs) Slots() []model.Slot { return []model.Slot{{Name: "3 litres"}, {Name: "5 litres"}} }

func (jugs) Groups() []model.Group {
	var groups []model.Group
	for i, name := range moves {
		groups = append(groups, model.Group{Name: name, Slots: moveSlot[i]})
	}
	return groups
}

func (jugs) Initial(yield func([]model.Value) bool) error {
	yield([]model.Value{0, 0})
	return nil
}

func (jugs) Next(g int, in []model.Value, out *model.Successors) error {
	to := out.Add(model.Step{Label: model.Label(g), Weight: model.Certain})
	copy(to, in)
	switch g {
	case 0, 1:
		to[0] = sizes[g]
	case 2, 3:
		to[0] = 0
	case 4:
		n := min(in[0], sizes[1]-in[1])
		to[0], to[1] = in[0]-n, in[1]+n
	case 5:
		n := min(in[1], sizes[0]-in[0])
		to[0], to[1] = in[0]+n, in[1]-n
	}
	return nil
}

func (jugs) Label(l model.Label) model.LabelInfo {
	return model.LabelInfo{Text: moves[l], Process: -1, Slot: -1}
}

func (jugs) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

func ExampleRun() {
	r, err := explore.Run(context.Background(), jugs{}, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Stop, "after", r.States, "states and", r.Transitions, "transitions")
	fmt.Println("states by distance:", r.Levels)
	// Output:
	// exhausted after 16 states and 96 transitions
	// states by distance: [1 2 3 2 2 2 2 2]
}

// How are 4 litres measured?
func ExamplePath() {
	sys := jugs{}
	run, err := explore.Path(context.Background(), sys, explore.Options{}, func(_ int, state []model.Value) bool {
		return state[1] == 4
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range run[1:] {
		fmt.Println(m.State, sys.Label(m.Step.Label).Text)
	}
	// Output:
	// [0 5] fill 5
	// [3 2] pour 5 into 3
	// [0 2] empty 3
	// [2 0] pour 5 into 3
	// [2 5] fill 5
	// [3 4] pour 5 into 3
}

func ExampleWalk() {
	deadEnds := 0
	r, err := explore.Walk(context.Background(), jugs{}, explore.Options{}, explore.Visitor{
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				if from == t.To {
					deadEnds++
				}
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(deadEnds, "of", r.Transitions, "transitions lead nowhere")
	// Output: 38 of 96 transitions lead nowhere
}

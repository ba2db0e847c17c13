package tree_test

import (
	"context"
	"fmt"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// Four counters, each of which goes up by itself.
func Example() {
	counters := counting{systemtest.New(1, systemtest.Shape{Slots: 4, Values: 2})}
	w := tree.NewStore(context.Background(), counters, nil, nil).Worker()
	id := w.ID([]model.Value{0, 3, 5, 0})
	var successors tree.Expansion
	if err := w.Expand([]tree.StateID{id}, nil, &successors); err != nil {
		fmt.Println(err)
	}
	state := make([]model.Value, 4)
	for _, id := range successors.To {
		w.Vector(id, state)
		fmt.Println(state)
	}
	// Output:
	// [1 3 5 0]
	// [0 4 5 0]
	// [0 3 6 0]
	// [0 3 5 1]
}

// counting is a system of slots that each count up.
type counting struct{ *systemtest.System }

func (c counting) Groups() []model.Group {
	return []model.Group{{Slots: []int{0}}, {Slots: []int{1}}, {Slots: []int{2}}, {Slots: []int{3}}}
}

func (c counting) Next(_ int, in []model.Value, out *model.Successors) error {
	out.Add(model.Step{Weight: model.Certain})[0] = in[0] + 1
	return nil
}

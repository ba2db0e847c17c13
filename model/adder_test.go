package model_test

import (
	"fmt"

	"ringcheck/model"
)

// adder is a system with one group for each width from 0 to 8. The sum of its values modulo 4 is the number of its
// transitions; a sum of 7 modulo 11 is an error.
type adder struct{}

const widths = 9

func (a *adder) Slots() []model.Slot                    { return make([]model.Slot, widths) }
func (a *adder) Initial(func([]model.Value) bool) error { return nil }
func (a *adder) Label(model.Label) model.LabelInfo      { return model.LabelInfo{} }
func (a *adder) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

func (a *adder) Groups() []model.Group {
	var groups []model.Group
	for width := range widths {
		g := model.Group{Name: fmt.Sprint("width ", width)}
		for s := range width {
			g.Slots = append(g.Slots, s)
		}
		groups = append(groups, g)
	}
	return groups
}

func (a *adder) Next(g int, in []model.Value, out *model.Successors) error {
	sum := model.Value(g)
	for i, v := range in {
		sum += v * model.Value(2*i+1)
	}
	for i := range sum % 4 {
		step := model.Step{Label: model.Label(sum), Choice: i / 2, Weight: model.Certain}
		if i^1 < sum%4 { // two outcomes of equal probability, else a certain one
			step.Weight = model.Weight{Num: 1, Den: 2}
		}
		values := out.Add(step)
		for j, v := range in {
			values[j] = v + i + model.Value(j)
		}
	}
	if sum%11 == 7 {
		return &model.Error{Message: fmt.Sprint("sum ", sum)}
	}
	return nil
}

package symbolic_test

import (
	"fmt"
	"math/big"
	"testing"

	"ringcheck/explore/symbolic"
	"ringcheck/model"
)

// counters are n independent counters from 0 to 9, each of which can be reset.
type counters int

func (c counters) Slots() []model.Slot { return make([]model.Slot, c) }

func (c counters) Groups() []model.Group {
	var groups []model.Group
	for i := range int(c) {
		groups = append(groups, model.Group{Name: fmt.Sprint(i), Slots: []int{i}})
	}
	return groups
}

func (c counters) Initial(yield func([]model.Value) bool) error {
	yield(make([]model.Value, c))
	return nil
}

func (c counters) Next(_ int, in []model.Value, out *model.Successors) error {
	if in[0] < 9 {
		out.Add(model.Step{Weight: model.Certain})[0] = in[0] + 1
		out.Add(model.Step{Label: 1, Choice: 1, Weight: model.Certain})[0] = 0
	}
	return nil
}

func (c counters) Label(model.Label) model.LabelInfo      { return model.LabelInfo{} }
func (c counters) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

// TestLarge checks that counts are exact however large they are. n counters have 10^n states, 18n·10^(n-1) transitions,
// and one state in which all have ended.
func TestLarge(t *testing.T) {
	ten := big.NewInt(10)
	for _, n := range []int64{1, 5, 19, 20, 40, 80, 330, 400} {
		r := run(t, counters(n), symbolic.Options{Memory: 64 << 20})
		states := new(big.Int).Exp(ten, big.NewInt(n), nil)
		transitions := new(big.Int).Mul(big.NewInt(18*n), new(big.Int).Exp(ten, big.NewInt(n-1), nil))
		if !r.Complete() || r.States.Cmp(states) != 0 || r.Transitions.Cmp(transitions) != 0 ||
			r.TerminalStates.Cmp(big.NewInt(1)) != 0 {
			t.Errorf("%d counters: %v: %v states, %v transitions, %v terminal", n, r.Stop, r.States, r.Transitions,
				r.TerminalStates)
		}
	}
}

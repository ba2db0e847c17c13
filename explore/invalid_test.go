package explore_test

import (
	"errors"
	"path/filepath"
	"testing"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/explore/symbolic"
	"ringcheck/model"
)

// toggles is a system of six bits; one group sets the last two.
type toggles struct {
	slots   []int
	initial int // length
	weight  model.Weight
}

func (s toggles) Slots() []model.Slot   { return make([]model.Slot, 6) }
func (s toggles) Groups() []model.Group { return []model.Group{{Name: "set", Slots: s.slots}} }
func (s toggles) Initial(yield func([]model.Value) bool) error {
	yield(make([]model.Value, s.initial))
	return nil
}
func (s toggles) Label(model.Label) model.LabelInfo {
	return model.LabelInfo{Text: "set", Process: -1, Slot: -1}
}
func (s toggles) FormatSlot(int, model.Value) string { return "" }

func (s toggles) Next(_ int, in []model.Value, out *model.Successors) error {
	for i := range in {
		if in[i] == 0 {
			to := out.Add(model.Step{Choice: uint32(i), Weight: s.weight})
			copy(to, in)
			to[i] = 1
		}
	}
	return nil
}

// TestInvalid: every way to explore refuses what is no system, with the reason, and none counts something else than
// another.
func TestInvalid(t *testing.T) {
	for _, tt := range []struct {
		name string
		sys  toggles
		ok   bool
	}{
		{"valid", toggles{[]int{4, 5}, 6, model.Certain}, true},
		{"descending slots", toggles{[]int{5, 4}, 6, model.Certain}, false},
		{"a slot twice", toggles{[]int{4, 4}, 6, model.Certain}, false},
		{"no such slot", toggles{[]int{4, 6}, 6, model.Certain}, false},
		{"a short initial state", toggles{[]int{4, 5}, 5, model.Certain}, false},
		{"a long initial state", toggles{[]int{4, 5}, 7, model.Certain}, false},
		{"0/0", toggles{[]int{4, 5}, 6, model.Weight{}}, false},
		{"half a choice", toggles{[]int{4, 5}, 6, model.Weight{Num: 1, Den: 2}}, false},
	} {
		name := func(i model.LabelInfo) string { return i.Text }
		for way, explored := range map[string]func() (*explore.Result, error){
			"Run": func() (*explore.Result, error) { return explore.Run(t.Context(), tt.sys, explore.Options{}) },
			"Walk": func() (*explore.Result, error) {
				return explore.Walk(t.Context(), tt.sys, explore.Options{}, explore.Visitor{})
			},
			"Generate": func() (*explore.Result, error) {
				var l *lts.LTS
				l, r, err := explore.Generate(t.Context(), tt.sys, explore.Options{}, name)
				if err == nil && l.States() != 4 {
					t.Errorf("%s: generated %d states", tt.name, l.States())
				}
				return r, err
			},
			"symbolic.Run": func() (*explore.Result, error) {
				r, err := symbolic.Run(t.Context(), tt.sys, symbolic.Options{Memory: 1 << 20})
				if err != nil {
					return nil, err
				}
				return &explore.Result{Stop: r.Stop, States: r.States.Uint64(), Transitions: r.Transitions.Uint64()},
					nil
			},
		} {
			r, err := explored()
			switch {
			case tt.ok && (err != nil || !r.Complete() || r.States != 4 || r.Transitions != 4):
				t.Errorf("%s, %s: %+v, error %v", tt.name, way, r, err)
			case !tt.ok && !errors.Is(err, model.ErrInvalid):
				t.Errorf("%s, %s: %+v, error %v", tt.name, way, r, err)
			}
		}
	}
}

// hidden is a decorator without Unwrap.
type hidden struct{ model.System }

// named is a decorator with Unwrap.
type named struct{ model.System }

func (n named) Unwrap() model.System { return n.System }

// TestUnnamed: a store takes only what it can give back.
func TestUnnamed(t *testing.T) {
	for _, tt := range []struct {
		name string
		sys  model.System
		want error
	}{
		{"compiled", election(t, 2, 2), nil},
		{"decorated", named{election(t, 2, 2)}, nil},
		{"embedded", hidden{election(t, 2, 2)}, explore.ErrUnnamed},
		{"without tables", toggles{[]int{4, 5}, 6, model.Certain}, explore.ErrUnnamed},
	} {
		db, err := store.Create(filepath.Join(t.TempDir(), "store"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := explore.Run(t.Context(), tt.sys, explore.Options{Store: db}); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

package model_test

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"ringcheck/model"
)

// shaped is a system with six slots and a group.
type shaped struct {
	adder
	slots []int
}

func (s *shaped) Groups() []model.Group { return []model.Group{{Name: "g", Slots: s.slots}} }

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		slots []int
		want  string
	}{
		{nil, ""},
		{[]int{0, 4, 8}, ""},
		{[]int{5, 4}, "slot 4 after slot 5"},
		{[]int{2, 2}, "slot 2 twice"},
		{[]int{0, 9}, "slot 9, and there are slots 0 to 8"},
		{[]int{-1, 0}, "slot -1"},
	} {
		err := model.Validate(&shaped{slots: tt.slots})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v: %v", tt.slots, err)
		case tt.want != "" && (!errors.Is(err, model.ErrInvalid) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v: error %v, want %q", tt.slots, err, tt.want)
		}
	}
}

func TestCheckInitial(t *testing.T) {
	if err := model.CheckInitial([]model.Value{1, 2}, 2); err != nil {
		t.Error(err)
	}
	if err := model.CheckInitial([]model.Value{1, 2}, 3); !errors.Is(err, model.ErrInvalid) {
		t.Errorf("a state that is too short: error %v", err)
	}
	if err := model.CheckInitial([]model.Value{math.MaxUint32}, 1); errors.Is(err,
		model.ErrInvalid) != model.Invariants {
		t.Errorf("a value that is none: error %v", err)
	}
}

// chance is a transition of a choice, with the weight num/den.
type chance struct{ choice, num, den uint32 }

func TestCheck(t *testing.T) {
	const huge, more = 4294967291, 4294967279 // two primes
	for _, tt := range []struct {
		chances []chance
		want    string
	}{
		{nil, ""},
		{[]chance{{0, 1, 1}, {1, 1, 1}, {4, 1, 1}}, ""},
		{[]chance{{0, 1, 3}, {0, 2, 3}, {1, 1, 1}}, ""},
		{[]chance{{0, 1, huge}, {0, 1, more}, {0, huge - 1, huge}, {0, more - 1, more}}, "add up to 2"},
		{[]chance{{0, 1, huge}, {0, huge - 1, huge}}, ""},
		{[]chance{{0, 0, 0}}, "0/0"},
		{[]chance{{0, 1, 1}, {0, 0, 1}}, "0/1"},
		{[]chance{{0, 3, 2}}, "3/2"},
		{[]chance{{0, 1, 2}}, "add up to 1/2"},
		{[]chance{{0, 1, 1}, {0, 1, 1}}, "add up to 2"},
		{[]chance{{0, 1, 2}, {1, 1, 1}, {0, 1, 2}}, "add up to 1/2"},
		{[]chance{{1, 1, 1}, {0, 1, 1}}, "choice 0 comes after one of choice 1"},
	} {
		var out model.Successors
		out.Reset(0)
		out.Add(model.Step{Choice: 9}) // must not be checked
		for _, c := range tt.chances {
			out.Add(model.Step{Choice: c.choice, Weight: model.Weight{Num: c.num, Den: c.den}})
		}
		err := out.Check(1)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v: %v", tt.chances, err)
		case tt.want != "" && (!errors.Is(err, model.ErrInvalid) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v: error %v, want %q", tt.chances, err, tt.want)
		}
	}
}

// moody is a system whose answers differ each time.
type moody struct {
	adder
	asked atomic.Int64
}

func (m *moody) Next(_ int, _ []model.Value, out *model.Successors) error {
	out.Add(model.Step{Label: model.Label(m.asked.Add(1)), Weight: model.Certain})
	return nil
}

// meddling is a system whose Next changes its argument.
type meddling struct{ adder }

func (m *meddling) Next(_ int, in []model.Value, _ *model.Successors) error {
	in[0]++
	return nil
}

// TestAskAgain checks that the build tag invariants finds systems that are not deterministic or change their argument.
func TestAskAgain(t *testing.T) {
	var out model.Successors
	for _, sys := range []model.System{&moody{}, &meddling{}} {
		if err := model.Ask(sys, 1, []model.Value{3}, &out); errors.Is(err, model.ErrInvalid) != model.Invariants {
			t.Errorf("%T: error %v", sys, err)
		}
	}
	if err := model.Ask(&adder{}, 1, []model.Value{3}, &out); err != nil {
		t.Error(err)
	}
}

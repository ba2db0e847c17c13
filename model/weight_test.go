package model_test

import (
	"testing"

	"ringcheck/model"
)

func TestPlus(t *testing.T) {
	for _, tt := range []struct {
		a, b, sum model.Weight
		ok        bool
	}{
		{model.Weight{Num: 1, Den: 2}, model.Weight{Num: 1, Den: 2}, model.Certain, true},
		{model.Weight{Num: 1, Den: 3}, model.Weight{Num: 1, Den: 6}, model.Weight{Num: 1, Den: 2}, true},
		{model.Weight{Num: 1, Den: 1<<32 - 1}, model.Weight{Num: 1, Den: 1<<32 - 1},
			model.Weight{Num: 2, Den: 1<<32 - 1}, true},
		{model.Weight{Num: 1, Den: 1<<32 - 1}, model.Weight{Num: 1, Den: 1<<32 - 2}, model.Weight{}, false},
	} {
		sum, ok := tt.a.Plus(tt.b)
		if ok != tt.ok || ok && sum != tt.sum {
			t.Errorf("%v + %v = %v, %v", tt.a, tt.b, sum, ok)
		}
	}
}

func TestFilter(t *testing.T) {
	var s model.Successors
	s.Reset(2)
	for i := range uint32(6) {
		copy(s.Add(model.Step{Label: model.Label(i)}), []model.Value{i, 10 * i})
	}
	s.Filter(2, func(s model.Step) bool { return s.Label%2 == 1 })
	var labels []model.Label
	for i := range s.Len() {
		labels = append(labels, s.Step(i).Label)
		if v := s.Values(i); v[0] != uint32(s.Step(i).Label) || v[1] != 10*v[0] {
			t.Errorf("transition %d has the values %v", i, v)
		}
	}
	if len(labels) != 4 || labels[0] != 0 || labels[1] != 1 || labels[2] != 3 || labels[3] != 5 {
		t.Errorf("left over: %v", labels)
	}
}

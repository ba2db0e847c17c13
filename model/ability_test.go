package model_test

import (
	"testing"

	"ringcheck/model"
)

// holder is an adder that implements Holder and Quotient.
type holder struct{ adder }

func (*holder) Bytes() int64                     { return 42 }
func (*holder) OrbitSize([]model.Value) uint64   { return 7 }
func (*holder) Idle(g int, _ []model.Value) bool { return g == 0 }

// Decorators of the three kinds that As distinguishes.
type (
	embedding   struct{ model.System }
	transparent struct{ model.System }
	selective   struct{ model.System }
)

func (d transparent) Unwrap() model.System { return d.System }
func (d selective) As(target any) bool     { return model.Pass[model.Quotient](d.System, target) }

// refusing sets the target but reports that it does not provide the ability.
type refusing struct{ adder }

func (d *refusing) As(target any) bool {
	if t, ok := target.(*model.Quotient); ok {
		*t = &holder{}
	}
	return false
}

// TestAs checks that As finds exactly the abilities that decorators pass on, through any number of decorators.
func TestAs(t *testing.T) {
	sys := &holder{}
	for _, tt := range []struct {
		name                   string
		sys                    model.System
		bytes, quotient, idler bool
		concrete               bool
	}{
		{name: "itself", sys: sys, bytes: true, quotient: true, idler: true, concrete: true},
		{name: "unwrapped", sys: transparent{transparent{sys}}, bytes: true, quotient: true, idler: true,
			concrete: true},
		{name: "embedded", sys: embedding{sys}},
		{name: "below one that embeds", sys: transparent{embedding{sys}}},
		{name: "picked", sys: selective{sys}, quotient: true},
		{name: "picked below", sys: transparent{selective{transparent{sys}}}, quotient: true},
		{name: "picked where it is not", sys: selective{embedding{sys}}},
		{name: "nothing", sys: &adder{}},
		{name: "nil"},
	} {
		_, bytes := model.As[model.Holder](tt.sys)
		q, quotient := model.As[model.Quotient](tt.sys)
		_, idler := model.As[model.Idler](tt.sys)
		_, concrete := model.As[*holder](tt.sys)
		if bytes != tt.bytes || quotient != tt.quotient || idler != tt.idler || concrete != tt.concrete {
			t.Errorf("%s: Holder %t, Quotient %t, Idler %t, *holder %t", tt.name, bytes, quotient, idler, concrete)
		}
		if quotient && q.OrbitSize(nil) != 7 {
			t.Errorf("%s: As did not find the quotient", tt.name)
		}
	}
	if q, ok := model.As[model.Quotient](&refusing{}); ok || q != nil {
		t.Errorf("found %v, %t, where the decorator refuses", q, ok)
	}
	if n := model.Bytes(transparent{sys}); n != 42 {
		t.Errorf("%d bytes, want 42", n)
	}
	if n := model.Bytes(embedding{sys}); n != 0 {
		t.Errorf("%d bytes for a system that does not implement Bytes", n)
	}
}

package export

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
)

// draw adds the steps after a draw or a choice. A draw that decides between sends is possible only where all of them
// are, which is exported only where they are to one channel.
func (s *stepper) draw(d *ir.Draw, e env, on path) {
	before := len(s.steps)
	s.drawEach(d, e, on)
	sends := func(x step) bool { return x.sends() }
	if s.model.Channel.Sync && !d.Choose && slices.ContainsFunc(s.steps[before:], sends) {
		refuse("a draw before a send cannot be exported with synchronous channels")
	}
	if !s.model.Capacity.Blocks() || d.Choose {
		return
	}
	for _, one := range s.steps[before:] {
		first := &s.steps[before]
		if one.sends() != first.sends() || one.sends() && one.link != first.link {
			refuse("a draw that decides whether to send, or where to, cannot be exported with a capacity of channels")
		}
	}
}

// sends reports whether a step sends a message.
func (s *step) sends() bool {
	_, is := s.action.(*ir.Send)
	return is
}

// receives reports whether a step receives a message.
func (s *step) receives() bool {
	_, is := s.action.(*ir.Receive)
	return is
}

// drawEach adds the steps for each value of a draw or a choice.
func (s *stepper) drawEach(d *ir.Draw, e env, on path) {
	set, values := "", slices.Clip(d.Values)
	for _, w := range d.Weights {
		values = append(values, w.Value)
	}
	if d.Among != nil {
		set = s.expression(d.Among, e)
		values = slices.Collect(d.Among.Type().Elem.Values())
	}
	if t := drawnRange(d); t != nil {
		if value, on, ok := s.fold(t, on); ok {
			if d.Among != nil {
				on = on.addGuard(fmt.Sprintf(s.forms().binary[ir.In], value, set))
			}
			s.term(d.Then, e.bound(d.Var, value), on)
			return
		}
	}
	for _, v := range values {
		some := on
		if d.Among != nil {
			some = on.addGuard(s.contains(set, d.Among.Type(), v))
		}
		s.term(d.Then, e.bound(d.Var, s.constant(d.Var.Type, v)), some)
	}
}

// drawnRange returns the values that can be drawn if they are a range without weights, otherwise nil.
func drawnRange(d *ir.Draw) *ir.Type {
	n := len(d.Values)
	switch {
	case d.Weights != nil:
		return nil
	case d.Among != nil:
		return d.Among.Type().Elem
	case n == 0 || !slices.IsSorted(d.Values) || d.Values[n-1]-d.Values[0] != int64(n-1):
		return nil
	}
	t := *d.Var.Type
	t.Lo, t.Hi = d.Values[0], d.Values[n-1]
	return &t
}

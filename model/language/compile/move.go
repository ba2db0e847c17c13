package compile

import (
	"math"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A move is what a transition does to its process, and what it sends: a step.Outcome in numbers.
type move struct {
	action  uint32
	next    model.Value
	choice  uint32 // numbers the distributions of a list of moves
	weight  model.Weight
	port    int64 // of a send: the target; else nowhere
	message uint32
	place   string // of a send: for faults
}

// moves appends the outcomes of d, which an action at point leads to, to a list, as its next choice.
func (s *System) moves(list []move, d step.Distribution, point *ir.Point) ([]move, error) {
	choice := choices(list)
	for i := range d {
		o := &d[i]
		num, den := o.Probability.Num(), o.Probability.Denom()
		if den.BitLen() > 32 {
			return nil, &model.Fault{
				Place:   point.Pos.String(),
				Message: "the probability " + o.Probability.String() + " does not fit in two numbers of 32 bits",
			}
		}
		m := move{
			next: s.internLocal(o.Next), choice: choice, port: nowhere, place: o.Place,
			weight: model.Weight{Num: uint32(num.Uint64()), Den: uint32(den.Uint64())},
		}
		if o.Action.Message.Message != nil {
			m.message = s.internMessage(o.Action.Message)
		}
		if o.Action.Kind == model.SendAction {
			m.port = o.Action.Port
		}
		if m.action = s.internAction(o.Action, m.message); m.action > math.MaxUint32/uint32(s.protocol.N)-1 {
			return nil, &model.Fault{Message: "there are more labels than 32 bits can number", Growth: true}
		}
		list = append(list, m)
	}
	return list, nil
}

// choices returns how many choices there are in a list.
func choices(list []move) uint32 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].choice + 1
}

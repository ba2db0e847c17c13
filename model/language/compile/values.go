package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// NumberOf returns the number of a message.
func (s *System) NumberOf(c ir.Content) uint32 {
	return s.messages.number(step.AppendMessage(nil, c), func(m *ir.Content) {
		*m = ir.Content{Message: c.Message, Args: slices.Clone(c.Args), Age: c.Age}
	})
}

// A View shows state vectors to properties. It implements ir.View without allocating, so that one View can
// look at any number of states, one after the other.
type View struct {
	system *System
	state  []model.Value
}

var _ ir.View = (*View)(nil)

// NewView returns a view that shows nothing yet.
func (s *System) NewView() *View { return &View{system: s} }

// Show makes v show a state, which must not change as long as it does.
func (v *View) Show(state []model.Value) { v.state = state }

// Seen implements ir.View.
func (v *View) Seen(p int) ir.Local { return v.system.Seen(v.state[v.system.layout.processes[p]]) }

// Channel implements ir.View.
func (v *View) Channel(link int) []ir.Content {
	return v.system.Contents(v.state[v.system.layout.channels[link]])
}

// SharedValue implements ir.View.
func (v *View) SharedValue(slot int) int64 {
	return v.system.SharedValue(v.state[v.system.layout.shared[slot]])
}

var _ model.Codec = (*System)(nil)

// AppendSlot implements model.Codec.
func (s *System) AppendSlot(buf []byte, slot int, v model.Value) []byte {
	if s.layout.slots[slot].Kind == model.OtherSlot {
		return step.AppendKey(buf, int64(v))
	}
	if s.layout.slots[slot].Kind == model.SharedSlot {
		return step.AppendKey(buf, s.SharedValue(v))
	}
	if s.layout.slots[slot].Kind == model.ChannelSlot {
		return step.AppendContents(buf, s.Contents(v))
	}
	return step.AppendLocal(buf, s.Local(v))
}

// DecodeSlot implements model.Codec.
func (s *System) DecodeSlot(slot int, data []byte) (model.Value, []byte, error) {
	if s.layout.slots[slot].Kind == model.OtherSlot {
		n, rest, err := step.DecodeCount(data)
		kind := ir.FaultKind(slices.Index(s.layout.counters[:], slot))
		if limit, _ := s.machine.Limit(kind); err == nil && n > limit {
			err = step.ErrDamaged
		}
		return model.Value(n), rest, err
	}
	if s.layout.slots[slot].Kind == model.SharedSlot {
		value, rest, err := step.DecodeShared(s.sharedAt(slot), data)
		if err != nil {
			return 0, nil, err
		}
		return s.EncodeShared(value), rest, nil
	}
	if s.layout.slots[slot].Kind == model.ChannelSlot {
		contents, rest, err := s.machine.DecodeContents(data)
		if err != nil {
			return 0, nil, err
		}
		return s.EncodeContents(contents), rest, nil
	}
	local, rest, err := s.machine.DecodeLocal(data)
	if err != nil {
		return 0, nil, err
	}
	return s.locals.number(local), rest, nil
}

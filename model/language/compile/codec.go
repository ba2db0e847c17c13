package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

var _ model.Codec = (*System)(nil)

// AppendSlot implements model.Codec.
func (s *System) AppendSlot(buf []byte, slot int, v model.Value) []byte {
	if s.layout.slots[slot].Kind == model.OtherSlot {
		return step.AppendKey(buf, int64(v))
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
		if limit, _ := s.machine.Limit(step.Budget(slices.Index(s.layout.budgets[:], slot))); err == nil && n > limit {
			err = step.ErrDamaged
		}
		return model.Value(n), rest, err
	}
	if s.layout.slots[slot].Kind == model.ChannelSlot {
		contents, rest, err := s.machine.DecodeContents(data)
		if err != nil {
			return 0, nil, err
		}
		return s.encodeContents(contents), rest, nil
	}
	local, rest, err := s.machine.DecodeLocal(data)
	if err != nil {
		return 0, nil, err
	}
	return s.internLocal(local), rest, nil
}

// encodeContents returns the value of the slot of a channel with the given messages, in the order of Contents.
func (s *System) encodeContents(list []ir.Content) model.Value {
	var messages []uint32
	for _, c := range list {
		messages = append(messages, s.internMessage(c))
	}
	return s.internContents(messages)
}

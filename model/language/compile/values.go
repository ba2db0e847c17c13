package compile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

var _ model.ValueTables = (*System)(nil)

// Messages come first: contents are made of their numbers.
const valueLists = 3

// Entries implements model.ValueTables. There is a list of messages, one of contents and one of local states: the
// number of entries, then each one's key behind its length.
func (s *System) Entries(since []uint32) (entries []byte, lengths []uint32) {
	if since == nil {
		since = make([]uint32, valueLists)
	}
	list := func(first, end uint32, key func(n uint32) []byte) {
		entries = binary.AppendUvarint(entries, uint64(end-first))
		for n := first; n < end; n++ {
			k := key(n)
			entries = append(binary.AppendUvarint(entries, uint64(len(k))), k...)
		}
	}
	lengths = []uint32{s.messages.len(), s.contents.len(), s.locals.len()}
	list(since[0], lengths[0], func(n uint32) []byte { return step.AppendMessage(nil, *s.messages.at(n)) })
	list(since[1], lengths[1], func(n uint32) []byte { return contentsKey(s.contents.at(n).messages) })
	list(since[2], lengths[2], func(n uint32) []byte { return step.AppendLocal(nil, s.locals.at(n).Local) })
	return entries, lengths
}

var errEntries = errors.New("restore the values of a system: they make no sense")

// Restore implements model.ValueTables.
func (s *System) Restore(entries []byte) error {
	next := s.restored
	for list, restore := range []func(key []byte) (uint32, error){s.restoreMessage, s.restoreContents, s.restoreLocal} {
		n, size := binary.Uvarint(entries)
		if size <= 0 {
			return errEntries
		}
		entries = entries[size:]
		for range n {
			length, size := binary.Uvarint(entries)
			if size <= 0 || uint64(len(entries)-size) < length {
				return errEntries
			}
			number, err := restore(entries[size : size+int(length)])
			if err != nil {
				return err
			}
			if number != next[list] {
				return fmt.Errorf("restore the values of a system: one has got number %d in place of %d", number, next[list])
			}
			next[list]++
			entries = entries[size+int(length):]
		}
	}
	s.restored = next
	if len(entries) > 0 {
		return errEntries
	}
	return nil
}

func (s *System) restoreMessage(key []byte) (uint32, error) {
	c, rest, err := s.machine.DecodeMessage(key)
	if err != nil || len(rest) > 0 {
		return 0, errEntries
	}
	return s.internMessage(c), nil
}

func (s *System) restoreContents(key []byte) (uint32, error) {
	var messages []uint32
	for len(key) > 0 {
		m, size := binary.Uvarint(key)
		if size <= 0 || m >= uint64(s.messages.len()) {
			return 0, errEntries
		}
		messages = append(messages, uint32(m))
		key = key[size:]
	}
	return s.internContents(messages), nil
}

func (s *System) restoreLocal(key []byte) (uint32, error) {
	l, rest, err := s.machine.DecodeLocal(key)
	if err != nil || len(rest) > 0 {
		return 0, errEntries
	}
	return s.internLocal(l), nil
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

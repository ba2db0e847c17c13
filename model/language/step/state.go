package step

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A State is a global state.
type State struct {
	Processes []ir.Local
	Channels  [][]ir.Content // by link: see ir.View
	Shared    []int64        // by ir.Var.Slot
	Faults    Tally

	protocol *ir.Protocol // nil if only Processes and Channels matter
}

var _ ir.View = (*State)(nil)

// Seen implements ir.View.
func (s *State) Seen(p int) ir.Local {
	if s.protocol == nil {
		return s.Processes[p]
	}
	at, _ := s.protocol.Ended(s.Processes[p], nil)
	return at
}

// Channel implements ir.View.
func (s *State) Channel(link int) []ir.Content { return s.Channels[link] }

// SharedValue implements ir.View.
func (s *State) SharedValue(slot int) int64 { return s.Shared[slot] }

// Initial calls yield with the initial states until it returns false. An error is a *model.Error.
func (m *Machine) Initial(yield func(*State) bool) error {
	return AsModelError(m.protocol.Initial(func(locals []ir.Local, channels [][]ir.Content, shared []int64) bool {
		s := &State{protocol: m.protocol, Channels: channels, Shared: shared}
		for _, l := range locals {
			s.Processes = append(s.Processes, ir.Local{Point: l.Point, Env: slices.Clone(l.Env)})
		}
		return yield(s)
	}))
}

// Key returns a text that is equal for two states exactly if the states are.
func (s *State) Key() string {
	var key []byte
	for _, l := range s.Processes {
		key = AppendLocal(key, l)
	}
	for _, channel := range s.Channels {
		key = AppendContents(key, channel)
	}
	return string(AppendKey(AppendKey(key, s.Shared...), s.Faults[:]...))
}

// Distinct returns the positions of the distinct messages in a channel, so that each removal gives different contents.
func (m *Machine) Distinct(contents []ir.Content) []int {
	var all []int
	for i := range contents {
		if i == 0 || contents[i-1].Compare(contents[i]) != 0 {
			all = append(all, i)
		}
	}
	return all
}

// Receivable returns the positions of the distinct messages that can be received from a channel.
func (m *Machine) Receivable(contents []ir.Content) []int {
	all := m.Distinct(contents[:m.protocol.Channel.Receivable(len(contents))])
	if t := &m.protocol.Time; t.Delay && t.Lo > 0 {
		all = slices.DeleteFunc(all, func(i int) bool { return m.IsEarly(contents[i]) })
	}
	return all
}

// IsEarly reports whether a message is too young to be received.
func (m *Machine) IsEarly(c ir.Content) bool {
	return m.protocol.Time.Delay && c.Age < m.protocol.Time.Lo
}

// Due reports whether a message has reached its maximal delay.
func (m *Machine) Due(c ir.Content) bool { return m.protocol.Time.Delay && c.Age >= m.protocol.Time.Hi }

// TakesFirst reports whether a process that can receive a due message must do so before it acts on its own.
func (m *Machine) TakesFirst() bool { return m.protocol.Time.Delay && !m.protocol.Time.Racing }

// TickContents returns contents one tick later: messages age, and due ones are dropped, since a tick happens only if no
// process can still receive them.
func (m *Machine) TickContents(contents []ir.Content) []ir.Content {
	if !m.protocol.Time.Delay {
		return contents
	}
	older := slices.DeleteFunc(slices.Clone(contents), m.Due)
	for i := range older {
		older[i].Age++
	}
	return older
}

// Timelock returns the error of a state where nothing can happen because a due message is not received.
func (m *Machine) Timelock(link int, c ir.Content) error {
	to := m.protocol.Links[link].To
	text := fmt.Sprintf("timelock: the time of %s in %s is up, process %d does not take it, and "+
		"nothing else can happen",
		c, m.protocol.FormatLink(link), to)
	return &model.Error{Process: to, Message: text}
}

// AppendKey appends numbers to a key. Varints are prefix-free, so different lists give different keys.
func AppendKey(key []byte, values ...int64) []byte {
	for _, v := range values {
		key = binary.AppendVarint(key, v)
	}
	return key
}

// AppendMessage appends the kind of a message with its age, and its fields. The kind alone means the age 0; else the
// number is negative.
func AppendMessage(key []byte, c ir.Content) []byte {
	kind := int64(c.Message.ID)
	if c.Age > 0 {
		kind = -(c.Age<<kindBits | kind)
	}
	return AppendKey(AppendKey(key, kind), c.Args...)
}

// kindBits is the number of bits of the message kind.
const kindBits = 32

// AppendLocal appends the control point and the values of the variables that are live there.
func AppendLocal(key []byte, l ir.Local) []byte {
	return AppendKey(AppendKey(key, int64(l.Point.ID)), l.Env...)
}

// ErrDamaged means that bytes are not a valid encoding.
var ErrDamaged = errors.New("decode a state: the bytes are not of this spec with these settings")

// AppendContents appends the number of messages in a channel and the messages.
func AppendContents(key []byte, contents []ir.Content) []byte {
	key = binary.AppendUvarint(key, uint64(len(contents)))
	for _, c := range contents {
		key = AppendMessage(key, c)
	}
	return key
}

// DecodeLocal is the inverse of AppendLocal; it returns the rest of the bytes.
func (m *Machine) DecodeLocal(data []byte) (l ir.Local, rest []byte, err error) {
	id, data, ok := cut(data)
	if !ok || id < 0 || id >= int64(len(m.protocol.Points)) {
		return l, nil, ErrDamaged
	}
	l.Point = m.protocol.Points[id]
	for _, v := range l.Point.Live {
		var value int64
		if value, data, ok = cut(data); !ok || !v.Type.Contains(value) {
			return l, nil, ErrDamaged
		}
		l.Env = append(l.Env, value)
	}
	return l, data, nil
}

// DecodeContents is the inverse of AppendContents; it returns the rest of the bytes.
func (m *Machine) DecodeContents(data []byte) (contents []ir.Content, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)) {
		return nil, nil, ErrDamaged
	}
	data = data[size:]
	for range n {
		var c ir.Content
		if c, data, err = m.DecodeMessage(data); err != nil {
			return nil, nil, err
		}
		if last := len(contents) - 1; last >= 0 && !m.protocol.Channel.Ordered() && contents[last].Compare(c) > 0 {
			return nil, nil, ErrDamaged
		}
		contents = append(contents, c)
	}
	return contents, data, nil
}

// DecodeMessage is the inverse of AppendMessage; it returns the rest of the bytes.
func (m *Machine) DecodeMessage(data []byte) (c ir.Content, rest []byte, err error) {
	id, data, ok := cut(data)
	if id < 0 {
		id, c.Age = -id&(1<<kindBits-1), -id>>kindBits
	}
	if !ok || id < 0 || id >= int64(len(m.protocol.Messages)) || c.Age < 0 || c.Age > m.protocol.Time.Hi {
		return c, nil, ErrDamaged
	}
	c.Message = m.protocol.Messages[id]
	for _, f := range c.Message.Fields {
		var value int64
		if value, data, ok = cut(data); !ok || f.Type.Kind != ir.Absent && !f.Type.Contains(value) {
			return c, nil, ErrDamaged
		}
		c.Args = append(c.Args, value)
	}
	return c, data, nil
}

// DecodeShared decodes the value of a shared variable, which AppendKey encodes, at the front of data.
func DecodeShared(v *ir.Var, data []byte) (value int64, rest []byte, err error) {
	value, rest, ok := cut(data)
	if !ok || !v.Type.Contains(value) {
		return 0, nil, ErrDamaged
	}
	return value, rest, nil
}

// DecodeCount decodes a fault count at the front of data.
func DecodeCount(data []byte) (n int64, rest []byte, err error) {
	n, rest, ok := cut(data)
	if !ok || n < 0 {
		return 0, nil, ErrDamaged
	}
	return n, rest, nil
}

// cut decodes a number at the front of data.
func cut(data []byte) (value int64, rest []byte, ok bool) {
	value, size := binary.Varint(data)
	if size <= 0 {
		return 0, nil, false
	}
	return value, data[size:], true
}

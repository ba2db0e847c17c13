package step

import (
	"encoding/binary"
	"errors"

	"ringcheck/model/language/ir"
)

// AppendKey appends numbers to a key. Varints are prefix-free, so different lists give different keys.
func AppendKey(key []byte, values ...int64) []byte {
	for _, v := range values {
		key = binary.AppendVarint(key, v)
	}
	return key
}

// AppendMessage appends the kind of a message with its age, and its fields. The kind alone stands for the age 0; else
// the number is negative.
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

// DecodeLocal is the inverse of AppendLocal; it returns what follows.
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

// DecodeContents is the inverse of AppendContents; it returns what follows.
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
		if last := len(contents) - 1; last >= 0 && m.protocol.Channel == ir.Unordered && contents[last].Compare(c) > 0 {
			return nil, nil, ErrDamaged
		}
		contents = append(contents, c)
	}
	return contents, data, nil
}

// DecodeMessage is the inverse of AppendMessage; it returns what follows.
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

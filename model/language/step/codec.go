package step

import (
	"encoding/binary"

	"ringcheck/model/language/ir"
)

// AppendKey appends numbers to a key. Different lists of numbers make different keys, since no varint is the beginning
// of another.
func AppendKey(key []byte, values ...int64) []byte {
	for _, v := range values {
		key = binary.AppendVarint(key, v)
	}
	return key
}

// AppendMessage appends the kind of a message and its fields.
func AppendMessage(key []byte, c ir.Content) []byte {
	return AppendKey(AppendKey(key, int64(c.Message.ID)), c.Args...)
}

// AppendLocal appends the control point and the values of the variables that are live there.
func AppendLocal(key []byte, l ir.Local) []byte {
	return AppendKey(AppendKey(key, int64(l.Point.ID)), l.Env...)
}

package store

import "encoding/binary"

// The kinds of keys.
const (
	runKey    = 'r'
	tableKey  = 't'
	recordKey = 'c'
)

const keyBytes = 1 + 4 + 8

// appendKey appends the key of a block of a run or of an entry of a table.
func appendKey(b []byte, kind byte, number uint32, at uint64) []byte {
	return binary.BigEndian.AppendUint64(appendPrefix(b, kind, number), at)
}

// appendPrefix appends what the keys of a run or a table begin with.
func appendPrefix(b []byte, kind byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(append(b, kind), number)
}

// splitKey is the inverse of appendKey.
func splitKey(key []byte) (kind byte, number uint32, at uint64, ok bool) {
	if len(key) != keyBytes {
		return 0, 0, 0, false
	}
	return key[0], binary.BigEndian.Uint32(key[1:]), binary.BigEndian.Uint64(key[5:]), true
}

package store

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// BlockIDs is the number of state IDs in a block: some 12 kB. Smaller ones cost more look-ups, larger ones more state IDs that
// are decoded in vain where candidates are far apart.
const BlockIDs = 1 << 13

const lowHalf = 1<<32 - 1

// appendBlock appends the encoding of ascending state IDs, of which the first is known from the key.
func appendBlock(b []byte, ids []uint64) []byte {
	low := uint64(0)
	for _, id := range ids {
		low |= id & lowHalf
	}
	width := uint(bits.Len64(low))
	b = binary.AppendUvarint(b, uint64(len(ids)))
	b = binary.AppendUvarint(b, uint64(width))
	before := pack(ids[0], width)
	for _, id := range ids[1:] {
		x := pack(id, width)
		b = binary.AppendUvarint(b, x-before)
		before = x
	}
	return b
}

// pack pushes the halves of a state ID together, and keeps the order.
func pack(id uint64, width uint) uint64 { return id>>32<<width | id&lowHalf }

// decodeBlock appends the state IDs of a block to out. It reports whether the block makes sense.
func decodeBlock(b []byte, first uint64, out []uint64) ([]uint64, bool) {
	count, n := binary.Uvarint(b)
	if n <= 0 || count == 0 || count > BlockIDs {
		return out, false
	}
	b = b[n:]
	width, n := binary.Uvarint(b)
	if n <= 0 || width > 32 {
		return out, false
	}
	b = b[n:]
	from := len(out)
	out = slices.Grow(out, int(count))[:from+int(count)]
	out[from] = first
	rest, ok := decodeDifferences(b, first, uint(width), out[from+1:])
	return out, ok && len(rest) == 0
}

// decodeDifferences fills out with the state IDs after first and returns what is left of b.
func decodeDifferences(b []byte, first uint64, width uint, out []uint64) ([]byte, bool) {
	x, low := pack(first, width), uint64(1)<<width-1
	for i := range out {
		// Most differences take one byte or two.
		var d uint64
		switch {
		case len(b) > 0 && b[0] < 0x80:
			d = uint64(b[0])
			b = b[1:]
		case len(b) > 1 && b[1] < 0x80:
			d = uint64(b[0])&0x7f | uint64(b[1])<<7
			b = b[2:]
		default:
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return nil, false
			}
			d = v
			b = b[n:]
		}
		x += d
		out[i] = x>>(width&63)<<32 | x&low
	}
	return b, true
}

const hashBytes = 8

// seal writes the checksum of a key and a value into the room left for it at the front of the value.
func seal(key, value []byte) {
	binary.LittleEndian.PutUint64(value, checksum(key, value[hashBytes:]))
}

// unseal returns a value without its checksum, and whether that is right.
func unseal(key, value []byte) ([]byte, bool) {
	if len(value) < hashBytes {
		return nil, false
	}
	data := value[hashBytes:]
	return data, binary.LittleEndian.Uint64(value) == checksum(key, data)
}

func checksum(key, data []byte) uint64 {
	return xxhash.Sum64(key) ^ bits.RotateLeft64(xxhash.Sum64(data), 1)
}

// The kinds of keys.
const (
	runKey   = 'r'
	tableKey = 't'
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

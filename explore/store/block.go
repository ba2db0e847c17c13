package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// BlockIDs is the maximum number of state IDs in a block. A block, of about 24 kB, is read and checked as a whole.
const BlockIDs = 1 << 14

// filterBits is the logarithm of the bits in a filter: an eighth of a second-level cache, enough for ManyCandidates.
const filterBits = 20

// ManyCandidates is the intended maximum number of candidates in a range.
const ManyCandidates = 1 << filterBits / 16

// sectionIDs is the number of state IDs that are decoded at a time. Sections without a candidate are skipped.
const sectionIDs = 1 << 7

const lowHalf = 1<<32 - 1

// Two bits, the code of a difference, select its size in bytes and the mask of these.
var (
	sizes = [4]uint8{1, 2, 3, 8}
	masks = [4]uint64{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, math.MaxUint64}
)

func sizeOf(difference uint64) int {
	switch {
	case difference <= masks[0]:
		return 0
	case difference <= masks[1]:
		return 1
	case difference <= masks[2]:
		return 2
	}
	return 3
}

// appendBlock appends the encoding of ascending state IDs. The reader knows the first from the key.
func appendBlock(b []byte, ids []uint64) []byte {
	low := uint64(0)
	for _, id := range ids {
		low |= id & lowHalf
	}
	width := uint(bits.Len64(low))
	b = binary.AppendUvarint(b, uint64(len(ids)))
	b = binary.AppendUvarint(b, uint64(width))
	before := pack(ids[0], width)
	for section := range slices.Chunk(ids, sectionIDs) {
		first := pack(section[0], width)
		b = binary.AppendUvarint(b, first-before)
		b = binary.AppendUvarint(b, uint64(sectionSize(section, width)))
		before = first
	}
	for section := range slices.Chunk(ids, sectionIDs) {
		b = appendSection(b, section, width)
	}
	return b
}

func sectionSize(ids []uint64, width uint) int {
	n, before := codeBytes(len(ids)), pack(ids[0], width)
	for _, id := range ids[1:] {
		x := pack(id, width)
		n += int(sizes[sizeOf(x-before)])
		before = x
	}
	return n
}

// codeBytes returns the number of bytes of the codes of the given number of state IDs.
func codeBytes(ids int) int { return (ids - 1 + 3) / 4 }

// appendSection appends the codes of the differences of state IDs, four to a byte, then the differences.
func appendSection(b []byte, ids []uint64, width uint) []byte {
	at := len(b)
	for range codeBytes(len(ids)) {
		b = append(b, 0)
	}
	before := pack(ids[0], width)
	for i, id := range ids[1:] {
		x := pack(id, width)
		size := sizeOf(x - before)
		b[at+i/4] |= byte(size << (i % 4 * 2))
		end := len(b) + int(sizes[size])
		b = binary.LittleEndian.AppendUint64(b, x-before)[:end]
		before = x
	}
	return b
}

// pack removes the unused bits between the halves of a state ID, which keeps the order.
func pack(id uint64, width uint) uint64 { return id>>32<<width | id&lowHalf }

// unpack is the inverse of pack.
func unpack(x uint64, width uint) uint64 { return x>>(width&63)<<32 | x&(1<<(width&63)-1) }

// A section is a part of a block that can be decoded by itself.
type section struct {
	first uint64 // the first state ID
	count int
	data  []byte // from the section to the end of the block
	size  int    // the length of the section in data
}

// A decoder is a block that is being read.
type decoder struct {
	width    uint
	sections []section
}

// open makes d the decoder of a block, and reports whether its header is valid.
func (d *decoder) open(b []byte, first uint64) bool {
	count, n := binary.Uvarint(b)
	if n <= 0 || count == 0 || count > BlockIDs {
		return false
	}
	width, m := binary.Uvarint(b[n:])
	if m <= 0 || width > 32 {
		return false
	}
	b = b[n+m:]
	d.width, d.sections = uint(width), d.sections[:0]
	x := pack(first, d.width)
	for left := int(count); left > 0; left -= sectionIDs {
		difference, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		size, m := binary.Uvarint(b[n:])
		if m <= 0 || size > uint64(len(b)) {
			return false
		}
		b = b[n+m:]
		x += difference
		d.sections = append(d.sections, section{unpack(x, d.width), min(left, sectionIDs), nil, int(size)})
	}
	d.sections[0].first = first
	for i := range d.sections {
		s := &d.sections[i]
		if s.size > len(b) {
			return false
		}
		s.data, b = b, b[s.size:]
	}
	return len(b) == 0
}

// decode fills out with the state IDs of a section, and reports whether the section is valid.
func (d *decoder) decode(s *section, out *[sectionIDs]uint64) bool {
	begin := codeBytes(s.count)
	if begin > s.size {
		return false
	}
	codes, data := s.data[:begin], s.data[begin:]
	out[0] = s.first
	x, width := pack(s.first, d.width), d.width&63
	low := uint64(1)<<width - 1
	i := 1
	for ; i+4 <= s.count && len(data) >= 32; i += 4 { // like the loop below, four at a time
		code, four := codes[i/4], (*[4]uint64)(out[i:i+4])
		x += binary.LittleEndian.Uint64(data) & masks[code&3]
		four[0] = x>>width<<32 | x&low
		data = data[sizes[code&3]:]
		x += binary.LittleEndian.Uint64(data) & masks[code>>2&3]
		four[1] = x>>width<<32 | x&low
		data = data[sizes[code>>2&3]:]
		x += binary.LittleEndian.Uint64(data) & masks[code>>4&3]
		four[2] = x>>width<<32 | x&low
		data = data[sizes[code>>4&3]:]
		x += binary.LittleEndian.Uint64(data) & masks[code>>6]
		four[3] = x>>width<<32 | x&low
		data = data[sizes[code>>6]:]
	}
	for ; i < s.count; i++ {
		code := codes[(i-1)/4] >> ((i - 1) % 4 * 2) & 3
		if int(sizes[code]) > len(data) {
			return false
		}
		var word [8]byte
		copy(word[:], data)
		x += binary.LittleEndian.Uint64(word[:]) & masks[code]
		data = data[sizes[code]:]
		out[i] = x>>width<<32 | x&low
	}
	return len(s.data)-len(data) == s.size
}

// decodeBlock appends the state IDs of a block to out. It reports whether the block is valid.
func (d *decoder) decodeBlock(b []byte, first uint64, out []uint64) ([]uint64, bool) {
	if !d.open(b, first) {
		return out, false
	}
	from := len(out)
	out = slices.Grow(out, len(d.sections)*sectionIDs)
	for i := range d.sections {
		s := &d.sections[i]
		next := (*[sectionIDs]uint64)(out[len(out) : len(out)+sectionIDs])
		if !d.decode(s, next) {
			return out[:from], false
		}
		out = out[:len(out)+s.count]
	}
	return out, true
}

const hashBytes = 8

// seal writes the checksum of a key and a value into the space reserved at the front of the value.
func seal(key, value []byte) {
	binary.LittleEndian.PutUint64(value, checksum(key, value[hashBytes:]))
}

// unseal returns a value without its checksum, and an error that begins with doing unless the checksum is correct.
func unseal(doing string, key, value []byte) ([]byte, error) {
	if len(value) < hashBytes || binary.LittleEndian.Uint64(value) != checksum(key, value[hashBytes:]) {
		return nil, fmt.Errorf("%s: %w: a checksum is wrong", doing, ErrDamaged)
	}
	return value[hashBytes:], nil
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

// appendPrefix appends the common prefix of the keys of a run or a table.
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

// RemoveKnown removes the known elements of a slice, in place.
func RemoveKnown[T any](all []T, known []bool) []T {
	n := 0
	for i, x := range all {
		all[n] = x
		if !known[i] {
			n++
		}
	}
	return all[:n]
}

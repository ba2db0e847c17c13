package compile

import (
	"math/bits"

	"ringcheck/model/language/ir"
)

// A packing says how lists of values of some types are packed into words of wordBits bits each, one value after the
// other, the low bits first.
type packing []packedField

type packedField struct {
	low  int64 // is packed as 0
	bits uint8
}

// wordBits is the number of bits of a word: a pair of such words takes the least memory in an intern.Numbering.
const wordBits = 26

// add adds a value of a type.
func (p packing) add(t *ir.Type) packing {
	f := packedField{low: t.Lo, bits: uint8(bits.Len64(uint64(t.Hi) - uint64(t.Lo)))}
	if t.Kind == ir.Absent {
		f = packedField{bits: 64}
	}
	return append(p, f)
}

// words returns the number of words after some bits.
func (p packing) words(bits int) int {
	for _, f := range p {
		bits += int(f.bits)
	}
	return (bits + wordBits - 1) / wordBits
}

// A packer writes or reads packed values, from the bit at on.
type packer struct {
	words []uint32
	at    int
}

// put appends the low bits of a value.
func (p *packer) put(value uint64, width int) {
	for width > 0 {
		i, shift := p.at/wordBits, p.at%wordBits
		n := min(width, wordBits-shift)
		p.words[i] |= uint32(value&(1<<n-1)) << shift
		value >>= n
		width -= n
		p.at += n
	}
}

// get is the inverse of put.
func (p *packer) get(width int) (value uint64) {
	for done := 0; done < width; {
		i, shift := p.at/wordBits, p.at%wordBits
		n := min(width-done, wordBits-shift)
		value |= uint64(p.words[i]>>shift&(1<<n-1)) << done
		done += n
		p.at += n
	}
	return value
}

// putAll appends values, which are of the types of the packing.
func (p *packer) putAll(as packing, values []int64) {
	for i, f := range as {
		value := uint64(values[i]) - uint64(f.low)
		if value>>(f.bits&63) != 0 && f.bits < 64 {
			panic("compile: a value is not of its type")
		}
		p.put(value, int(f.bits))
	}
}

// appendAll is the inverse of putAll.
func (p *packer) appendAll(as packing, values []int64) []int64 {
	for _, f := range as {
		values = append(values, int64(p.get(int(f.bits))+uint64(f.low)))
	}
	return values
}

package simulate

import "encoding/binary"

// A bucket of the calendar holds the messages that will be old enough at one moment, in the order in which they were
// sent. Nobody looks at them before, so they are packed: what a process sends to one after the other differs in the
// receiver only, and takes some two bytes a message.
type bucket struct {
	blocks [][]byte
	rest   []uint64 // what the last letter says besides its receiver
	to     int64    // the receiver of the last letter
}

// blockSize is the size of a block in bytes.
const blockSize = 1 << 15

// write adds a letter: the way from the last receiver to its own, and a bit that says whether the rest has changed, and
// then follows. An empty block is taken from those that are spare.
func (bk *bucket) write(lay *layout, l letter, spare *[][]byte) {
	if last := len(bk.blocks) - 1; last < 0 || len(bk.blocks[last])+binary.MaxVarintLen64*(1+len(l)) > blockSize {
		bk.blocks = append(bk.blocks, taken(spare))
	}
	b := &bk.blocks[len(bk.blocks)-1]
	to := lay.to.get(l)
	way := to - bk.to
	word := uint64(way<<1^way>>63) << 1
	bk.to = to
	changed := bk.rest == nil
	if changed {
		bk.rest = make([]uint64, len(l))
	}
	for i := range l {
		if x := lay.rest(l, i); x != bk.rest[i] {
			bk.rest[i], changed = x, true
		}
	}
	if !changed {
		*b = binary.AppendUvarint(*b, word)
		return
	}
	*b = binary.AppendUvarint(*b, word|1)
	for _, x := range bk.rest {
		*b = binary.AppendUvarint(*b, x)
	}
}

// taken takes a block of those that are spare, or makes one.
func taken(spare *[][]byte) []byte {
	last := len(*spare) - 1
	if last < 0 {
		return make([]byte, 0, blockSize)
	}
	b := (*spare)[last]
	*spare = (*spare)[:last]
	return b[:0]
}

// read calls do with the letters of a bucket, in their order. A letter is valid until the next one.
func (bk *bucket) read(lay *layout, do func(letter)) {
	l, rest, to := make(letter, lay.words), make([]uint64, lay.words), int64(0)
	for _, b := range bk.blocks {
		next := func() uint64 {
			x, n := binary.Uvarint(b)
			b = b[n:]
			return x
		}
		for len(b) > 0 {
			word := next()
			to += int64(word>>2) ^ -int64(word>>1&1)
			if word&1 != 0 {
				for i := range rest {
					rest[i] = next()
				}
			}
			copy(l, rest)
			l[0] = rest[0] << lay.head
			lay.to.put(l, to)
			do(l)
		}
	}
}

// clear makes a bucket empty. Its blocks are spare then.
func (bk *bucket) clear(spare *[][]byte) {
	*spare = append(*spare, bk.blocks...)
	*bk = bucket{blocks: bk.blocks[:0]}
}

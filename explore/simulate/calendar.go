package simulate

import "encoding/binary"

// A bucket of the calendar holds the messages that can be received from one point in time on, in the order of sending.
// Nothing reads them before, so they are compressed: consecutive messages of a process often differ only in the
// receiver and then take about two bytes each.
type bucket struct {
	blocks [][]byte
	rest   []uint64 // the last record without its receiver
	to     int64    // the receiver of the last record
}

// blockSize is the size of a block in bytes.
const blockSize = 1 << 15

// write appends a record: the difference between its receiver and the previous one, a bit that says whether the rest
// differs, and if so the rest. It takes empty blocks from spare.
func (bk *bucket) write(lay *layout, l record, spare *[][]byte) {
	if last := len(bk.blocks) - 1; last < 0 || len(bk.blocks[last])+binary.MaxVarintLen64*(1+len(l)) > blockSize {
		bk.blocks = append(bk.blocks, takeBlock(spare))
	}
	b := &bk.blocks[len(bk.blocks)-1]
	to := lay.to.get(l)
	delta := to - bk.to
	word := uint64(delta<<1^delta>>63) << 1 // zigzag
	bk.to = to
	changed := bk.rest == nil
	if changed {
		bk.rest = make([]uint64, len(l))
	}
	for i := range l {
		if x := lay.contentWord(l, i); x != bk.rest[i] {
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

// takeBlock returns a spare block, or a new one.
func takeBlock(spare *[][]byte) []byte {
	last := len(*spare) - 1
	if last < 0 {
		return make([]byte, 0, blockSize)
	}
	b := (*spare)[last]
	*spare = (*spare)[:last]
	return b[:0]
}

// read calls do for the records of a bucket in order. A record is valid during the call.
func (bk *bucket) read(lay *layout, do func(record)) {
	l, rest, to := make(record, lay.words), make([]uint64, lay.words), int64(0)
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

// clear empties a bucket and gives its blocks to spare.
func (bk *bucket) clear(spare *[][]byte) {
	*spare = append(*spare, bk.blocks...)
	*bk = bucket{blocks: bk.blocks[:0]}
}

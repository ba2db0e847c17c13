package level

import (
	"encoding/binary"
	"slices"
)

// Before compression a chunk is stored by columns, since the values of one slot resemble each other more than those of
// different slots:
//
//	for each left half: uvarint how many states have it
//	a byte for each slot: how many bytes a number takes in its columns, 0 if all are 0
//	for each slot of the left half, and each of those bytes: that of each left half
//	for each slot of the right half, and each of those bytes: that of each state
//	if what is asleep is there: uvarint number of different sets, these as uvarint, and uvarint for each state: which set
//
// All in the order of states; of the bytes of a number the lowest comes first.

// maxChunk bounds the size of a chunk in bytes.
const maxChunk = 1 << 28

// columns is a chunk.
type columns[H half] struct {
	lefts  []H
	sizes  []int    // how many states have each left half
	rights [][]byte // to be read: for each slot its columns, one behind the other
	rest   decoder  // what is behind them
	count  int      // of states
	layout Layout

	halves  []H // to be written
	numbers []uint32
}

// appendChunk encodes the states of a chunk.
func (c *columns[H]) appendChunk(buf []byte, items []item[H], l Layout, sleeps bool) []byte {
	c.split(items)
	for _, n := range c.sizes {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	at := len(buf)
	buf = append(buf, make([]byte, len(l.widths))...)
	buf = c.appendColumns(buf, c.lefts, l.left(), at)
	buf = c.appendColumns(buf, c.halves, l.right(), at+l.split)
	if sleeps {
		buf = appendSets(buf, items)
	}
	return buf
}

// split fills c with the halves of items.
func (c *columns[H]) split(items []item[H]) {
	c.lefts, c.halves, c.sizes = c.lefts[:0], c.halves[:0], c.sizes[:0]
	for i := range items {
		if i == 0 || items[i].left != items[i-1].left {
			c.lefts, c.sizes = append(c.lefts, items[i].left), append(c.sizes, 0)
		}
		c.sizes[len(c.sizes)-1]++
		c.halves = append(c.halves, items[i].right)
	}
}

// appendColumns encodes halves, and sets how many bytes a number takes, from buf[at] on. The last slots are in the
// lowest bits of a half, so it fills the columns from the last one to the first.
func (c *columns[H]) appendColumns(buf []byte, halves []H, widths []uint8, at int) []byte {
	n := len(halves)
	c.numbers = slices.Grow(c.numbers[:0], n*len(widths))[:n*len(widths)]
	for slot := len(widths) - 1; slot >= 0; slot-- {
		column := c.numbers[slot*n : (slot+1)*n]
		for i := range halves {
			column[i] = pop(&halves[i], widths[slot])
		}
	}
	for slot := range widths {
		column := c.numbers[slot*n : (slot+1)*n]
		bits := uint32(0)
		for _, number := range column {
			bits |= number
		}
		for ; bits != 0; bits >>= 8 {
			shift := 8 * buf[at+slot]
			for _, number := range column {
				buf = append(buf, byte(number>>shift))
			}
			buf[at+slot]++
		}
	}
	return buf
}

// open makes c the chunk of count states encoded in raw.
func (c *columns[H]) open(raw []byte, count int, l Layout) bool {
	d := decoder{data: raw}
	c.count, c.layout, c.sizes = count, l, c.sizes[:0]
	for left := count; left > 0; {
		n := int(min(d.number(), uint64(count+1)))
		if n == 0 || n > left {
			return false
		}
		c.sizes = append(c.sizes, n)
		left -= n
	}
	bytes := d.bytes(len(l.widths))
	if d.bad {
		return false
	}
	n := len(c.sizes)
	c.rights = c.rights[:0]
	for slot := range l.left() {
		c.rights = append(c.rights, d.bytes(n*int(bytes[slot])))
	}
	c.lefts = slices.Grow(c.lefts[:0], n)[:n]
	ok := gather(c.lefts, c.rights, n, 0, l.left())
	c.rights = c.rights[:0]
	for slot := range l.right() {
		c.rights = append(c.rights, d.bytes(count*int(bytes[l.split+slot])))
	}
	c.rest = d
	return ok && !d.bad
}

// gather decodes halves from columns of the given height, starting at row first.
func gather[H half](halves []H, columns [][]byte, height, first int, widths []uint8) (ok bool) {
	over := uint64(0)
	for i := range halves {
		var h H
		for slot, column := range columns {
			number := uint64(0)
			if len(column) > 0 {
				number = uint64(column[first+i])
				for at, shift := first+i+height, 8; at < len(column); at, shift = at+height, shift+8 {
					number |= uint64(column[at]) << shift
				}
			}
			over |= number >> widths[slot]
			push(&h, uint32(number), widths[slot])
		}
		halves[i] = h
	}
	return over == 0
}

// takeItems decodes the states of the chunk into items, which has the right length.
func (c *columns[H]) takeItems(items []item[H], sleeps bool) bool {
	c.halves = slices.Grow(c.halves[:0], c.count)[:c.count]
	if !gather(c.halves, c.rights, c.count, 0, c.layout.right()) {
		return false
	}
	i := 0
	for group, n := range c.sizes {
		for range n {
			items[i] = item[H]{left: c.lefts[group], right: c.halves[i]}
			i++
		}
	}
	d := c.rest
	if sleeps {
		takeSets(&d, items)
	}
	return !d.bad && len(d.data) == 0
}

// appendSets encodes the sleep sets of the items.
func appendSets[H half](buf []byte, items []item[H]) []byte {
	var sets []uint64
	for i := range items {
		sets = append(sets, items[i].asleep)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	buf = binary.AppendUvarint(buf, uint64(len(sets)))
	for _, s := range sets {
		buf = binary.AppendUvarint(buf, s)
	}
	for i := range items {
		at, _ := slices.BinarySearch(sets, items[i].asleep)
		buf = binary.AppendUvarint(buf, uint64(at))
	}
	return buf
}

// takeSets reverses appendSets.
func takeSets[H half](d *decoder, items []item[H]) {
	sets := make([]uint64, d.count())
	for i := range sets {
		sets[i] = d.number()
	}
	for i := range items {
		at := d.number()
		if at >= uint64(len(sets)) {
			d.bad = true
			return
		}
		items[i].asleep = sets[at]
	}
}

package level

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Before compression a chunk is stored by columns, since the values of one slot resemble each other more than the
// values of different slots:
//
//	for each left half: uvarint number of states that have it
//	a byte for each column of numbers: the number of columns of bytes that it takes, 0 if all numbers are 0
//	for each slot of the left half, and each such column: its byte of each left half
//	for each slot of the right half, and each such column: its byte of each state
//	if what is asleep is there: the same for the two halves of the sets
//
// All in the order of states; of the bytes of a number the lowest comes first.

// maxChunk bounds the size of a chunk in bytes.
const maxChunk = 1 << 28

// columns is a chunk.
type columns[H half] struct {
	lefts  []H
	sizes  []int    // how many states have each left half
	rights [][]byte // to be read: for each slot its columns, one after the other
	sets   [][]byte // the same for what is asleep
	count  int      // of states
	layout Layout

	halves  []H // to be written
	asleep  []set
	numbers []uint32
}

// A set is a sleep set, stored as two numbers.
type set = [1]uint64

var setWidths = []uint8{32, 32}

// appendChunk encodes the states of a chunk.
func (c *columns[H]) appendChunk(buf []byte, items []item[H], l Layout, sleeps bool) []byte {
	c.split(items)
	for _, n := range c.sizes {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	at := len(buf)
	buf = append(buf, make([]byte, columnCount(l, sleeps))...)
	buf = appendColumns(buf, at, c.lefts, l.left(), &c.numbers)
	buf = appendColumns(buf, at+l.split, c.halves, l.right(), &c.numbers)
	if sleeps {
		buf = appendColumns(buf, at+len(l.widths), c.asleep, setWidths, &c.numbers)
	}
	return buf
}

// columnCount returns the number of columns of numbers that a chunk has.
func columnCount(l Layout, sleeps bool) int {
	if sleeps {
		return len(l.widths) + len(setWidths)
	}
	return len(l.widths)
}

// split fills c with the halves of items and what is asleep.
func (c *columns[H]) split(items []item[H]) {
	c.lefts, c.halves, c.sizes, c.asleep = c.lefts[:0], c.halves[:0], c.sizes[:0], c.asleep[:0]
	for i := range items {
		if i == 0 || items[i].left != items[i-1].left {
			c.lefts, c.sizes = append(c.lefts, items[i].left), append(c.sizes, 0)
		}
		c.sizes[len(c.sizes)-1]++
		c.halves, c.asleep = append(c.halves, items[i].right), append(c.asleep, set{items[i].asleep})
	}
}

// appendColumns encodes halves, and sets how many bytes a number takes, from buf[at] on. The last slots are in the
// lowest bits of a half, so it fills the columns from the last one to the first.
func appendColumns[H half](buf []byte, at int, halves []H, widths []uint8, spare *[]uint32) []byte {
	n := len(halves)
	*spare = slices.Grow((*spare)[:0], n*len(widths))[:n*len(widths)]
	numbers := *spare
	for slot := len(widths) - 1; slot >= 0; slot-- {
		column := numbers[slot*n : (slot+1)*n]
		for i := range halves {
			column[i] = pop(&halves[i], widths[slot])
		}
	}
	for slot := range widths {
		column := numbers[slot*n : (slot+1)*n]
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
func (c *columns[H]) open(raw []byte, count int, l Layout, sleeps bool) bool {
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
	bytes := d.bytes(columnCount(l, sleeps))
	if d.bad {
		return false
	}
	take := func(columns [][]byte, height int, bytes []byte) [][]byte {
		columns = columns[:0]
		for _, n := range bytes {
			columns = append(columns, d.bytes(height*int(n)))
		}
		return columns
	}
	n := len(c.sizes)
	c.lefts = slices.Grow(c.lefts[:0], n)[:n]
	c.rights = take(c.rights, n, bytes[:l.split])
	ok := gather(c.lefts, c.rights, n, 0, l.left())
	c.rights = take(c.rights, count, bytes[l.split:len(l.widths)])
	c.sets = take(c.sets, count, bytes[len(l.widths):])
	return ok && !d.bad && len(d.data) == 0
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
func (c *columns[H]) takeItems(items []item[H]) bool {
	c.halves, c.asleep = slices.Grow(c.halves[:0], c.count)[:c.count], slices.Grow(c.asleep[:0], c.count)[:c.count]
	ok := gather(c.halves, c.rights, c.count, 0, c.layout.right()) && gather(c.asleep, c.sets, c.count, 0, setWidths)
	i := 0
	for group, n := range c.sizes {
		for range n {
			items[i] = item[H]{c.lefts[group], c.halves[i], c.asleep[i][0]}
			i++
		}
	}
	return ok
}

// ErrDamaged means that a file or block is corrupt.
var ErrDamaged = errors.New("damaged")

// A decoder reads numbers from the front of data. After the first error it is bad and reads nothing more.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

// count reads the number of elements that take at least a byte each.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.data)) {
		d.bad, d.data = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		d.bad, d.data = true, nil
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

// The compressed form is deterministic. Blocks get a better compression than files: they are smaller, written and read
// once, and sent over a network.
var (
	fileCompressor  = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedFastest) })
	blockCompressor = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedDefault) })
	decompressor    = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxChunk))
		if err != nil {
			panic(err) // the options are constant
		}
		return d
	})
)

func newCompressor(l zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
}

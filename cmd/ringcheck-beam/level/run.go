package level

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// A run is a sorted list of states, in a file or in a block sent from one shard to another:
//
//	magic
//	uvarint slots before the split, slots; a byte: 1 if what is asleep is there
//	chunks of up to chunkItems states
//	uvarint 0, uvarint number of all states
//
// A chunk:
//
//	uvarint number of states (not 0)
//	the last state: uvarint for each slot, the number of its word
//	uvarint length of the rest
//	8 bytes, the xxhash of the lines before and the rest
//	the rest, compressed: see chunk.go
//
// It does not include the layout of keys, which differs from level to level.
const (
	magic      = "ringcheck run 2\n"
	chunkItems = 1 << 13
)

// A runWriter writes a run.
type runWriter[H half] struct {
	out      io.Writer
	compress *zstd.Encoder
	layout   Layout
	sleeps   bool
	items    []item[H]
	columns  columns[H]
	raw, buf []byte
	count    uint64
	bytes    uint64
	err      error
}

// newRunWriter begins a run.
func newRunWriter[H half](out io.Writer, l Layout, sleeps bool) *runWriter[H] {
	w := &runWriter[H]{out: out, compress: fileCompressor(), layout: l, sleeps: sleeps}
	head := binary.AppendUvarint([]byte(magic), uint64(l.split))
	head = binary.AppendUvarint(head, uint64(len(l.widths)))
	w.write(append(head, flag(sleeps)))
	return w
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (w *runWriter[H]) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.bytes += uint64(len(b))
	}
}

// add appends a state whose key is larger than all before.
func (w *runWriter[H]) add(x item[H]) {
	if len(w.items) == chunkItems {
		w.flush()
	}
	w.items = append(w.items, x)
}

// flush writes a chunk.
func (w *runWriter[H]) flush() {
	if len(w.items) == 0 {
		return
	}
	w.raw = w.columns.appendChunk(w.raw[:0], w.items, w.layout, w.sleeps)
	w.buf = w.compress.EncodeAll(w.raw, w.buf[:0])
	last := &w.items[len(w.items)-1]
	numbers := append(numbersOf(last.left, w.layout.left()), numbersOf(last.right, w.layout.right())...)
	head := appendHead(nil, len(w.items), numbers, len(w.buf))
	head = binary.LittleEndian.AppendUint64(head, chunkSum(head, w.buf))
	w.write(head)
	w.write(w.buf)
	w.count += uint64(len(w.items))
	w.items = w.items[:0]
}

func appendHead(buf []byte, count int, last []uint32, length int) []byte {
	buf = binary.AppendUvarint(buf, uint64(count))
	for _, n := range last {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	return binary.AppendUvarint(buf, uint64(length))
}

func chunkSum(head, rest []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(head) // never fails
	d.Write(rest)
	return d.Sum64()
}

// close ends the run.
func (w *runWriter[H]) close() error {
	w.flush()
	w.write(binary.AppendUvarint([]byte{0}, w.count))
	return w.err
}

// A runReader reads a run, chunk by chunk, in a given layout of the keys.
type runReader[H half] struct {
	in       *bufio.Reader
	layout   Layout
	sleeps   bool
	items    []item[H] // of the chunk that was read last
	columns  columns[H]
	count    uint64 // of the chunks that were read or skipped
	raw, buf []byte
	head     chunkHead[H] // of the next chunk
	last     []uint32     // its last state
}

// A chunkHead precedes the data of a chunk.
type chunkHead[H half] struct {
	count, length int
	last          item[H]
	sum           uint64
}

// newRunReader returns a reader of a run.
func newRunReader[H half](in io.Reader, l Layout) (*runReader[H], error) {
	r := &runReader[H]{in: bufio.NewReaderSize(in, 1<<16), layout: l, last: make([]uint32, len(l.widths))}
	found := make([]byte, len(magic))
	if _, err := io.ReadFull(r.in, found); err != nil || string(found) != magic {
		return nil, damagedError("it does not begin as a run does", nil)
	}
	split, err := binary.ReadUvarint(r.in)
	slots, slotsErr := binary.ReadUvarint(r.in)
	b, flagErr := r.in.ReadByte()
	r.sleeps = b == 1
	switch err := errors.Join(err, slotsErr, flagErr); {
	case err != nil:
		return nil, damagedError("", err)
	case slots != uint64(len(l.widths)) || split != uint64(l.split) || b > 1:
		return nil, damagedError("it is that of another system", nil)
	}
	return r, r.nextHead()
}

func damagedError(what string, err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrDamaged, what)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return err
}

// nextHead reads the head of the next chunk or the end of the run.
func (r *runReader[H]) nextHead() error {
	h := &r.head
	*h = chunkHead[H]{}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return damagedError("", err)
	}
	if n == 0 {
		if total, err := binary.ReadUvarint(r.in); err != nil || total != r.count {
			return damagedError("states are missing", err)
		}
		return nil
	}
	for slot := range r.last {
		number, err := binary.ReadUvarint(r.in)
		if err != nil {
			return damagedError("", err)
		}
		if number >= 1<<r.layout.widths[slot] {
			return damagedError("a state has an unknown word", nil)
		}
		r.last[slot] = uint32(number)
	}
	length, err := binary.ReadUvarint(r.in)
	var sum [8]byte
	_, sumErr := io.ReadFull(r.in, sum[:])
	switch err := errors.Join(err, sumErr); {
	case err != nil:
		return damagedError("", err)
	case n > chunkItems || length > maxChunk:
		return damagedError("a chunk is too large", nil)
	}
	split := r.layout.split
	h.last.left, h.last.right = pack[H](r.last[:split], r.layout.left()), pack[H](r.last[split:], r.layout.right())
	h.count, h.length, h.sum = int(n), int(length), binary.LittleEndian.Uint64(sum[:])
	return nil
}

// next reads the next chunk into r.items, which is valid until the following call and empty at the end.
func (r *runReader[H]) next() error {
	n, err := r.load()
	r.items = slices.Grow(r.items[:0], n)[:n]
	if n == 0 || err != nil {
		return err
	}
	if !r.columns.takeItems(r.items) {
		return damagedError("a chunk cannot be read", nil)
	}
	return nil
}

// load reads the next chunk into r.columns and returns its number of states, 0 at the end.
func (r *runReader[H]) load() (int, error) {
	n := r.head.count
	if n == 0 {
		return 0, nil
	}
	r.buf = slices.Grow(r.buf[:0], r.head.length)[:r.head.length]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return 0, damagedError("", err)
	}
	r.raw = appendHead(r.raw[:0], n, r.last, r.head.length)
	if chunkSum(r.raw, r.buf) != r.head.sum {
		return 0, damagedError("a chunk is not what was written", nil)
	}
	var err error
	if r.raw, err = decompressor().DecodeAll(r.buf, r.raw[:0]); err != nil {
		return 0, damagedError(err.Error(), nil)
	}
	if !r.columns.open(r.raw, n, r.layout, r.sleeps) {
		return 0, damagedError("a chunk cannot be read", nil)
	}
	r.count += uint64(n)
	return n, r.nextHead()
}

// skip skips the chunks all of whose keys are below the key of x.
func (r *runReader[H]) skip(x *item[H]) error {
	for r.head.count > 0 && r.head.last.precedes(x) {
		if _, err := r.in.Discard(r.head.length); err != nil {
			return damagedError("", err)
		}
		r.count += uint64(r.head.count)
		if err := r.nextHead(); err != nil {
			return err
		}
	}
	return nil
}

// encodeRun encodes sorted items as a run.
func encodeRun[H half](items []item[H], l Layout) []byte {
	var b bytes.Buffer
	w := newRunWriter[H](&b, l, true)
	w.compress = blockCompressor()
	for len(items) > 0 {
		n := min(len(items), chunkItems)
		w.items = items[:n:n]
		w.flush()
		items = items[n:]
	}
	w.items = nil
	w.close() // a bytes.Buffer takes everything
	return b.Bytes()
}

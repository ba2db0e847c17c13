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
)

// A run is a sorted list of states, in a file or in a block that goes from one shard to another:
//
//	magic
//	uvarint slots before the cut, of all; a byte for each slot: its width; a byte: 1 if what is asleep is there
//	chunks of up to chunkItems states
//	uvarint 0, uvarint number of all states
//
// A chunk:
//
//	uvarint number of states (not 0)
//	the last key, left and right half
//	uvarint length of the rest, the 8 bytes of its xxhash
//	the rest, compressed
//
// What is compressed: for each left half uvarint how many states have it, and what it is more than the one before; the right
// half of each state, or what it is more than that before with the same left one; if what is asleep is there,
// uvarint number of different sets, these, and a byte for each state: which set, as uvarint.
const (
	magic      = "ringcheck run 1\n"
	chunkItems = 1 << 13
)

// A runWriter writes a run.
type runWriter[H half] struct {
	out      io.Writer
	sleeps   bool
	items    []item[H]
	raw, buf []byte
	count    uint64
	bytes    uint64
	err      error
}

// newRunWriter begins a run.
func newRunWriter[H half](out io.Writer, l Layout, sleeps bool) *runWriter[H] {
	w := &runWriter[H]{out: out, sleeps: sleeps}
	head := append([]byte(magic), appendLayout(nil, l)...)
	w.write(append(head, flag(sleeps)))
	return w
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendLayout(buf []byte, l Layout) []byte {
	buf = binary.AppendUvarint(buf, uint64(l.cut))
	buf = binary.AppendUvarint(buf, uint64(len(l.widths)))
	return append(buf, l.widths...)
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
	w.raw = appendChunk(w.raw[:0], w.items, w.sleeps)
	w.buf = compressor().EncodeAll(w.raw, w.buf[:0])
	last := &w.items[len(w.items)-1]
	head := binary.AppendUvarint(nil, uint64(len(w.items)))
	head = appendHalf(appendHalf(head, last.left), last.right)
	head = binary.AppendUvarint(head, uint64(len(w.buf)))
	head = binary.LittleEndian.AppendUint64(head, xxhash.Sum64(w.buf))
	w.write(head)
	w.write(w.buf)
	w.count += uint64(len(w.items))
	w.items = w.items[:0]
}

// close ends the run.
func (w *runWriter[H]) close() error {
	w.flush()
	w.write(binary.AppendUvarint([]byte{0}, w.count))
	return w.err
}

// appendChunk encodes the states of a chunk.
func appendChunk[H half](buf []byte, items []item[H], sleeps bool) []byte {
	var before H
	for first := 0; first < len(items); {
		end := first + 1
		for end < len(items) && items[end].left == items[first].left {
			end++
		}
		buf = binary.AppendUvarint(buf, uint64(end-first))
		buf = appendHalf(buf, sub(items[first].left, before))
		before, first = items[first].left, end
	}
	for i := range items {
		right := items[i].right
		if i > 0 && items[i].left == items[i-1].left {
			right = sub(right, items[i-1].right)
		}
		buf = appendHalf(buf, right)
	}
	if sleeps {
		buf = appendSets(buf, items)
	}
	return buf
}

// appendSets encodes what is asleep at states.
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

// A runReader reads a run, chunk by chunk, in a given layout of the keys.
type runReader[H half] struct {
	in        *bufio.Reader
	sleeps    bool
	translate *translator[H] // nil if the run has the layout
	items     []item[H]      // of the chunk that was read last
	count     uint64         // of the chunks that were read or skipped
	raw, buf  []byte
	head      chunkHead[H] // of the next chunk
}

// A chunkHead is what is known of a chunk before it is read.
type chunkHead[H half] struct {
	count, length int
	last          item[H]
	sum           uint64
}

// newRunReader begins to read a run.
func newRunReader[H half](in io.Reader, l Layout) (*runReader[H], error) {
	r := &runReader[H]{in: bufio.NewReaderSize(in, 1<<16)}
	found := make([]byte, len(magic))
	if _, err := io.ReadFull(r.in, found); err != nil || string(found) != magic {
		return nil, damaged("it does not begin as a run does", err)
	}
	layout, err := r.layout(l)
	if err != nil {
		return nil, err
	}
	if layout.halfWords() > len(r.head.last.left) {
		return nil, damaged("its keys are too long", nil)
	}
	r.translate = newTranslator[H](layout, l)
	return r, r.nextHead()
}

func damaged(what string, err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrDamaged, what)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return err
}

// layout reads that of the run, for a system with the slots of l.
func (r *runReader[H]) layout(l Layout) (Layout, error) {
	var found Layout
	cut, err := binary.ReadUvarint(r.in)
	if err != nil {
		return found, damaged("", err)
	}
	slots, err := binary.ReadUvarint(r.in)
	switch {
	case err != nil:
		return found, damaged("", err)
	case slots != uint64(len(l.widths)) || cut != uint64(l.cut):
		return found, damaged("it is that of another system", nil)
	}
	found = Layout{widths: make([]byte, slots), cut: l.cut}
	if _, err = io.ReadFull(r.in, found.widths); err != nil {
		return found, damaged("", err)
	}
	for _, w := range found.widths {
		if w > 32 {
			return found, damaged("a slot is too wide", nil)
		}
	}
	b, err := r.in.ReadByte()
	r.sleeps = b == 1
	if err != nil || b > 1 {
		return found, damaged("its beginning", err)
	}
	return found, nil
}

// nextHead reads the head of the next chunk, or the end of the run.
func (r *runReader[H]) nextHead() error {
	h := &r.head
	*h = chunkHead[H]{}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return damaged("", err)
	}
	if n == 0 {
		if total, err := binary.ReadUvarint(r.in); err != nil || total != r.count {
			return damaged("states are missing", err)
		}
		return nil
	}
	h.last.left, err = readHalf[H](r.in)
	if err == nil {
		h.last.right, err = readHalf[H](r.in)
	}
	length, lengthErr := uint64(0), error(nil)
	if err == nil {
		length, lengthErr = binary.ReadUvarint(r.in)
	}
	var sum [8]byte
	if err == nil && lengthErr == nil {
		_, err = io.ReadFull(r.in, sum[:])
	}
	switch {
	case errors.Join(err, lengthErr) != nil:
		return damaged("", errors.Join(err, lengthErr))
	case n > chunkItems || length > 1<<26:
		return damaged("a chunk is too large", nil)
	}
	h.count, h.length, h.sum = int(n), int(length), binary.LittleEndian.Uint64(sum[:])
	if r.translate != nil {
		last := []item[H]{h.last}
		r.translate.translate(last)
		h.last = last[0]
	}
	return nil
}

// readHalf reads what appendHalf has written.
func readHalf[H half](in *bufio.Reader) (h H, err error) {
	var buf []byte
	for {
		b, err := in.ReadByte()
		if err != nil {
			return h, err
		}
		buf = append(buf, b)
		if b < 0x80 {
			break
		}
		if len(buf) > 64*maxHalfWords/7+1 {
			return h, ErrDamaged
		}
	}
	d := decoder{data: buf}
	h = takeHalf[H](&d)
	if d.bad {
		err = ErrDamaged
	}
	return h, err
}

// next reads the next chunk, of which the states are in r.items until the one after that is read; there are none at the end.
func (r *runReader[H]) next() error {
	n := r.head.count
	r.items = r.items[:0]
	if n == 0 {
		return nil
	}
	r.buf = slices.Grow(r.buf[:0], r.head.length)[:r.head.length]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return damaged("", err)
	}
	if xxhash.Sum64(r.buf) != r.head.sum {
		return damaged("a chunk is not what was written", nil)
	}
	var err error
	if r.raw, err = decompressor().DecodeAll(r.buf, r.raw[:0]); err != nil {
		return damaged(err.Error(), nil)
	}
	r.items = slices.Grow(r.items, n)[:n]
	if !decodeChunk(r.raw, r.items, r.sleeps) {
		return damaged("a chunk cannot be read", nil)
	}
	if r.translate != nil {
		r.translate.translate(r.items)
	}
	r.count += uint64(n)
	return r.nextHead()
}

// skip passes over the chunks that hold nothing but keys below that of x.
func (r *runReader[H]) skip(x *item[H]) error {
	for r.head.count > 0 && r.head.last.before(x) {
		if _, err := r.in.Discard(r.head.length); err != nil {
			return damaged("", err)
		}
		r.count += uint64(r.head.count)
		if err := r.nextHead(); err != nil {
			return err
		}
	}
	return nil
}

// decodeChunk reverses appendChunk; items has the right length.
func decodeChunk[H half](raw []byte, items []item[H], sleeps bool) bool {
	d := decoder{data: raw}
	var left H
	for first := 0; first < len(items); {
		n := d.number()
		more := takeHalf[H](&d)
		var over bool
		if left, over = add(left, more); d.bad || over || n == 0 || n > uint64(len(items)-first) {
			return false
		}
		for range n {
			items[first] = item[H]{left: left}
			first++
		}
	}
	for i := range items {
		right := takeHalf[H](&d)
		if i > 0 && items[i].left == items[i-1].left {
			right, _ = add(right, items[i-1].right)
		}
		items[i].right = right
	}
	if sleeps {
		takeSets(&d, items)
	}
	return !d.bad && len(d.data) == 0
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

// encodeRun returns a run of sorted items as a block.
func encodeRun[H half](items []item[H], l Layout) []byte {
	var b bytes.Buffer
	w := newRunWriter[H](&b, l, true)
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

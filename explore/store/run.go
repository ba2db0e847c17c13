package store

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// A Run is a sorted set of state IDs on disk.
type Run struct {
	Number uint32
	IDs    uint64
	blocks []block
	last   uint64 // no state ID is above
}

// A block describes one on disk.
type block struct {
	first  uint64 // state ID
	ids    int    // how many; 0 if another process has written it
	number uint64 // of the first state ID, see Number
	entry  Piece
}

func compareBlocks(a, b block) int { return cmp.Compare(a.first, b.first) }

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.blocks) }

// A Writer writes a run. It ends with Finish; without it, the run is forgotten.
type Writer struct {
	store *Store
	run   *Run
	block []uint64
	value []byte // of a block
}

// Writer begins a run.
func (s *Store) Writer() *Writer {
	s.lastRun++
	return &Writer{store: s, run: &Run{Number: s.lastRun}}
}

// Beside returns another Writer of the same run, for another goroutine. No state ID of the one may lie within a block
// of the other.
func (w *Writer) Beside() *Writer { return &Writer{store: w.store, run: &Run{Number: w.run.Number}} }

// Add appends ascending state IDs, which are above all others of the block.
func (w *Writer) Add(ids []uint64) error {
	for len(ids) > 0 {
		n := min(len(ids), BlockIDs-len(w.block))
		w.block = append(w.block, ids[:n]...)
		ids = ids[n:]
		if len(w.block) == BlockIDs {
			if err := w.EndBlock(); err != nil {
				return err
			}
		}
	}
	return nil
}

// EndBlock ends a block. It does nothing if there is nothing in it.
func (w *Writer) EndBlock() error {
	n := len(w.block)
	if n == 0 {
		return nil
	}
	first := w.block[0]
	w.value = appendBlock(appendHead(w.value[:0], runEntry, w.run.Number, first), w.block)
	entry, err := w.store.put("write states to "+w.store.dir, w.value)
	w.run.blocks = append(w.run.blocks, block{first: first, ids: n, entry: entry})
	w.run.IDs += uint64(n)
	w.run.last = max(w.run.last, w.block[n-1])
	w.block = w.block[:0]
	return err
}

// Finish writes what is left and returns the run, with what the others have written. No writer is used afterwards.
func (w *Writer) Finish(others ...*Writer) (*Run, error) {
	for _, o := range append(others, w) {
		if err := o.EndBlock(); err != nil {
			return nil, err
		}
	}
	for _, o := range others {
		w.run.IDs += o.run.IDs
		w.run.last = max(w.run.last, o.run.last)
		w.run.blocks = append(w.run.blocks, o.run.blocks...)
	}
	slices.SortFunc(w.run.blocks, compareBlocks)
	return w.run, nil
}

// A Reader reads blocks for one goroutine.
type Reader struct {
	store   *Store
	buffer  []byte
	decoder decoder
}

// Reader returns a reader.
func (s *Store) Reader() *Reader { return &Reader{store: s} }

// Block appends the state IDs of block i of a run to out.
func (r *Reader) Block(run *Run, i int, out []uint64) ([]uint64, error) {
	data, err := r.data(run, i)
	if err != nil {
		return out, err
	}
	out, ok := r.decoder.decodeBlock(data, run.blocks[i].first, out)
	if !ok {
		return out, r.store.senseless(run, i)
	}
	return out, nil
}

// data returns block i of a run, encoded. It is valid until the next call.
func (r *Reader) data(run *Run, i int) ([]byte, error) {
	return r.store.get(r.store.reading(run), run.blocks[i].entry, &r.buffer)
}

func (s *Store) reading(run *Run) string { return fmt.Sprintf("read run %d of %s", run.Number, s.dir) }

// senseless says that a block of a run is damaged though its checksum is right.
func (s *Store) senseless(run *Run, block int) error {
	return fmt.Errorf("%s: %w: block %d makes no sense", s.reading(run), ErrDamaged, block)
}

// from returns the number of the first block that can hold id or more.
func (r *Run) from(id uint64) int {
	i, found := slices.BinarySearchFunc(r.blocks, block{first: id}, compareBlocks)
	if found || i == 0 {
		return i
	}
	return i - 1
}

// Number numbers the state IDs of some runs of this process from 0, run by run in ascending order. It returns how many
// there are.
func Number(runs []*Run) uint64 {
	n := uint64(0)
	for _, run := range runs {
		for i := range run.blocks {
			run.blocks[i].number = n
			n += uint64(run.blocks[i].ids)
		}
	}
	return n
}

// Numbered returns the block of a run that a number is in, and the first number of the block. The run is the last
// numbered one with First at most number.
func (r *Run) Numbered(number uint64) (i int, first uint64) {
	i = sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].number > number }) - 1
	return i, r.blocks[i].number
}

// First returns the number of the first state ID of a run that is not empty.
func (r *Run) First() uint64 { return r.blocks[0].number }

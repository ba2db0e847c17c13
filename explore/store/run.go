package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Run is a sorted set of state IDs on disk.
type Run struct {
	Number uint32
	IDs    uint64
	blocks []entry  // ascending
	last   uint64   // no state ID is above
	begins []uint64 // the number of the first state ID of each block, see Store.Number
}

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.blocks) }

func (r *Run) owner() owner { return owner{runEntry, r.Number} }

// A Writer writes a run, which ends with Finish.
type Writer struct {
	store *Store
	run   *Run
	block []uint64
}

// Writer begins a run.
func (s *Store) Writer() *Writer {
	s.lastRun++
	return &Writer{store: s, run: &Run{Number: s.lastRun}}
}

// Beside returns another Writer of the same run, for another goroutine. Between two state IDs that the one has added, but for
// EndBlock, there is none of the other's.
func (w *Writer) Beside() *Writer { return &Writer{store: w.store, run: &Run{Number: w.run.Number}} }

// Add appends state IDs that ascend and are above all before them; behind EndBlock, they may be anywhere.
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
	if len(w.block) == 0 {
		return nil
	}
	data := appendBlock(make([]byte, headerBytes, headerBytes+2*len(w.block)), w.block)
	e, err := w.store.put(w.run.owner(), w.block[0], data)
	w.run.blocks = append(w.run.blocks, e)
	w.run.IDs += uint64(len(w.block))
	w.run.last = max(w.run.last, w.block[len(w.block)-1])
	w.block = w.block[:0]
	return err
}

// Finish writes what is left and returns the run, with what others have written Beside. These are not used any more.
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
	w.run.sort()
	return w.run, nil
}

func (r *Run) sort() {
	slices.SortFunc(r.blocks, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
}

// Load returns a run that was there when the store was opened, once. It is ErrDamaged if not all blocks are there.
func (s *Store) Load(number uint32, ids uint64, blocks int) (*Run, error) {
	r := &Run{Number: number, IDs: ids, last: math.MaxUint64}
	r.blocks = s.index[r.owner()]
	delete(s.index, r.owner())
	r.sort()
	if len(r.blocks) != blocks {
		return nil, fmt.Errorf("%s: %w: %d of %d blocks are there", s.reading(r), ErrDamaged, len(r.blocks), blocks)
	}
	return r, nil
}

// A Reader reads blocks for one goroutine.
type Reader struct {
	store *Store
	buf   []byte
	block decoder
}

// Reader returns a reader.
func (s *Store) Reader() *Reader { return &Reader{store: s} }

// Block appends the state IDs of block i of a run to out.
func (r *Reader) Block(run *Run, i int, out []uint64) ([]uint64, error) {
	data, err := r.data(run, i)
	if err != nil {
		return out, err
	}
	out, ok := r.block.decodeBlock(data, run.blocks[i].at, out)
	if !ok {
		return out, r.store.senseless(run, i)
	}
	return out, nil
}

// data returns block i of a run, encoded. It is valid until the next call.
func (r *Reader) data(run *Run, i int) ([]byte, error) {
	return r.store.get(r.store.reading(run), run.owner(), run.blocks[i], &r.buf)
}

func (s *Store) reading(run *Run) string { return fmt.Sprintf("read run %d of %s", run.Number, s.dir) }

// senseless says that a block of a run is damaged though its checksum is right.
func (s *Store) senseless(run *Run, block int) error {
	return fmt.Errorf("%s: %w: block %d makes no sense", s.reading(run), ErrDamaged, block)
}

// from returns the number of the first block that can hold id or more.
func (r *Run) from(id uint64) int {
	i, found := slices.BinarySearchFunc(r.blocks, id, func(e entry, id uint64) int { return cmp.Compare(e.at, id) })
	if found || i == 0 {
		return i
	}
	return i - 1
}

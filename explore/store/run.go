//go:build !js

package store

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// A Run is a sorted set of state IDs on disk.
type Run struct {
	Number uint32
	IDs    uint64
	blocks []block
	last   uint64 // an upper bound of the state IDs
}

// A block describes a block on disk.
type block struct {
	first  uint64 // the first state ID
	ids    int    // the number of state IDs; 0 if another process has written the block
	number uint64 // the number of the first state ID, see Number
}

func compareBlocks(a, b block) int { return cmp.Compare(a.first, b.first) }

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.blocks) }

// A Writer writes a run, until Finish. Without Finish, the run is orphaned, see Store.Prune.
type Writer struct {
	batch batch
	run   *Run
	block []uint64
}

// Writer begins a run.
func (s *Store) Writer() *Writer {
	s.lastRun++
	return s.writer(s.lastRun)
}

func (s *Store) writer(run uint32) *Writer {
	return &Writer{batch: batch{store: s, doing: "write states to " + s.dir}, run: &Run{Number: run}}
}

// Fork returns another Writer of the same run, for another goroutine. No state ID of one may lie within a block of the
// other.
func (w *Writer) Fork() *Writer { return w.batch.store.writer(w.run.Number) }

// Add appends ascending state IDs, which must be above all others of the current block.
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

// EndBlock ends the current block unless it is empty.
func (w *Writer) EndBlock() error {
	if len(w.block) == 0 {
		return nil
	}
	first := w.block[0]
	key := appendKey(nil, runKey, w.run.Number, first)
	value := appendBlock(make([]byte, hashBytes, hashBytes+2*len(w.block)), w.block)
	w.run.blocks = append(w.run.blocks, block{first: first, ids: len(w.block)})
	w.run.IDs += uint64(len(w.block))
	w.run.last = max(w.run.last, w.block[len(w.block)-1])
	w.block = w.block[:0]
	return w.batch.put(key, value)
}

// Finish writes the rest of this and the other writers of a run, and returns the run with what all of them have
// written. The writers must not be used afterwards.
func (w *Writer) Finish(others ...*Writer) (*Run, error) {
	for _, o := range append(others, w) {
		if err := o.EndBlock(); err != nil {
			return nil, err
		}
		if err := o.batch.flush(); err != nil {
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

// Load returns a run that was written earlier, possibly by another process. The error is ErrDamaged if blocks are
// missing.
func (s *Store) Load(number uint32, ids uint64, blocks int) (*Run, error) {
	r := &Run{Number: number, IDs: ids, last: math.MaxUint64}
	doing := fmt.Sprintf("read run %d of %s", number, s.dir)
	err := s.eachEntry(doing, appendPrefix(nil, runKey, number), func(item *badger.Item) {
		_, _, first, _ := splitKey(item.Key())
		r.blocks = append(r.blocks, block{first: first})
	})
	if err == nil && len(r.blocks) != blocks {
		err = fmt.Errorf("%s: %w: %d of %d blocks are there", doing, ErrDamaged, len(r.blocks), blocks)
	}
	return r, err
}

// A Reader reads blocks for one goroutine. It sees what was written before it was created.
type Reader struct {
	store   *Store
	txn     *badger.Txn
	key     []byte
	copy    []byte // a copy of a value
	decoder decoder
}

// Reader returns a reader, which must be closed before the Store.
func (s *Store) Reader() *Reader { return &Reader{store: s, txn: s.db.NewTransaction(false)} }

func (r *Reader) Close() { r.txn.Discard() }

// Block appends the state IDs of block i of a run to out.
func (r *Reader) Block(run *Run, i int, out []uint64) ([]uint64, error) {
	data, err := r.data(run, i)
	if err != nil {
		return out, err
	}
	out, ok := r.decoder.decodeBlock(data, run.blocks[i].first, out)
	if !ok {
		return out, r.store.invalid(run, i)
	}
	return out, nil
}

// data returns block i of a run, encoded. It is valid until the next call.
func (r *Reader) data(run *Run, i int) ([]byte, error) {
	r.key = appendKey(r.key[:0], runKey, run.Number, run.blocks[i].first)
	return r.value(r.store.reading(run))
}

func (s *Store) reading(run *Run) string { return fmt.Sprintf("read run %d of %s", run.Number, s.dir) }

// invalid returns the error for an invalid block whose checksum is correct.
func (s *Store) invalid(run *Run, block int) error {
	return fmt.Errorf("%s: %w: block %d is invalid", s.reading(run), ErrDamaged, block)
}

// value returns the data at r.key, valid until the next call. It is a copy: reading a memory map can fault, and only
// calls of badger are guarded.
func (r *Reader) value(doing string) (data []byte, err error) {
	err = r.store.access(doing, func() error {
		item, err := r.txn.Get(r.key)
		if err != nil {
			return missing(err)
		}
		return item.Value(func(value []byte) error {
			r.copy = append(r.copy[:0], value...)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	r.store.touch(len(r.copy))
	return unseal(doing, r.key, r.copy)
}

// blockFor returns the number of the first block that can hold id or more.
func (r *Run) blockFor(id uint64) int {
	i, found := slices.BinarySearchFunc(r.blocks, block{first: id}, compareBlocks)
	if found || i == 0 {
		return i
	}
	return i - 1
}

// Number numbers the state IDs of some runs of this process from 0 on, run by run in ascending order. It returns their
// total number.
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

// BlockOf returns the block of a run that contains a number, and the first number of the block. The run must be the
// last numbered one with First at most number.
func (r *Run) BlockOf(number uint64) (i int, first uint64) {
	i = sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].number > number }) - 1
	return i, r.blocks[i].number
}

// First returns the number of the first state ID of a run that is not empty.
func (r *Run) First() uint64 { return r.blocks[0].number }

// A Pile stores pieces of data beside the runs. It is safe for concurrent use.
type Pile struct {
	store *Store
	file  *os.File
	end   atomic.Int64
}

// An Extent is the position of a part of a Pile.
type Extent struct {
	at    int64
	bytes int
}

// Pile creates a pile.
func (s *Store) Pile() (*Pile, error) {
	file, err := os.CreateTemp(s.dir, "pile-")
	return &Pile{store: s, file: file}, classify("write to "+s.dir, err)
}

// Add writes a piece, preceded by its checksum.
func (p *Pile) Add(data []byte) (Extent, error) {
	value := append(make([]byte, hashBytes, hashBytes+len(data)), data...)
	seal(nil, value)
	n := len(value)
	at := p.end.Add(int64(n)) - int64(n)
	p.store.bytes.Add(int64(n))
	return Extent{at, n}, p.store.access("write to "+p.store.dir, func() error {
		_, err := p.file.WriteAt(value, at)
		return err
	})
}

// Read reads a piece into a buffer and returns it.
func (p *Pile) Read(piece Extent, buffer *[]byte) ([]byte, error) {
	doing := "read " + p.store.dir
	value := slices.Grow((*buffer)[:0], piece.bytes)[:piece.bytes]
	*buffer = value
	err := p.store.access(doing, func() error {
		_, err := p.file.ReadAt(value, piece.at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return unseal(doing, nil, value)
}

// Close removes the pile.
func (p *Pile) Close() {
	_ = p.file.Close()
	_ = os.Remove(p.file.Name())
}

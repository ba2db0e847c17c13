package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// A Run is a sorted set of state IDs on disk.
type Run struct {
	Number uint32
	IDs    uint64
	firsts []uint64 // the first state ID of each block
	last   uint64   // no state ID is above
}

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.firsts) }

// A Writer writes a run. It ends with Finish; without it, the run is orphaned, see Store.Prune.
type Writer struct {
	batch batch
	run   *Run
	block []uint64
}

// Writer begins a run.
func (s *Store) Writer() *Writer {
	s.lastRun++
	return &Writer{
		batch: batch{store: s, doing: "write states to " + s.dir},
		run:   &Run{Number: s.lastRun},
		block: make([]uint64, 0, BlockIDs),
	}
}

// Add appends state IDs that ascend and are above all before them.
func (w *Writer) Add(ids []uint64) error {
	for len(ids) > 0 {
		n := min(len(ids), BlockIDs-len(w.block))
		w.block = append(w.block, ids[:n]...)
		ids = ids[n:]
		if len(w.block) == BlockIDs {
			if err := w.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// end ends a block.
func (w *Writer) end() error {
	if len(w.block) == 0 {
		return nil
	}
	first := w.block[0]
	key := appendKey(nil, runKey, w.run.Number, first)
	value := appendBlock(make([]byte, hashBytes, hashBytes+2*len(w.block)), w.block)
	w.run.firsts = append(w.run.firsts, first)
	w.run.IDs += uint64(len(w.block))
	w.run.last = w.block[len(w.block)-1]
	w.block = w.block[:0]
	return w.batch.put(key, value)
}

// Finish writes what is left and returns the run.
func (w *Writer) Finish() (*Run, error) {
	if err := w.end(); err != nil {
		return nil, err
	}
	return w.run, w.batch.flush()
}

// Load returns a run that was written before, maybe by another process. It is ErrDamaged if not all blocks are there.
func (s *Store) Load(number uint32, ids uint64, blocks int) (*Run, error) {
	r := &Run{Number: number, IDs: ids, last: math.MaxUint64}
	doing := fmt.Sprintf("read run %d of %s", number, s.dir)
	err := s.access(doing, func() error {
		return s.db.View(func(txn *badger.Txn) error {
			prefix := appendPrefix(nil, runKey, number)
			it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
			defer it.Close()
			for it.Rewind(); it.ValidForPrefix(prefix); it.Next() {
				_, _, first, _ := splitKey(it.Item().Key())
				r.firsts = append(r.firsts, first)
			}
			return nil
		})
	})
	if err == nil && len(r.firsts) != blocks {
		err = fmt.Errorf("%s: %w: %d of %d blocks are there", doing, ErrDamaged, len(r.firsts), blocks)
	}
	return r, err
}

// A Reader reads blocks for one goroutine. It sees what was written before it was made.
type Reader struct {
	store *Store
	txn   *badger.Txn
	key   []byte
	copy  []byte // of a value
}

// Reader returns a reader. It must be closed, and before the Store.
func (s *Store) Reader() *Reader { return &Reader{store: s, txn: s.db.NewTransaction(false)} }

// Close ends the reading.
func (r *Reader) Close() { r.txn.Discard() }

// Block appends the state IDs of block i of a run to out.
func (r *Reader) Block(run *Run, i int, out []uint64) ([]uint64, error) {
	r.key = appendKey(r.key[:0], runKey, run.Number, run.firsts[i])
	doing := fmt.Sprintf("read run %d of %s", run.Number, r.store.dir)
	data, err := r.value(doing)
	if err != nil {
		return out, err
	}
	out, ok := decodeBlock(data, run.firsts[i], out)
	if !ok {
		return out, fmt.Errorf("%s: %w: block %d makes no sense", doing, ErrDamaged, i)
	}
	return out, nil
}

// value returns the data at r.key, valid until the next call. They are a copy: what is in a memory map may be gone when it
// is looked at, and only badger's doings are guarded.
func (r *Reader) value(doing string) (data []byte, err error) {
	err = r.store.access(doing, func() error {
		item, err := r.txn.Get(r.key)
		if err != nil {
			return missing(err)
		}
		return item.Value(func(value []byte) error {
			defer release(value)
			r.copy = append(r.copy[:0], value...)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	data, ok := unseal(r.key, r.copy)
	if !ok {
		return nil, fmt.Errorf("%s: %w: a checksum is wrong", doing, ErrDamaged)
	}
	return data, nil
}

// from returns the number of the first block that can hold id or more.
func (r *Run) from(id uint64) int {
	i, found := slices.BinarySearch(r.firsts, id)
	if found || i == 0 {
		return i
	}
	return i - 1
}

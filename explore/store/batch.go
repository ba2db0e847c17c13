package store

import (
	"github.com/dgraph-io/badger/v4"
)

// batchBytes is how much is written in one transaction: the room that space.ahead makes.
const batchBytes = 1 << 20

// A batch collects entries and writes them, some at a time.
type batch struct {
	store *Store
	doing string
	keys  [][]byte
	data  [][]byte
	size  int
}

// put adds an entry; value has room for its checksum in front. Both belong to the batch from then on.
func (b *batch) put(key, value []byte) error {
	seal(key, value)
	b.keys, b.data = append(b.keys, key), append(b.data, value)
	if b.size += len(key) + len(value); b.size < batchBytes {
		return nil
	}
	return b.flush()
}

// flush writes what was collected.
func (b *batch) flush() error {
	if len(b.keys) == 0 {
		return nil
	}
	err := b.store.update(b.doing, func(txn *badger.Txn) error {
		for i, key := range b.keys {
			if err := txn.Set(key, b.data[i]); err != nil {
				return err
			}
		}
		return nil
	})
	b.store.bytes.Add(int64(b.size))
	b.keys, b.data, b.size = b.keys[:0], b.data[:0], 0
	return err
}

// update makes changes of at most batchBytes and somewhat more in one transaction.
func (s *Store) update(doing string, change func(txn *badger.Txn) error) error {
	return s.access(doing, func() error {
		if err := s.space.check(spare); err != nil {
			return err
		}
		if err := s.space.intact(); err != nil {
			return s.breakDown(err)
		}
		if err := s.db.Update(change); err != nil {
			return err
		}
		return s.space.ahead()
	})
}

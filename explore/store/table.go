package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Put appends data to a table, at a position above all before it. It is in pieces afterwards, see Each.
func (s *Store) Put(table uint32, at uint64, data []byte) error {
	b := batch{store: s, doing: fmt.Sprintf("write table %d of %s", table, s.dir)}
	if err := b.put(appendKey(nil, tableKey, table, at), append(make([]byte, hashBytes), data...)); err != nil {
		return err
	}
	return b.flush()
}

// Each calls do with the entries of a table, in the order of their positions. data is valid during the call.
func (s *Store) Each(table uint32, do func(at uint64, data []byte) error) error {
	r := s.Reader()
	defer r.Close()
	doing := fmt.Sprintf("read table %d of %s", table, s.dir)
	var keys [][]byte
	err := s.access(doing, func() error {
		prefix := appendPrefix(nil, tableKey, table)
		it := r.txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
		defer it.Close()
		for it.Rewind(); it.ValidForPrefix(prefix); it.Next() {
			keys = append(keys, it.Item().KeyCopy(nil))
		}
		return nil
	})
	for _, key := range keys {
		if err != nil {
			return err
		}
		r.key = key
		var data []byte
		if data, err = r.value(doing); err == nil {
			err = do(binary.BigEndian.Uint64(key[5:]), data)
		}
	}
	return err
}

// updateSums takes the tables that badger has made since the last call into the list of checksums.
func (s *Store) updateSums() error {
	var tables []string
	for _, t := range s.db.Tables() {
		tables = append(tables, fmt.Sprintf("%06d.sst", t.ID))
	}
	return s.tables.update(s.space.dir, tables)
}

// Prune removes the runs and the entries of tables that keep does not want; at is the first state ID of a block.
func (s *Store) Prune(keepRun func(number uint32) bool, keepEntry func(table uint32, at uint64) bool) error {
	doing := "clear " + s.dir
	var doomed [][]byte
	err := s.access(doing, func() error {
		return s.db.View(func(txn *badger.Txn) error {
			it := txn.NewIterator(badger.IteratorOptions{})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				kind, number, at, ok := splitKey(it.Item().Key())
				if ok && (kind == runKey && !keepRun(number) || kind == tableKey && !keepEntry(number, at)) {
					doomed = append(doomed, it.Item().KeyCopy(nil))
				}
			}
			return nil
		})
	})
	const some = 1 << 10
	for ; err == nil && len(doomed) > 0; doomed = doomed[min(some, len(doomed)):] {
		err = s.update(doing, func(txn *badger.Txn) error {
			for _, key := range doomed[:min(some, len(doomed))] {
				if err := txn.Delete(key); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}

// missing says that something is not there that ought to be.
func missing(err error) error {
	if errors.Is(err, badger.ErrKeyNotFound) {
		return fmt.Errorf("%w: something is missing (%w)", ErrDamaged, err)
	}
	return err
}

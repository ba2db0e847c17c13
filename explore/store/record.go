//go:build !js

package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// recordFile holds the record, preceded by its checksum. It is replaced as a whole, and can be read without opening the
// store.
const recordFile = "RECORD"

// Commit replaces the record. Everything that was written before is on disk when the new record takes effect; the
// record is on disk when Commit returns.
func (s *Store) Commit(record []byte) error {
	doing := "write the checkpoint to " + s.dir
	err := s.access(doing, func() error {
		if err := s.writable(); err != nil {
			return err
		}
		if err := s.updateSums(); err != nil {
			return err
		}
		return s.db.Sync()
	})
	if err != nil {
		return err
	}
	value := append(make([]byte, hashBytes), record...)
	seal([]byte(recordFile), value)
	return classify(doing, replaceFile(filepath.Join(s.dir, recordFile), value))
}

// ReadRecord returns the record of the store in a folder, nil if nothing has been committed. It writes nothing, and
// works while another process uses the store. The error is ErrMissing or ErrDamaged, or comes from the file system.
func ReadRecord(dir string) ([]byte, error) {
	doing := "read the checkpoint of " + dir
	value, err := os.ReadFile(filepath.Join(dir, recordFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, classify(doing, present(dir))
	case err != nil:
		return nil, classify(doing, err)
	}
	return unseal(doing, []byte(recordFile), value)
}

// present returns an error unless a folder holds a store.
func present(dir string) error {
	if !exists(filepath.Join(dir, lockFile)) {
		return ErrMissing
	}
	return nil
}

// replaceFile replaces a file atomically.
func replaceFile(path string, data []byte) error {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder writes the directory entries of a folder to disk.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Put appends data to a table, at a position above all earlier ones. Each returns it, possibly in several pieces.
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
	err := s.eachEntry(doing, appendPrefix(nil, tableKey, table), func(item *badger.Item) {
		keys = append(keys, item.KeyCopy(nil))
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

// updateSums adds the tables that badger has written since the last call to the list of checksums.
func (s *Store) updateSums() error {
	var tables []string
	for _, t := range s.db.Tables() {
		tables = append(tables, fmt.Sprintf("%06d.sst", t.ID))
	}
	return s.tables.update(s.space.dir, tables)
}

// Prune removes the runs and the entries of tables for which keepRun and keepEntry return false.
func (s *Store) Prune(keepRun func(number uint32) bool, keepEntry func(table uint32, at uint64) bool) error {
	doing := "clear " + s.dir
	var doomed [][]byte
	err := s.eachEntry(doing, nil, func(item *badger.Item) {
		kind, number, at, ok := splitKey(item.Key())
		if ok && (kind == runKey && !keepRun(number) || kind == tableKey && !keepEntry(number, at)) {
			doomed = append(doomed, item.KeyCopy(nil))
		}
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

// missing converts badger's ErrKeyNotFound to ErrDamaged.
func missing(err error) error {
	if errors.Is(err, badger.ErrKeyNotFound) {
		return fmt.Errorf("%w: something is missing (%w)", ErrDamaged, err)
	}
	return err
}

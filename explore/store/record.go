package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recordFile holds the record behind its checksum. It is replaced as a whole, and read without anything else of the
// store.
const recordFile = "RECORD"

// Commit replaces the record. All that was written before is on disk when the new record takes effect, and the record
// is when Commit returns.
func (s *Store) Commit(record []byte) error {
	doing := "write the checkpoint to " + s.dir
	err := s.access(doing, func() error {
		if err := s.space.check(spare); err != nil {
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

// Record returns the record, nil if there is none.
func (s *Store) Record() ([]byte, error) { return ReadRecord(s.dir) }

// ReadRecord returns the record of the store in a folder, nil if nothing was committed to it yet, whether a process
// uses the store meanwhile or not. It writes nothing. Errors are ErrMissing, ErrDamaged, ErrFormat, or those of the
// file system.
func ReadRecord(dir string) ([]byte, error) {
	doing := "read the checkpoint of " + dir
	value, err := os.ReadFile(filepath.Join(dir, recordFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, classify(doing, present(dir))
	case err != nil:
		return nil, classify(doing, err)
	}
	record, ok := unseal([]byte(recordFile), value)
	if !ok {
		return nil, fmt.Errorf("%s: %w: a checksum is wrong", doing, ErrDamaged)
	}
	return record, nil
}

// present returns an error unless a folder holds a store of this format.
func present(dir string) error {
	switch {
	case exists(filepath.Join(dir, manifest)): // badger's, where older versions had it
		return ErrFormat
	case exists(filepath.Join(dir, lockFile)):
		return nil
	}
	return ErrMissing
}

// replaceFile writes a file, or leaves the one that was there.
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

// syncFolder makes the list of files of a folder survive a power failure.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recordFile holds the record behind its seal and the size that the data file had. It is replaced as a whole, and read
// without anything else of the store.
const recordFile = "RECORD"

// Commit replaces the record. All that was written before is on disk when the new record takes effect, and the record is
// when Commit returns.
func (s *Store) Commit(record []byte) error {
	doing := "write the checkpoint to " + s.dir
	return s.access(doing, func() error {
		if err := s.inPlace(); err != nil {
			return err
		}
		if err := s.data.file.Sync(); err != nil {
			return err
		}
		value := binary.LittleEndian.AppendUint64(make([]byte, SealBytes), uint64(s.data.end))
		value = append(value, record...)
		Seal(value)
		return replaceFile(filepath.Join(s.dir, recordFile), value)
	})
}

// inPlace returns ErrDamaged if the data file is not what was written, or was removed.
func (s *Store) inPlace() error {
	info, err := s.data.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(filepath.Join(s.dir, dataFile)); err != nil || !os.SameFile(info, there) {
		return fmt.Errorf("%w: a file was removed while it was in use", ErrDamaged)
	}
	return s.data.intact()
}

// Record returns the record, nil if there is none.
func (s *Store) Record() ([]byte, error) { return ReadRecord(s.dir) }

// ReadRecord returns the record of the store in a folder, nil if nothing was committed to it yet, whether a process uses the
// store meanwhile or not. It writes nothing. Errors are ErrMissing, ErrDamaged, ErrFormat, or those of the file system.
func ReadRecord(dir string) ([]byte, error) {
	_, record, err := readRecord(dir)
	return record, classify("read the checkpoint of "+dir, err)
}

// readRecord returns the record, and the size that the data file had when it was committed.
func readRecord(dir string) (committed int64, record []byte, err error) {
	if err := present(dir); err != nil {
		return 0, nil, err
	}
	value, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err == nil {
		value, err = Unseal(value)
	}
	if err == nil && len(value) < 8 {
		err = fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	if err != nil {
		return 0, nil, err
	}
	return int64(binary.LittleEndian.Uint64(value)), value[8:], nil
}

// present returns an error unless a folder holds a store of this format.
func present(dir string) error {
	switch {
	case isOlder(dir):
		return ErrFormat
	case exists(filepath.Join(dir, lockFile)):
		return nil
	}
	return ErrMissing
}

// isOlder reports whether a folder holds a store of an earlier version, which kept its states in a database.
func isOlder(dir string) bool {
	return exists(filepath.Join(dir, "MANIFEST")) || exists(filepath.Join(dir, "states"))
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

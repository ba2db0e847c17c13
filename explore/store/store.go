package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

// What can be the matter with a store.
var (
	ErrFull     = errors.New("the disk is full")
	ErrLocked   = errors.New("another process uses the store")
	ErrDamaged  = errors.New("the store is damaged")
	ErrExists   = errors.New("the folder holds a store already")
	ErrNotEmpty = errors.New("the folder holds something else")
	ErrMissing  = errors.New("there is no store")
	ErrFormat   = errors.New("the store has another format")
)

// A Store is a folder with runs, tables and a record. Readers, Joiners and Writers may be used by many goroutines at
// once; everything else is for one goroutine at a time.
type Store struct {
	dir       string
	lock      *os.File
	states    *Pile // of entries
	temporary bool
	interpose func(doing string) error
	bytes     atomic.Int64 // written or found
	lastRun   uint32       // the highest number in use
	spare     sync.Pool    // of *blocks

	// What Rewind has found: the entries of tables in their order.
	runs   map[uint32]*Run
	tables map[uint32][]Piece
}

const (
	// statesFile holds the entries of runs and tables. It is only appended to.
	statesFile = "states"
	// recordFile holds the record, behind the size that statesFile had then. It is replaced as a whole.
	recordFile = "RECORD"
)

func newStore(dir string) *Store {
	return &Store{dir: dir, spare: sync.Pool{New: func() any { return new(blocks) }}}
}

// Create makes a store in a folder that is empty, does not exist yet, or holds a store to which nothing was committed
// because the process was killed before. Errors are ErrExists, ErrNotEmpty, ErrLocked, ErrFull, or those of the file
// system.
func Create(dir string) (*Store, error) {
	fresh := !exists(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, classify("create the store", err)
	}
	s := newStore(dir)
	err := s.claim()
	if err == nil {
		err = s.open(os.O_CREATE)
	}
	if err != nil {
		s.unlock()
		if fresh {
			os.RemoveAll(dir)
		}
		return nil, classify("create "+dir, err)
	}
	return s, nil
}

// claim locks the folder for a new store, and removes what is left of one to which nothing was committed.
func (s *Store) claim() (err error) {
	record := filepath.Join(s.dir, recordFile)
	if exists(record) || exists(filepath.Join(s.dir, manifest)) {
		return ErrExists
	}
	if exists(filepath.Join(s.dir, lockFile)) {
		if s.lock, err = oldLock(s.dir); err != nil {
			return err
		}
		if exists(record) { // meanwhile
			return ErrExists
		}
		return clearOut(s.dir)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return ErrNotEmpty
	}
	s.lock, err = newLock(s.dir)
	return err
}

// Temporary makes a store in a new folder under dir, or under the system's folder for such if dir is "". Close removes
// it; if the process is killed before, the next temporary store under the same folder does.
func Temporary(dir string) (*Store, error) {
	dir = cmp.Or(dir, os.TempDir())
	sweep(dir)
	dir, err := os.MkdirTemp(dir, temporaryPrefix)
	if err != nil {
		return nil, classify("create a temporary store", err)
	}
	s := newStore(dir)
	s.temporary = true
	if s.lock, err = newLock(dir); err == nil {
		err = s.open(os.O_CREATE)
	}
	if err != nil {
		os.RemoveAll(dir)
		s.unlock()
		return nil, classify("create "+dir, err)
	}
	return s, nil
}

// Open opens an existing store; Rewind comes next. Errors are ErrMissing, ErrFormat, ErrLocked, ErrDamaged, or those of
// the file system.
func Open(dir string) (*Store, error) {
	s := newStore(dir)
	err := present(dir)
	if err == nil {
		s.lock, err = oldLock(dir)
	}
	if err == nil {
		if err = s.open(0); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: there are no states", ErrDamaged)
		}
	}
	if err != nil {
		s.unlock()
		return nil, classify("open "+dir, err)
	}
	return s, nil
}

// manifest is a file of the stores of an earlier version, in which states was a folder later.
const manifest = "MANIFEST"

// present returns an error unless a folder holds a store of this format.
func present(dir string) error {
	info, err := os.Lstat(filepath.Join(dir, statesFile))
	switch {
	case err == nil && info.IsDir(), exists(filepath.Join(dir, manifest)):
		return ErrFormat
	case exists(filepath.Join(dir, lockFile)), exists(filepath.Join(dir, recordFile)):
		return nil
	}
	return ErrMissing
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// open opens the file of the entries; the folder is locked.
func (s *Store) open(flag int) error {
	file, err := os.OpenFile(filepath.Join(s.dir, statesFile), os.O_RDWR|flag, 0o666)
	if err != nil {
		return err
	}
	s.states = &Pile{store: s, file: file}
	info, err := file.Stat()
	if err == nil {
		s.states.end.Store(info.Size())
		s.states.whole.Store(info.Size())
		s.bytes.Store(info.Size())
	}
	return err
}

func (s *Store) unlock() {
	if s.lock != nil {
		s.lock.Close()
	}
}

// Interpose makes the store call f before each access, which fails with the error of f. It is for tests of a failing
// disk.
func (s *Store) Interpose(f func(doing string) error) { s.interpose = f }

// access makes an access to the disk.
func (s *Store) access(doing string, f func() error) error {
	if s.interpose != nil {
		if err := s.interpose(doing); err != nil {
			return classify(doing, err)
		}
	}
	return classify(doing, f())
}

// classify adds what was being done, and wraps the error of this package that fits.
func classify(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	case errors.Is(err, syscall.EWOULDBLOCK):
		return fmt.Errorf("%s: %w", doing, ErrLocked)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Bytes returns the size of everything that was written, in bytes.
func (s *Store) Bytes() int64 { return s.bytes.Load() }

// Close closes the store, and removes a temporary one.
func (s *Store) Close() error {
	err := classify("close "+s.dir, s.states.file.Close())
	if s.temporary {
		err = errors.Join(err, classify("remove "+s.dir, os.RemoveAll(s.dir)))
	}
	s.unlock()
	return err
}

// Commit replaces the record. All that was written before is on disk when the new record takes effect, and the record
// is when Commit returns.
func (s *Store) Commit(record []byte) error {
	end := s.states.end.Load()
	return s.access("write the checkpoint to "+s.dir, func() error {
		if err := s.states.intact(); err != nil {
			return err
		}
		if err := s.states.file.Sync(); err != nil {
			return err
		}
		value := binary.LittleEndian.AppendUint64(make([]byte, hashBytes), uint64(end))
		value = append(value, record...)
		seal(value)
		return replaceFile(filepath.Join(s.dir, recordFile), value)
	})
}

// ReadRecord returns the record of the store in a folder, nil if nothing was committed yet. It writes nothing, and
// works while another process uses the store. Errors are ErrMissing, ErrDamaged, ErrFormat, or those of the file
// system.
func ReadRecord(dir string) ([]byte, error) {
	_, record, err := readRecord(dir)
	return record, err
}

// readRecord returns the record as well as the size of the entries that were written before it.
func readRecord(dir string) (end int64, record []byte, err error) {
	doing := "read the checkpoint of " + dir
	if err := present(dir); err != nil {
		return 0, nil, classify(doing, err)
	}
	value, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err == nil {
		value, err = unseal(value)
	}
	if err == nil && len(value) < 8 {
		err = fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	if err != nil {
		return 0, nil, classify(doing, err)
	}
	return int64(binary.LittleEndian.Uint64(value)), value[8:], nil
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
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close()) // the list of the folder's files
}

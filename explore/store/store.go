package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A Store is a folder with runs, tables and a record. Readers, Joiners and Writers may be used by many goroutines at once;
// everything else is for one goroutine at a time.
type Store struct {
	dir       string
	lock      *os.File
	data      *Pile // the entries
	temporary bool
	interpose func(doing string) error
	bytes     atomic.Int64 // written or found
	lastRun   uint32       // the highest number in use
	// index says where entries are: those of tables, and those of runs that were found and not loaded.
	index map[owner][]entry
	spare sync.Pool // of *blocks
}

// dataFile holds the entries of a store.
const dataFile = "DATA"

func newStore(dir string) *Store {
	s := &Store{dir: dir, index: make(map[owner][]entry)}
	s.spare.New = func() any { return new(blocks) }
	return s
}

// Create makes a store in a folder that is empty, does not exist yet, or holds a store to which nothing was committed
// because the process was killed before. Errors are ErrExists, ErrNotEmpty, ErrLocked, ErrFull, or those of the file system.
func Create(dir string) (*Store, error) {
	fresh := !exists(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, classify("create the store", err)
	}
	s := newStore(dir)
	err := s.claim()
	if err == nil {
		err = s.create()
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
	if exists(filepath.Join(s.dir, recordFile)) || isOlder(s.dir) {
		return ErrExists
	}
	if exists(filepath.Join(s.dir, lockFile)) {
		if s.lock, err = oldLock(s.dir); err != nil {
			return err
		}
		if exists(filepath.Join(s.dir, recordFile)) { // meanwhile
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

// create makes the file of a new store.
func (s *Store) create() error {
	file, err := os.Create(filepath.Join(s.dir, dataFile))
	s.data = &Pile{store: s, file: file}
	return err
}

// Temporary makes a store in a new folder under dir, or under the system's folder for such if dir is "". Close removes it; if
// the process is killed before, the next temporary store under the same folder does.
func Temporary(dir string) (*Store, error) {
	const doing = "create a temporary store"
	if dir == "" {
		dir = os.TempDir()
	}
	sweep(dir)
	dir, err := os.MkdirTemp(dir, temporaryPrefix)
	if err != nil {
		return nil, classify(doing, err)
	}
	s := newStore(dir)
	s.temporary = true
	if s.lock, err = newLock(dir); err == nil {
		err = s.create()
	}
	if err != nil {
		os.RemoveAll(dir)
		s.unlock()
		return nil, classify(doing, err)
	}
	return s, nil
}

// Open opens an existing store, as it was when it was last committed. Errors are ErrMissing, ErrFormat, ErrLocked,
// ErrDamaged, or those of the file system.
func Open(dir string) (*Store, error) {
	doing := "open " + dir
	s := newStore(dir)
	err := present(dir)
	if err == nil {
		s.lock, err = oldLock(dir)
	}
	if err != nil {
		return nil, classify(doing, err)
	}
	if err := s.access(doing, s.find); err != nil {
		s.unlock()
		return nil, err
	}
	return s, nil
}

// find opens the file, removes what was written after the last commit, and finds out what there is.
func (s *Store) find() error {
	committed, _, err := readRecord(s.dir)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(s.dir, dataFile), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: there are no states", ErrDamaged)
	}
	if err != nil {
		return err
	}
	s.data = &Pile{store: s, file: file, end: committed}
	if err = s.data.intact(); err == nil {
		err = cmp.Or(file.Truncate(committed), s.scan())
	}
	if err != nil {
		file.Close()
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (s *Store) unlock() {
	if s.lock != nil {
		s.lock.Close()
	}
}

// Interpose makes the store ask f before it reads or writes anything: an error of f is the outcome. It is for tests of what
// becomes of those who use a store that fails.
func (s *Store) Interpose(f func(doing string) error) { s.interpose = f }

// access accesses the disk.
func (s *Store) access(doing string, f func() error) error {
	if s.interpose != nil {
		if err := s.interpose(doing); err != nil {
			return classify(doing, err)
		}
	}
	return classify(doing, f())
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Bytes returns the size of everything that was written, in bytes.
func (s *Store) Bytes() int64 { return s.bytes.Load() }

// Close closes the store, and removes a temporary one. What was written since the last Commit is lost.
func (s *Store) Close() error {
	err := classify("close "+s.dir, s.data.file.Close())
	if s.temporary {
		err = errors.Join(err, classify("remove "+s.dir, os.RemoveAll(s.dir)))
	}
	s.unlock()
	return err
}

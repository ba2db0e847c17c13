package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// A Store is a folder with runs, tables and a record. Readers and Subtract may be used by many goroutines at once; nothing
// else, and nothing is written meanwhile.
type Store struct {
	dir       string
	db        *badger.DB
	temporary bool
	space     space
	tables    tableSums
	interpose func(doing string) error
	bytes     atomic.Int64 // of values written or found
	lastRun   uint32       // the highest number in use
}

// Badger's options. A memtable holds where some ten thousand blocks are; a file of the value log holds some thousand.
// Values of valueThreshold bytes and more are in the value log. (Badger ends a transaction with an entry that it does not
// understand any more if its value, of 20 bytes at most, goes to the value log, too.)
const (
	memtableSize   = 4 << 20
	valueLogSize   = 16 << 20
	valueThreshold = 64
)

func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithDetectConflicts(false). // there is one writer
		WithCompression(options.None).
		WithBlockCacheSize(0). // nothing to decompress: the page cache is enough
		WithMemTableSize(memtableSize).
		WithNumMemtables(2).
		WithNumCompactors(2).
		WithValueLogFileSize(valueLogSize).
		WithValueThreshold(valueThreshold)
}

// manifest is a file that every badger folder has.
const manifest = "MANIFEST"

// Create makes a store in a folder that is empty or does not exist yet. Errors are ErrExists, ErrNotEmpty, ErrFull, or those of
// the file system.
func Create(dir string) (*Store, error) {
	doing := "create " + dir
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, classify("create the store", err)
		}
	case err != nil:
		return nil, classify("create the store", err)
	case exists(filepath.Join(dir, manifest)):
		return nil, fmt.Errorf("%s: %w", doing, ErrExists)
	case len(entries) > 0:
		return nil, fmt.Errorf("%s: %w", doing, ErrNotEmpty)
	}
	s, err := open(doing, dir)
	if errors.Is(err, ErrFull) {
		os.RemoveAll(dir) // there was nothing before
	}
	return s, err
}

// Temporary makes a store in a new folder under dir, or under the system's folder for such if dir is "". Close removes it.
func Temporary(dir string) (*Store, error) {
	dir, err := os.MkdirTemp(dir, "ringcheck-")
	if err != nil {
		return nil, classify("create a temporary store", err)
	}
	s, err := open("create "+dir, dir)
	if err != nil {
		return nil, cmp.Or(err, os.RemoveAll(dir))
	}
	s.temporary = true
	return s, nil
}

// Open opens an existing store. Errors are ErrMissing, ErrLocked, ErrDamaged, ErrFull, or those of the file system.
func Open(dir string) (*Store, error) {
	doing := "open " + dir
	if _, err := os.Stat(filepath.Join(dir, manifest)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrMissing
		}
		return nil, classify(doing, err)
	}
	s, err := open(doing, dir)
	if err != nil {
		return nil, err
	}
	if err := s.measure(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func open(doing, dir string) (*Store, error) {
	s := &Store{dir: dir, space: space{dir: dir}}
	err := guard(doing, func() error {
		if err := tidy(dir); err != nil {
			return err
		}
		if err := s.space.begin(); err != nil {
			return err
		}
		var err error
		if s.tables, err = verifyTables(dir); err != nil {
			return err
		}
		s.db, err = badger.Open(badgerOptions(dir))
		if err != nil {
			return err
		}
		return s.space.ahead()
	})
	if err == nil {
		return s, nil
	}
	if s.db != nil {
		s.Close()
	}
	return nil, err
}

// Interpose makes the store ask f before it reads or writes anything: an error of f is the outcome. It is for tests of what
// becomes of those who use a store that fails.
func (s *Store) Interpose(f func(doing string) error) { s.interpose = f }

// access guards an access to the disk.
func (s *Store) access(doing string, f func() error) error {
	if s.interpose != nil {
		if err := s.interpose(doing); err != nil {
			return classify(doing, err)
		}
	}
	return guard(doing, f)
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Bytes returns the size of everything that was written, in bytes.
func (s *Store) Bytes() int64 { return s.bytes.Load() }

// Close closes the store, and removes a temporary one. If the disk is nearly full, or the folder is gone, the store is left
// as if the process had been killed, and stays locked until it ends.
func (s *Store) Close() error {
	err := guard("close "+s.dir, func() error {
		if closable, err := s.space.end(); !closable {
			return err
		}
		if err := s.db.Close(); err != nil || s.temporary {
			return err
		}
		tables, err := filepath.Glob(filepath.Join(s.dir, "*.sst"))
		for i := range tables {
			tables[i] = filepath.Base(tables[i])
		}
		return errors.Join(err, s.tables.update(s.dir, tables))
	})
	if s.temporary {
		err = errors.Join(err, classify("remove "+s.dir, os.RemoveAll(s.dir)))
	}
	return err
}

// measure finds out what there is.
func (s *Store) measure() error {
	return s.access("read "+s.dir, func() error {
		return s.db.View(func(txn *badger.Txn) error {
			it := txn.NewIterator(badger.IteratorOptions{})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				s.bytes.Add(it.Item().ValueSize())
				if kind, number, _, ok := splitKey(it.Item().Key()); ok && kind == runKey {
					s.lastRun = max(s.lastRun, number)
				}
			}
			return nil
		})
	})
}

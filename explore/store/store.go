//go:build !js

package store

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// A Store is a folder with runs, tables and a record. Readers, Joiners and Writers may be used by many goroutines at
// once, and see what was written before they were made; everything else is for one goroutine at a time.
type Store struct {
	dir          string
	badgerPath   string // the path of badger's folder without symbolic links
	lock         *os.File
	db           *badger.DB
	temporary    bool
	space        space
	tables       tableSums
	interpose    func(doing string) error
	bytes        atomic.Int64          // the total size of values in bytes
	touchedBytes atomic.Int64          // the number of bytes of the value log touched since release
	lastRun      uint32                // the highest number in use
	writing      sync.Mutex            // held while writing
	spare        sync.Pool             // spare *blocks
	broken       atomic.Pointer[error] // set if badger must not be called again
}

// Badger's options. A memtable indexes about ten thousand blocks; a file of the value log holds about a thousand.
// Values of valueThreshold bytes and more are in the value log. (The value of the entry that ends a transaction, of at
// most 20 bytes, must not be there: badger could not read it.)
const (
	memtableSize   = 4 << 20
	valueLogSize   = 16 << 20
	valueThreshold = 64
)

// badgerOptions disables compactors: they would read in goroutines of badger, which do not recover from a fault in a
// memory map. There are few tables to compact, about one for a hundred million states, and no key is written twice.
func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithDetectConflicts(false). // there is only one writer
		WithCompression(options.None).
		WithBlockCacheSize(0). // nothing to decompress: the page cache is enough
		WithMemTableSize(memtableSize).
		WithNumMemtables(2).
		WithNumCompactors(0).
		WithNumLevelZeroTablesStall(math.MaxInt32).
		WithValueLogFileSize(valueLogSize).
		WithValueThreshold(valueThreshold)
}

const (
	badgerFolder = "states"   // badger's part of a store's folder
	manifest     = "MANIFEST" // a file that every badger folder has

	valueLogExtension = ".vlog"
)

// Create creates a store in a folder that is empty, does not exist, or holds a store to which nothing was committed
// because its process was killed. The error is ErrExists, ErrNotEmpty, ErrLocked or ErrFull, or comes from the file
// system.
func Create(dir string) (*Store, error) {
	doing := "create " + dir
	fresh := !exists(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, classify("create the store", err)
	}
	s := &Store{spare: sync.Pool{New: func() any { return new(blocks) }}, dir: dir}
	err := classify(doing, s.claim())
	if err == nil {
		err = s.open(doing)
	}
	if err != nil {
		s.unlock()
		if fresh {
			os.RemoveAll(dir)
		}
		return nil, err
	}
	return s, nil
}

// claim locks the folder for a new store, and removes an old one to which nothing was committed.
func (s *Store) claim() (err error) {
	if exists(filepath.Join(s.dir, recordFile)) {
		return ErrExists
	}
	if exists(filepath.Join(s.dir, lockFile)) {
		if s.lock, err = oldLock(s.dir); err != nil {
			return err
		}
		if exists(filepath.Join(s.dir, recordFile)) { // another process has committed meanwhile
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

// Temporary creates a store in a new folder under dir, or under the system's folder for temporary files if dir is "".
// Close removes it; if the process is killed, the creation of the next temporary store under the same folder removes
// it.
func Temporary(dir string) (*Store, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	sweep(dir)
	dir, err := os.MkdirTemp(dir, temporaryPrefix)
	if err != nil {
		return nil, classify("create a temporary store", err)
	}
	s := &Store{spare: sync.Pool{New: func() any { return new(blocks) }}, dir: dir, temporary: true}
	if s.lock, err = newLock(dir); err != nil {
		return nil, cmp.Or(classify("create a temporary store", err), os.RemoveAll(dir))
	}
	if err := s.open("create " + dir); err != nil {
		os.RemoveAll(dir)
		s.unlock()
		return nil, err
	}
	return s, nil
}

// Open opens an existing store. The error is ErrMissing, ErrLocked, ErrDamaged or ErrFull, or comes from the file
// system.
func Open(dir string) (*Store, error) {
	doing := "open " + dir
	s := &Store{spare: sync.Pool{New: func() any { return new(blocks) }}, dir: dir}
	err := present(dir)
	if err == nil {
		s.lock, err = oldLock(dir)
	}
	if err != nil {
		return nil, classify(doing, err)
	}
	if !exists(filepath.Join(dir, badgerFolder, manifest)) {
		s.unlock()
		return nil, fmt.Errorf("%s: %w: there are no states", doing, ErrDamaged)
	}
	if err := s.open(doing); err != nil {
		s.unlock()
		return nil, err
	}
	if err := s.measure(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// regular refuses a folder with anything but regular files: to open a named pipe would take forever.
func regular(dir string) error {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f.Name())); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%w: %s is not a regular file", ErrDamaged, f.Name())
		}
	}
	return err
}

// open opens the folder, which must be locked.
func (s *Store) open(doing string) error {
	dir := filepath.Join(s.dir, badgerFolder)
	s.space.dir = dir
	return s.guard(doing, func() error {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := tidy(dir); err != nil {
			return err
		}
		err := regular(dir)
		if err != nil {
			return err
		}
		if err := s.space.begin(); err != nil {
			return err
		}
		if s.tables, err = verifyTables(dir); err != nil {
			return err
		}
		if s.badgerPath, err = filepath.Abs(dir); err == nil {
			s.badgerPath, err = filepath.EvalSymlinks(s.badgerPath)
		}
		if err != nil {
			return err
		}
		if s.db, err = badger.Open(badgerOptions(dir)); err != nil {
			return err
		}
		return s.space.allocateAhead()
	})
}

func (s *Store) unlock() {
	if s.lock != nil {
		s.lock.Close()
	}
}

// Interpose makes the store call f before each access, which fails with the error of f. It is for tests of disk
// failures.
func (s *Store) Interpose(f func(doing string) error) { s.interpose = f }

func (s *Store) access(doing string, f func() error) error {
	if s.interpose != nil {
		if err := s.interpose(doing); err != nil {
			return classify(doing, err)
		}
	}
	return s.guard(doing, f)
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Bytes returns the size of all values, in bytes.
func (s *Store) Bytes() int64 { return s.bytes.Load() }

// Close closes the store, and removes a temporary one. If the disk is nearly full, or files were damaged or removed
// meanwhile, the store is left as after a kill, and stays locked until the process ends.
func (s *Store) Close() error {
	var err error
	if s.broken.Load() == nil {
		err = s.guard("close "+s.dir, s.closeBadger)
	}
	if s.temporary {
		err = errors.Join(err, classify("remove "+s.dir, os.RemoveAll(s.dir)))
	}
	if s.broken.Load() == nil {
		s.unlock()
	}
	return err
}

// closeBadger closes badger if that is safe.
func (s *Store) closeBadger() error {
	if err := s.intact(); err != nil {
		return s.breakDown(err)
	}
	if closable, err := s.space.end(); !closable {
		s.breakDown(cmp.Or(err, ErrFull))
		return err
	}
	if err := s.db.Close(); err != nil || s.temporary {
		return err
	}
	tables, err := filepath.Glob(filepath.Join(s.space.dir, "*.sst"))
	for i := range tables {
		tables[i] = filepath.Base(tables[i])
	}
	return errors.Join(err, s.tables.update(s.space.dir, tables))
}

// intact fails if files of the store were removed or truncated, or its folder was removed. The folder that has its name
// now may be the store of another process.
func (s *Store) intact() error {
	ours, err := s.lock.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Lstat(filepath.Join(s.dir, lockFile)); err != nil || !os.SameFile(ours, named) {
		return fmt.Errorf("%w: the folder was removed while it was in use", ErrDamaged)
	}
	return s.space.intact()
}

// eachEntry calls do with the entries whose keys have a prefix, in the order of the keys.
func (s *Store) eachEntry(doing string, prefix []byte, do func(item *badger.Item)) error {
	return s.access(doing, func() error {
		return s.db.View(func(txn *badger.Txn) error {
			it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				do(it.Item())
			}
			return nil
		})
	})
}

// measure adds up the sizes of the values and finds the last run.
func (s *Store) measure() error {
	return s.eachEntry("read "+s.dir, nil, func(item *badger.Item) {
		s.bytes.Add(item.ValueSize())
		if kind, number, _, ok := splitKey(item.Key()); ok && kind == runKey {
			s.lastRun = max(s.lastRun, number)
		}
	})
}

// mostTouched is the number of bytes of the value log that are touched before release is called.
const mostTouched = 2 << 20

// touch counts bytes of the value log that were read or written. Badger unmaps files only when it writes.
func (s *Store) touch(bytes int) {
	if s.touchedBytes.Add(int64(bytes)) < mostTouched || !s.writing.TryLock() {
		return
	}
	defer s.writing.Unlock()
	if s.touchedBytes.Swap(0) >= mostTouched {
		release(s.badgerPath, valueLogExtension)
	}
}

// batchBytes is the size of a transaction, for which space.allocateAhead makes room.
const batchBytes = 1 << 20

// A batch collects entries and writes them, some at a time.
type batch struct {
	store *Store
	doing string
	keys  [][]byte
	data  [][]byte
	size  int
}

// put adds an entry; value has space for its checksum in front. The batch keeps both slices.
func (b *batch) put(key, value []byte) error {
	seal(key, value)
	b.keys, b.data = append(b.keys, key), append(b.data, value)
	if b.size += len(key) + len(value); b.size < batchBytes {
		return nil
	}
	return b.flush()
}

// flush writes the collected entries.
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
	b.store.touch(b.size)
	b.keys, b.data, b.size = b.keys[:0], b.data[:0], 0
	return err
}

// update makes changes of not much more than batchBytes in one transaction.
func (s *Store) update(doing string, change func(txn *badger.Txn) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.access(doing, func() error {
		if err := s.writable(); err != nil {
			return err
		}
		if err := s.db.Update(change); err != nil {
			return err
		}
		return s.space.allocateAhead()
	})
}

// writable fails unless there is room on the disk, and the store is intact.
func (s *Store) writable() error {
	if err := s.space.check(spare); err != nil {
		return err
	}
	if err := s.intact(); err != nil {
		return s.breakDown(err)
	}
	return nil
}

// guard calls f, which calls badger and nothing else. A panic of badger's, or a fault in one of its memory maps,
// becomes ErrDamaged: a file is missing or is not what badger wrote. Badger may hold locks then, so it is not called
// again, not even to close.
func (s *Store) guard(doing string, f func() error) (err error) {
	if broken := s.broken.Load(); broken != nil {
		return *broken
	}
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = s.breakDown(fmt.Errorf("%s: %w: %s", doing, ErrDamaged, reason(r)))
		}
	}()
	return classify(doing, f())
}

// breakDown makes err the outcome of all later calls.
func (s *Store) breakDown(err error) error {
	s.broken.CompareAndSwap(nil, &err)
	return err
}

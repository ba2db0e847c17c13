package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A space makes sure that there is room on the disk for what badger writes into its maps.
type space struct {
	dir   string
	ready map[string]bool  // files whose blocks are allocated
	sizes map[string]int64 // of the files that badger maps, when ahead was called last
}

const (
	// reserve is the name of a file that takes the room that badger needs to close.
	reserve      = "reserve"
	reserveBytes = 2 * memtableSize
	// spare is what must be free before anything is written: for the tables that badger makes of memtables at times of
	// its own choice.
	spare = 4 * memtableSize
	// What is written of a file before badger begins the next one.
	logBytes      = valueLogSize + 2*batchBytes
	memtableBytes = memtableSize + batchBytes
)

// begin takes the reserve, before badger is opened.
func (s *space) begin() error {
	s.ready = make(map[string]bool)
	if err := s.check(spare + reserveBytes + logBytes + memtableBytes); err != nil {
		return err
	}
	path := filepath.Join(s.dir, reserve)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	err = allocate(f, reserveBytes)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// end gives the reserve back, and reports whether badger can be closed: it writes then, and would end the process where
// the disk is full. If it is not closed, what was written is as safe as if the process had been killed.
func (s *space) end() (closable bool, err error) {
	full := s.check(spare) != nil
	err = os.Remove(filepath.Join(s.dir, reserve))
	return !full && err == nil, err
}

// check fails if less is free than is needed.
func (s *space) check(need uint64) error {
	if free, ok := available(s.dir); ok && free < need {
		return fmt.Errorf("%w: less than %d MiB are free", ErrFull, need>>20)
	}
	return nil
}

// intact reports that a file has been removed or cut off since the last call of ahead. Badger is about to write then,
// in goroutines of its own, where a fault in the map of such a file would end the process.
func (s *space) intact() error {
	for name, size := range s.sizes {
		info, err := os.Lstat(filepath.Join(s.dir, name))
		switch {
		case os.IsNotExist(err) && filepath.Ext(name) == ".mem": // badger has written a table of it
		case err != nil:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		case info.Size() < size && !(info.Size() == 0 && s.isRemoved(name)):
			return fmt.Errorf("%w: %s was cut off while it was in use", ErrDamaged, name)
		}
	}
	return nil
}

// isRemoved reports whether an empty file is one that badger has written a table of: it makes it empty, and then
// removes it. On a busy machine there can be some time between the two.
func (s *space) isRemoved(name string) bool {
	if filepath.Ext(name) != ".mem" {
		return false
	}
	for range 1000 {
		if _, err := os.Lstat(filepath.Join(s.dir, name)); os.IsNotExist(err) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// ahead allocates the blocks of the files that badger writes to next. It makes a new file at the end of a transaction,
// if at all: so there is time.
func (s *space) ahead() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	s.sizes = make(map[string]int64)
	for _, e := range entries {
		size := int64(0)
		switch {
		case strings.HasSuffix(e.Name(), valueLogExtension):
			size = logBytes
		case strings.HasSuffix(e.Name(), ".mem"):
			size = memtableBytes
		case !strings.HasSuffix(e.Name(), ".sst"):
			continue
		}
		if info, err := e.Info(); err == nil {
			s.sizes[e.Name()] = info.Size()
		}
		if size == 0 || s.ready[e.Name()] {
			continue
		}
		if err := s.allocate(e.Name(), size); err != nil {
			return err
		}
		s.ready[e.Name()] = true
	}
	return nil
}

// allocate allocates the blocks of a file up to its size at most: one that is not written to any more is short.
func (s *space) allocate(name string, size int64) error {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return nil // badger has removed it meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= size {
		return err
	}
	return allocate(f, size)
}

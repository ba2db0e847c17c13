//go:build !js

package store

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A space ensures that the disk has room for what badger writes into its memory maps.
type space struct {
	dir   string
	ready map[string]bool  // files whose blocks are allocated
	sizes map[string]int64 // the sizes of the files that badger maps, as of the last call of allocateAhead
}

const (
	// reserve is the name of a file that reserves the disk space that badger needs to close.
	reserve      = "reserve"
	reserveBytes = 2 * memtableSize
	// spare is the disk space that must be free before anything is written: for the tables that badger writes from
	// memtables at any time.
	spare = 4 * memtableSize
	// The most that is written to a file before badger begins the next one; the file itself can be larger.
	logBytes      = valueLogSize + 2*batchBytes
	memtableBytes = memtableSize + batchBytes
)

// begin allocates the reserve, before badger is opened.
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

// end frees the reserve, and reports whether badger can be closed: closing writes, and would end the process on a full
// disk. If badger is not closed, the data are as safe as after a kill.
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

// intact fails if a file has been removed or truncated since the last call of allocateAhead. Badger is about to write,
// in goroutines of its own, where a fault in the map of such a file would end the process.
func (s *space) intact() error {
	for name, size := range s.sizes {
		info, err := os.Lstat(filepath.Join(s.dir, name))
		switch {
		case os.IsNotExist(err) && filepath.Ext(name) == ".mem": // badger has written it to a table
		case err != nil:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		case info.Size() < size && !(info.Size() == 0 && s.isRemoved(name)):
			return fmt.Errorf("%w: %s was truncated while it was in use", ErrDamaged, name)
		}
	}
	return nil
}

// isRemoved reports whether an empty file is a memtable that badger has written to a table: it truncates and then
// removes it. On a busy machine some time can pass between the two.
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

// allocateAhead allocates the disk blocks of the files that badger writes to next. Badger makes new files at the end of
// a transaction only, so this is in time.
func (s *space) allocateAhead() error {
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

// allocate allocates the blocks of a file up to size. It leaves a shorter file alone, to which nothing more is written.
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

// Badger opens its tables in goroutines of its own, and a damaged one ends the process. So the store keeps checksums of
// the tables, and verifies them first.

// sumsFile has a line for each table, with its checksum and name, and one with the checksum of the lines before.
const sumsFile = "SUMS"

// tableSums are the checksums of tables by file name. A table never changes.
type tableSums map[string]string

// update adds new tables, drops removed ones, and writes the file if anything has changed.
func (t tableSums) update(dir string, tables []string) error {
	changed := len(t) > len(tables)
	maps.DeleteFunc(t, func(name, _ string) bool { return !slices.Contains(tables, name) })
	for _, name := range tables {
		if t[name] != "" {
			continue
		}
		sum, err := fileSum(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // badger has merged it with others
		}
		if err != nil {
			return err
		}
		t[name], changed = sum, true
	}
	if !changed {
		return nil
	}
	return t.write(filepath.Join(dir, sumsFile))
}

func (t tableSums) write(path string) error { return replaceFile(path, []byte(t.text())) }

// text returns the content of the file.
func (t tableSums) text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&b, "%s %s\n", t[name], name)
	}
	fmt.Fprintf(&b, "%016x\n", xxhash.Sum64String(b.String()))
	return b.String()
}

// parseSums is the inverse of text.
func parseSums(text string) (tableSums, error) {
	text = strings.TrimSuffix(text, "\n")
	lines, last := "", text
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		lines, last = text[:i+1], text[i+1:]
	}
	if last != fmt.Sprintf("%016x", xxhash.Sum64String(lines)) {
		return nil, fmt.Errorf("%w: %s has a wrong checksum", ErrDamaged, sumsFile)
	}
	t := tableSums{}
	for line := range strings.Lines(lines) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		t[name] = sum
	}
	return t, nil
}

// verifyTables compares the tables in a folder with their checksums, as far as these are known.
func verifyTables(dir string) (tableSums, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return tableSums{}, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := parseSums(string(data))
	if err != nil {
		return nil, err
	}
	for name, want := range t {
		switch got, err := fileSum(filepath.Join(dir, name)); {
		case errors.Is(err, fs.ErrNotExist): // badger has merged it with others, or will report it missing
		case err != nil:
			return nil, err
		case got != want:
			return nil, fmt.Errorf("%w: %s has a wrong checksum", ErrDamaged, name)
		}
	}
	return t, nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var h hash.Hash64 = xxhash.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
}

// tidy removes files that badger had not begun to fill when the process was killed, since it does not open them again,
// and badger's statistics of discarded values, which this store does not use.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		ext := filepath.Ext(e.Name())
		if info.Size() == 0 && (ext == ".mem" || ext == ".vlog") || e.Name() == "DISCARD" {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

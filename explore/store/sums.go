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

	"github.com/cespare/xxhash/v2"
)

// Badger opens its tables in goroutines of its own, and ends the process when one makes no sense. So the store keeps
// checksums of the tables, and looks at them before badger does.

// sumsFile has a line for each table, with its checksum and name, and one with the checksum of the lines before.
const sumsFile = "SUMS"

// tableSums are the checksums of tables by file name. A table never changes.
type tableSums map[string]string

// update takes new tables in, forgets those that are gone, and writes the file if there are any such.
func (t tableSums) update(dir string, tables []string) error {
	changed := len(t) > len(tables)
	maps.DeleteFunc(t, func(name, _ string) bool { return !slices.Contains(tables, name) })
	for _, name := range tables {
		if t[name] != "" {
			continue
		}
		sum, err := fileSum(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // merged with others meanwhile
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

// text is what the file says.
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
		case errors.Is(err, fs.ErrNotExist): // merged with others, or badger will miss it
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

// tidy removes files that badger made and did not come to fill before the process was killed: it does not open them
// again. Also what it remembers of discarded values, which this store does not use.
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

package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ringcheck/prob"
)

// Formats are the endings of the files that can be read and written.
func Formats() []string { return []string{".umb", ".tra", ".drn"} }

// Read reads the process in the file at a path, in the format that the name ends with. Of a .tra file, those beside it are read too.
func Read(path string) (*prob.MDP, error) {
	m, err := read(path)
	var inPath *fs.PathError
	if err == nil || errors.As(err, &inPath) || strings.HasPrefix(err.Error(), strings.TrimSuffix(path, ".tra")) {
		return m, err
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

func read(path string) (*prob.MDP, error) {
	ext := filepath.Ext(path)
	if ext == ".tra" {
		base := strings.TrimSuffix(path, ext)
		open := func(suffix string) (io.ReadCloser, error) { return os.Open(base + suffix) }
		return readPRISM(base, open, func(err error) bool { return errors.Is(err, fs.ErrNotExist) })
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch ext {
	case ".umb":
		return ReadUMB(f)
	case ".drn":
		return ReadDRN(path, f)
	}
	return nil, fmt.Errorf("want a file whose name ends in %s", strings.Join(Formats(), ", "))
}

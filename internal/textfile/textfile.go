// Package textfile reads files that a user names, and nothing that only looks like one.
package textfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Limit is how long a text may be, in bytes.
const Limit = 16 << 20

// Open opens a regular file. It does not wait for who writes to a pipe, and refuses devices and directories.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if reason, ok := errors.AsType[*os.PathError](err); ok {
			reason.Op = "open"
		}
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// Read returns the content of a regular file of up to Limit bytes. Files of the kernel, which have no length and some
// content all the same, are refused.
func Read(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	text, err := ReadFrom(file, path)
	if err == nil && info.Size() == 0 && len(text) > 0 {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return text, err
}

// ReadFrom returns what r has, up to Limit bytes; name is what it is called in errors.
func ReadFrom(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, Limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(text) > Limit:
		return nil, fmt.Errorf("%s is longer than %d MiB", name, Limit>>20)
	}
	return text, nil
}

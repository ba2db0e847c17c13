// Package textfile reads files that a user names, and nothing that only looks like one.
package textfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Limit is how long a text may be, in bytes.
const Limit = 16 << 20

// mark is the byte order mark with which some editors begin a text.
const mark = "\ufeff"

// TrimMark returns text without the byte order mark at its beginning, if there is one.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(mark)) }

// SkipMark skips the byte order mark if one is next. It waits for as many bytes, or for the end.
func SkipMark(r *bufio.Reader) {
	if next, _ := r.Peek(len(mark)); string(next) == mark {
		r.Discard(len(mark)) // it cannot fail: the bytes are buffered
	}
}

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

// Read returns the text of a regular file of up to Limit bytes, without a byte order mark. Files of the kernel, which
// have no length and some content all the same, are refused.
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

// ReadFrom returns the text that r has, up to Limit bytes, without a byte order mark. Errors call the text name.
func ReadFrom(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, Limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(text) > Limit:
		return nil, fmt.Errorf("%s is longer than %d MiB", name, Limit>>20)
	}
	return TrimMark(text), nil
}

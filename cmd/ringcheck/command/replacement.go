package command

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A replacement is a file under construction: it has a temporary name beside its final one, and takes the
// final name, in the place of a file that had it before, only when it is complete.
type replacement struct {
	*os.File
	path string
}

// replaceFile begins the file that will have the given path. A link is followed, so that it stays a link.
// Anything but a regular file (a device, a directory) is refused.
func replaceFile(path string) (*replacement, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	temporary := fmt.Sprintf("%s.%s.tmp", path, rand.Text()[:8])
	f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if failed := new(fs.PathError); errors.As(err, &failed) {
		failed.Path = path // the temporary name says nothing to the user
	}
	if err != nil {
		return nil, err
	}
	return &replacement{f, path}, nil
}

// commit gives the file its name.
func (r *replacement) commit() error {
	err := errors.Join(r.Sync(), r.Close())
	if err == nil {
		err = os.Rename(r.Name(), r.path)
	}
	if err != nil {
		os.Remove(r.Name())
	}
	return err
}

// discard removes the file.
func (r *replacement) discard() {
	r.Close()
	os.Remove(r.Name())
}

// writable reports at once what would be in the way of a file that a flag asks for in the end; path can be empty.
func writable(flag, path string) error {
	if path == "" {
		return nil
	}
	r, err := replaceFile(path)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	r.discard()
	return nil
}

// saveFile writes a whole file that is the value of a flag or argument.
func saveFile(flag, path string, data []byte) error {
	r, err := replaceFile(path)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	if _, err := r.Write(data); err != nil {
		r.discard()
		return stopped(fmt.Errorf("%s: %w", flag, err))
	}
	if err := r.commit(); err != nil {
		return stopped(fmt.Errorf("%s: %w", flag, err))
	}
	return nil
}

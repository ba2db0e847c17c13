package level

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Files stores the files of a search. Names are relative, with slashes. The error for a missing file wraps
// fs.ErrNotExist.
type Files interface {
	// Open opens a file to be read.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write writes a file atomically: it replaces any previous file once write has returned without an error.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	// Size returns the size of a file in bytes.
	Size(ctx context.Context, name string) (int64, error)
	// List returns the names of all files.
	List(ctx context.Context) ([]string, error)
	// Remove removes a file.
	Remove(ctx context.Context, name string) error
}

// A Folder is a directory of the local file system.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Open implements Files.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.path(name))
}

// unfinished is the suffix of files being written.
const unfinished = ".part"

// Write implements Files. It syncs the file, so that what a manifest names survives a crash of the machine.
func (f Folder) Write(_ context.Context, name string, write func(io.Writer) error) (err error) {
	path := f.path(name)
	file, err := os.CreateTemp(filepath.Dir(path), "*"+unfinished)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			file, err = os.CreateTemp(filepath.Dir(path), "*"+unfinished)
		}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(write(file), file.Chmod(0o666), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Size implements Files.
func (f Folder) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(f.path(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// List implements Files.
func (f Folder) List(context.Context) (names []string, err error) {
	err = filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(string(f), path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// Remove implements Files.
func (f Folder) Remove(_ context.Context, name string) error { return os.Remove(f.path(name)) }

// WriteFile writes a whole file.
func WriteFile(ctx context.Context, files Files, name string, data []byte) error {
	return files.Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReadFile reads a whole file.
func ReadFile(ctx context.Context, files Files, name string) ([]byte, error) {
	r, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"

	"ringcheck/cmd/ringcheck-beam/level"
)

// Open returns the files of a local folder, or of gs://BUCKET/PATH or s3://BUCKET/PATH.
func Open(dir string) (level.Files, error) {
	scheme, _, remote := strings.Cut(dir, "://")
	switch {
	case !remote:
		return level.Folder(dir), nil
	case scheme == "gs" || scheme == "s3":
		return bucket(strings.TrimSuffix(dir, "/") + "/"), nil
	}
	return nil, fmt.Errorf("%s: expected a folder, gs://BUCKET/PATH or s3://BUCKET/PATH", dir)
}

// A bucket is a folder of an object store that Beam's file systems can access. Such stores make writes atomic.
type bucket string

// store connects to the object store. Beam's file systems panic on a configuration that they reject.
func (b bucket) store(ctx context.Context) (_ filesystem.Interface, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: %v", b, v)
		}
	}()
	return filesystem.New(ctx, string(b))
}

func (b bucket) withStore(ctx context.Context, do func(filesystem.Interface) error) error {
	store, err := b.store(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// Open implements level.Files.
func (b bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	store, err := b.store(ctx)
	if err != nil {
		return nil, err
	}
	r, err := store.OpenRead(ctx, string(b)+name)
	if err != nil {
		return nil, errors.Join(missing(err), store.Close())
	}
	return openedFile{r, store}, nil
}

// openedFile is a file open for reading, with its file system.
type openedFile struct {
	io.ReadCloser
	store io.Closer
}

func (o openedFile) Close() error { return errors.Join(o.ReadCloser.Close(), o.store.Close()) }

// missing wraps fs.ErrNotExist if err says that an object does not exist; the stores have no common error for that.
func missing(err error) error {
	for _, words := range []string{"object doesn't exist", "NoSuchKey", "NotFound"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
	}
	return err
}

// Write implements level.Files.
func (b bucket) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	return b.withStore(ctx, func(store filesystem.Interface) error {
		ctx, abandon := context.WithCancel(ctx) // an object whose context is cancelled before it is closed is not made
		defer abandon()
		w, err := store.OpenWrite(ctx, string(b)+name)
		if err != nil {
			return err
		}
		if err := write(w); err != nil {
			abandon()
			_ = w.Close() // the context tells it to abandon the object
			return err
		}
		return w.Close()
	})
}

// Size implements level.Files.
func (b bucket) Size(ctx context.Context, name string) (size int64, err error) {
	err = b.withStore(ctx, func(store filesystem.Interface) error {
		size, err = store.Size(ctx, string(b)+name)
		if err != nil {
			err = missing(err)
		}
		return err
	})
	return size, err
}

// List implements level.Files. The files of a search are in folders, one level deep.
func (b bucket) List(ctx context.Context) (names []string, err error) {
	err = b.withStore(ctx, func(store filesystem.Interface) error {
		for _, pattern := range []string{"*", "*/*"} {
			found, err := store.List(ctx, string(b)+pattern)
			if err != nil {
				return err
			}
			for _, name := range found {
				names = append(names, strings.TrimPrefix(name, string(b)))
			}
		}
		return nil
	})
	return names, err
}

// Remove implements level.Files.
func (b bucket) Remove(ctx context.Context, name string) error {
	return b.withStore(ctx, func(store filesystem.Interface) error {
		remover, ok := store.(filesystem.Remover)
		if !ok {
			return nil
		}
		return remover.Remove(ctx, string(b)+name)
	})
}

//go:build !js

package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// lockFile is a file that is locked while a process uses the store, from before the process touches anything else in
// the folder. The lock ends with the process. The file contains the process ID, for users.
const lockFile = "LOCK"

// temporaryPrefix begins the names of the folders of temporary stores.
const temporaryPrefix = "ringcheck-"

// newLock locks a new folder. The file gets its name after it has been locked, so a folder with an unlocked lock file
// is orphaned.
func newLock(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "lock-")
	if err != nil {
		return nil, err
	}
	if err = lock(f); err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, lockFile))
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// oldLock locks a folder that already has a lock file.
func oldLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err = lock(f); err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the temporary stores under dir that no running process owns, because their process was killed. It
// ignores errors.
func sweep(dir string) {
	folders, err := filepath.Glob(filepath.Join(dir, temporaryPrefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
			continue
		}
		f, err := oldLock(folder)
		if err != nil {
			continue // it is in use, not accessible, or not a store
		}
		os.RemoveAll(folder)
		f.Close()
	}
}

// clearOut removes the files of a run that was killed before its first checkpoint.
func clearOut(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case lockFile, badgerFolder, recordFile + ".tmp":
		default:
			return fmt.Errorf("%w: %s", ErrNotEmpty, e.Name())
		}
	}
	return os.RemoveAll(filepath.Join(dir, badgerFolder))
}

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ringcheck/explore/store"
	"ringcheck/internal/test/filetest"
)

// TestFolders: which folders can become a store, and which are one.
func TestFolders(t *testing.T) {
	s := create(t)
	if _, err := store.Open(s.Dir()); !errors.Is(err, store.ErrLocked) {
		t.Errorf("Open of a store in use: %v", err)
	}
	if _, err := store.Create(s.Dir()); !errors.Is(err, store.ErrLocked) {
		t.Errorf("Create over a store in use: %v", err)
	}
	if err := s.Commit([]byte("record")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	if _, err := store.Create(s.Dir()); !errors.Is(err, store.ErrExists) {
		t.Errorf("Create over a store: %v", err)
	}
	dir := t.TempDir()
	if _, err := store.Open(dir); !errors.Is(err, store.ErrMissing) {
		t.Errorf("Open of an empty folder: %v", err)
	}
	filetest.Write(t, filepath.Join(dir, "mine"), "")
	if _, err := store.Create(dir); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("Create in a folder that is in use: %v", err)
	}
	temporary, err := store.Temporary(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, temporary, []uint64{1, 2, 3})
	closeStore(t, temporary)
	if _, err := os.Stat(temporary.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a temporary store remains: %v", err)
	}
}

// kill leaves a store as a process does that is killed: with its files, and without the lock. It returns the folder.
func kill(t *testing.T, s *store.Store) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ringcheck-killed")
	if err := os.CopyFS(dir, os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestKilledBefore: a store to which nothing was committed can be begun again, unless there is something else in the
// folder.
func TestKilledBefore(t *testing.T) {
	s := create(t)
	defer closeStore(t, s)
	write(t, s, []uint64{1, 2, 3})
	dir := kill(t, s)
	again, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Bytes() != 0 {
		t.Errorf("%d bytes remain after everything was removed", again.Bytes())
	}
	if run := write(t, again, []uint64{4, 5}); len(read(t, again, run)) != 2 {
		t.Error("the new store loses what is written")
	}
	closeStore(t, again)
	dir = kill(t, s)
	filetest.Write(t, filepath.Join(dir, "mine"), "")
	if _, err := store.Create(dir); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("Create over a store and a file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
		t.Error(err)
	}
}

// TestOtherFolder checks that a folder of another program that uses badger is not opened, and that nothing in it is
// removed.
func TestOtherFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LOCK", "MANIFEST"} {
		filetest.Write(t, filepath.Join(dir, name), "x")
	}
	if _, err := store.Open(dir); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Open: %v", err)
	}
	if _, err := store.Create(dir); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("Create: %v", err)
	}
	if text := filetest.Read(t, filepath.Join(dir, "MANIFEST")); string(text) != "x" {
		t.Errorf("MANIFEST contains %q", text)
	}
}

// TestSweep: a temporary store removes those that no process owns, and nothing else.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	living, err := store.Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, living)
	killed := filepath.Join(parent, "ringcheck-killed")
	if err := os.CopyFS(killed, os.DirFS(living.Dir())); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(parent, "ringcheck-mine")
	if err := os.MkdirAll(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	next, err := store.Temporary(parent)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, next)
	for path, want := range map[string]bool{living.Dir(): true, mine: true, killed: false, next.Dir(): false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", path, err == nil, want)
		}
	}
}

// TestReplaced: a process whose folder was removed leaves the store alone that another one makes under the same name.
func TestReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	old, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := old.Commit([]byte("old")); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("commit: %v", err)
	}
	closeStore(t, old)
	if record, err := store.ReadRecord(s.Dir()); string(record) != "new" || err != nil {
		t.Errorf("record %q, %v", record, err)
	}
	closeStore(t, s)
}

// TestLook: the record is read beside a process that uses the store, without the right to write, and without a trace.
func TestLook(t *testing.T) {
	s := create(t)
	defer closeStore(t, s)
	if err := s.Commit([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Dir(), 0o555); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(s.Dir())
	record, err := store.ReadRecord(s.Dir())
	after, _ := os.ReadDir(s.Dir())
	if string(record) != "one" || err != nil || len(before) != len(after) {
		t.Errorf("record %q, error %v, %d files before and %d after", record, err, len(before), len(after))
	}
	if err := os.Chmod(s.Dir(), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := store.ReadRecord(t.TempDir()); !errors.Is(err, store.ErrMissing) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestIrregular: a store with a folder in place of a file is refused as damaged.
func TestIrregular(t *testing.T) {
	s := create(t)
	if err := s.Commit([]byte("record")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	files, err := filepath.Glob(filepath.Join(s.Dir(), "*", "MANIFEST"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if err := errors.Join(os.Remove(files[0]), os.Mkdir(files[0], 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(s.Dir()); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Open: %v", err)
	}
}

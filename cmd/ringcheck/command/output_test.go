package command

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplacement(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.aut")
	write := func(text string, end func(*replacement)) {
		t.Helper()
		r, err := replaceFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.WriteString(text); err != nil {
			t.Fatal(err)
		}
		end(r)
	}
	commit := func(r *replacement) {
		if err := r.commit(); err != nil {
			t.Error(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("file holds %q, %v; want %q", got, err, want)
		}
		if all, _ := os.ReadDir(dir); len(all) != 1 {
			t.Errorf("%d files are left, want 1", len(all))
		}
	}
	write("first", commit)
	expect("first")
	write("half", (*replacement).discard)
	expect("first")
	write("second", commit)
	expect("second")
}

func TestReplacementRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "x.aut"), os.DevNull} {
		if r, err := replaceFile(path); err == nil {
			r.discard()
			t.Errorf("%s was accepted", path)
		}
	}
}

// TestFolder checks that a folder gets all files or none, and is not left behind without any.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	full := &fs.PathError{Op: "write", Path: "b", Err: syscall.ENOSPC}
	for _, failed := range []error{full, nil, full} {
		err := saveFolder("--out", dir, func(made string) error {
			return cmp.Or(os.MkdirAll(filepath.Join(made, "sub"), 0o777),
				os.WriteFile(filepath.Join(made, "a"), []byte("a"), 0o666),
				os.WriteFile(filepath.Join(made, "sub", "b"), []byte("b"), 0o666), failed)
		})
		if (err != nil) != (failed != nil) || failed != nil && statusOf(err) != statusStopped {
			t.Errorf("error %v, want one that stops if %v", err, failed)
		}
		found, _ := filepath.Glob(filepath.Join(dir, "*"))
		if _, err := os.Stat(dir); failed == nil && len(found) != 2 || len(found) == 0 && err == nil {
			t.Errorf("after %v there are %v, %v", failed, found, err)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%d entries are left, %v; want 2", len(all), err)
	}
}

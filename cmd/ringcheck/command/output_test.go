package command

import (
	"os"
	"path/filepath"
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

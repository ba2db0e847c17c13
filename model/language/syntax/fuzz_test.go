package syntax_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ringcheck/model/language/syntax"
)

// FuzzParse checks that any text gives a tree or an ErrorList with positions inside the text, that errors can be
// rendered, and that printing preserves a tree.
func FuzzParse(f *testing.F) {
	for _, src := range specs(f) {
		f.Add([]byte(src))
	}
	f.Add([]byte("protocol a topology anonymous grid of (2) by n initially M in inbox(0, up) process a = A process " +
		"b[p in 1..2] = A A = stop"))
	paths, err := filepath.Glob("testdata/errors/*.ring")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := syntax.Parse("fuzz.ring", src)
		if err == nil {
			checkRoundTrip(t, src)
			return
		}
		var list syntax.ErrorList
		if !errors.As(err, &list) || len(list) == 0 {
			t.Fatalf("not a list of errors: %v", err)
		}
		for _, e := range list {
			if e.Pos.Line < 1 || e.Pos.Column < 1 || e.Message == "" {
				t.Errorf("no place or message: %#v", e)
			}
		}
		_ = syntax.Render(src, list)
	})
}

package syntax_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/syntax"
)

// TestErrors parses testdata/errors/*.ring and compares the rendered errors with *.golden.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.ring")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ring"), func(t *testing.T) {
			src := filetest.Read(t, path)
			_, err = syntax.Parse(filepath.Base(path), src)
			list, ok := err.(syntax.ErrorList)
			if !ok {
				t.Fatalf("not a list of errors: %v", err)
			}
			compareGolden(t, strings.TrimSuffix(path, ".ring")+".golden", syntax.Render(src, list))
		})
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *syntax.Update {
		filetest.Write(t, path, got)
		return
	}
	want := filetest.Read(t, path)
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

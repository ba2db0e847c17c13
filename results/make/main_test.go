package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

// TestRun checks that pages are listed and wrong requests refused, and that a page is written as it was committed.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	if err := run(t.Context(), nil, dir, &out); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages() {
		if !strings.Contains(out.String(), "\n  "+p.name+" ") {
			t.Errorf("%s is not listed in\n%s", p.name, &out)
		}
	}
	if err := run(t.Context(), []string{"results"}, dir, &out); err == nil {
		t.Error("it runs in another folder")
	}
	t.Chdir("../..")
	for _, args := range []string{"tea", "results tea", "runs", "runs (", "runs a b", "runs -fast .", "peers (",
		"peers a b"} {
		if err := run(t.Context(), strings.Fields(args), dir, &out); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	if err := run(t.Context(), []string{"randomized"}, dir, &out); err != nil {
		t.Fatal(err)
	}
	const picture = "results/randomized/figure1.svg"
	if !bytes.Equal(filetest.Read(t, filepath.Join(dir, picture)), filetest.Read(t, picture)) {
		t.Errorf("%s differs from the one that was committed", picture)
	}
}

package view

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringcheck/internal/test/filetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden draws real runs and compares the pictures with those in testdata, which were inspected.
func TestGolden(t *testing.T) {
	runs := []struct {
		name    string
		trace   func(testing.TB) *Trace
		formats []string
	}{
		{"no-bits", noBits, []string{"msc", "mermaid", "svg"}},
		{"modulo-2", modulo2, []string{"msc", "mermaid", "plantuml", "svg"}},
		{"won", won, []string{"msc", "mermaid", "svg"}},
		{"complete", relayed, []string{"msc", "mermaid", "svg", "json"}},
		{"alone", alone, []string{"msc", "svg"}},
		{"for-ever", forEver, []string{"msc", "mermaid", "svg", "json"}},
		{"troubled", troubled, []string{"msc", "mermaid", "plantuml", "svg", "json"}},
	}
	for _, r := range runs {
		trace := r.trace(t)
		for _, name := range r.formats {
			t.Run(r.name+"."+name, func(t *testing.T) {
				got := written(t, trace, name)
				if name == "json" {
					got = indented(t, got)
				}
				compareGolden(t, r.name+"."+name+".golden", got)
			})
		}
	}
}

// written returns a trace in a format.
func written(t testing.TB, trace *Trace, format string) []byte {
	t.Helper()
	f, err := Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(trace, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func indented(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		filetest.Write(t, file, got)
		return
	}
	want := filetest.Read(t, file)
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", file, d)
	}
}

package costs

import (
	"bytes"
	"os"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
)

// TestPage compares the page and its files with what Page returns; without RINGCHECK_TEST=long only the section that
// reads the curves, since the others take a minute.
func TestPage(t *testing.T) {
	if !testlevel.Long() {
		p := &page{ctx: t.Context(), dir: os.DirFS(".")}
		if err := p.figures(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(filetest.Read(t, "README.md"), p.b.Bytes()) {
			t.Errorf("README.md does not have this section; go run ./results/make costs writes it\n%s", p.b.Bytes())
		}
		return
	}
	files, err := Page(t.Context(), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "costs", files)
}

// TestFigures compares the smallest figure with its files; with RINGCHECK_TEST=long also the next one.
func TestFigures(t *testing.T) {
	figures := Figures[:1]
	if testlevel.Long() {
		figures = Figures[:2]
	}
	for _, f := range figures {
		files, err := f.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f.Name(), files)
	}
}

// compare compares files with what results/make would write.
func compare(t *testing.T, what string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		if !bytes.Equal(filetest.Read(t, name), content) {
			t.Errorf("%s is not up to date; go run ./results/make %s writes it", name, what)
		}
	}
}

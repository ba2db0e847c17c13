package costs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"ringcheck/internal/test/filetest"
)

var (
	update = flag.Bool("update", false, "rewrite the page, which takes a minute")
	curves = flag.String("figure", "", "with -update: also rewrite the curves for `N,K`; those of large rings take "+
		"time and memory")
	last = flag.Int("last", 300, "end the curves after this number of `STEPS`")
)

// TestPage: the page and its files are what Page returns.
func TestPage(t *testing.T) {
	if !*update && !*full {
		t.Skip("it takes a minute")
	}
	if *curves != "" {
		writeCurves(t)
	}
	files, err := Page(t.Context(), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if *update {
			write(t, name, content)
		} else if !bytes.Equal(filetest.Read(t, name), content) {
			t.Errorf("%s is not up to date; write it with: go test ./results/costs -run Page -update", name)
		}
	}
}

func writeCurves(t *testing.T) {
	var n, k int
	if _, err := fmt.Sscanf(*curves, "%d,%d", &n, &k); err != nil {
		t.Fatalf("-figure %s: want N,K", *curves)
	}
	c, err := Curves(t.Context(), n, k, *last)
	if err != nil {
		t.Fatal(err)
	}
	var svg, csv bytes.Buffer
	if err := c.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	if err := c.CSV(&csv); err != nil {
		t.Fatal(err)
	}
	write(t, figureName(n, k)+".svg", svg.Bytes())
	write(t, figureName(n, k)+".csv", csv.Bytes())
}

func write(t *testing.T, name string, content []byte) {
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

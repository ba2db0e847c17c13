package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

var points = []Instance{
	{"k=2", 3, CostValues(15445, 0.02, 1<<20)},
	{"k=2", 2, CostValues(657, 0, 1<<19)},
	{"k=2", 4, CostValues(380609, 0.2, 1<<24)},
	{"k=3", 2, CostValues(1525, 0.001, 1<<20)},
	{"k=3", 3, CostValues(55009, 0.05, 1<<22)},
	{"k=4", 2, CostValues(3000, 0.002, 1<<20)},
}

// drawing returns the growth of instances, in the format of an ending.
func drawing(t *testing.T, points []Instance, ending string) []byte {
	t.Helper()
	drawn, err := Growth("ring", CostPanels, points)
	if err != nil || drawn == nil {
		t.Fatalf("Growth: got %v, error %v", drawn, err)
	}
	var b bytes.Buffer
	if err := drawn.Writers()[ending](&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGrowth(t *testing.T) {
	b := bytes.NewBuffer(drawing(t, points, ".svg"))
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">ring: states<", ">time (s)<", ">memory (MiB)<", ">k=2<", ">k=3<", ">10⁵<",
		"font-family:'Helvetica Neue'"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if strings.Contains(b.String(), ">k=4<") {
		t.Error("a series with a single point was plotted")
	}
}

// TestReproducible: two pictures of the same points are equal, in every format.
func TestReproducible(t *testing.T) {
	for _, ending := range Endings {
		first, second := drawing(t, points, ending), drawing(t, points, ending)
		if !bytes.Equal(first, second) || len(first) == 0 {
			t.Errorf("%s: two pictures of the same points differ", ending)
		}
	}
}

// TestTextLength: every text of an SVG file has the length for which it was laid out, so that it overlaps nothing where
// the typeface is not installed.
func TestTextLength(t *testing.T) {
	text := string(drawing(t, points, ".svg"))
	if n := strings.Count(text, "<text"); n < 20 || strings.Count(text, "textLength=") != n {
		t.Errorf("of %d texts, %d have a length", n, strings.Count(text, "textLength="))
	}
}

func TestNothingToDraw(t *testing.T) {
	if drawn, err := Growth("ring", CostPanels, points[5:]); drawn != nil || err != nil {
		t.Errorf("Growth of a single instance: got %v, error %v", drawn, err)
	}
}

// TestFlat: values that do not grow, or are too small to measure, still have an axis.
func TestFlat(t *testing.T) {
	for _, p := range []Instance{{"k=2", 0, CostValues(0, 0, 0)}, {"k=2", 0, CostValues(1, 1, 1)},
		{"k=2", 0, CostValues(657, 0.02, 1000)}} {
		p.N = 2
		q := p
		q.N = 3
		drawing(t, []Instance{p, q}, ".svg")
	}
}

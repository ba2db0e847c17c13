package curve

import (
	"bytes"
	"strings"
	"testing"
)

var series = []Series{
	{"min", []Point{{0, 0, 0}, {1, 0.25, 0.25}, {2, 0.5, 0.5000001}}},
	{"max", []Point{{0, 0, 0}, {1, 0.5, 0.5}, {2, 1, 1}}},
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, series); err != nil {
		t.Fatal(err)
	}
	want := "steps,min low,min high,max low,max high\n0,0,0,0,0\n1,0.25,0.25,0.5,0.5\n2,0.5,0.5000001,1,1\n"
	if b.String() != want {
		t.Errorf("got\n%s", &b)
	}
}

// TestSVG: the picture names the series and escapes the title.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	if err := SVG(&b, "a < b", series); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", ">min<", ">max<", "a &lt; b", "probability"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture has no %q", want)
		}
	}
}

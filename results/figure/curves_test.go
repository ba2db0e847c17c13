package figure

import (
	"bytes"
	"strings"
	"testing"
)

var picture = &Curves{
	Title: "a < b",
	Curves: []Curve{
		{Name: "A", Points: []Point{{0, 0, 0}, {1, 0.25, 0.25}, {2, 0.5, 0.5000001}},
			Least: []Point{{0, 0, 0}, {1, 0, 0}, {2, 0.5, 0.5}}, Greatest: []Point{{0, 0, 0}, {1, 1, 1}, {2, 1, 1}}},
		{Name: "B", Points: []Point{{0, 0, 0}, {1, 0.5, 0.5}, {2, 1, 1}}},
	},
	Round: 1,
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := picture.CSV(&b); err != nil {
		t.Fatal(err)
	}
	want := "steps,A low,A high,A min low,A min high,A max low,A max high,B low,B high\n" +
		"0,0,0,0,0,0,0,0,0\n1,0.25,0.25,0,0,1,1,0.5,0.5\n2,0.5,0.5000001,0.5,0.5,1,1,1,1\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestSVG: the picture names the series, escapes the title and counts rounds.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	drawn, err := picture.Picture()
	if err != nil {
		t.Fatal(err)
	}
	if err := drawn.SVG(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", ">A<", ">B<", "a &lt; b", "probability", "rounds", ">(2)<", "scheduler<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture has no %q", want)
		}
	}
	if strings.Contains(b.String(), "#-") {
		t.Error("the picture has an invalid colour")
	}
}

// TestBand: the outline goes along the greatest values and back along the least.
func TestBand(t *testing.T) {
	got := picture.Curves[0].band()
	if len(got) != 10 || got[2].X != 1 || got[2].Y != 1 || got[5].Y != 0.5 || got[9].X != 0 {
		t.Errorf("outline of the band: got %v", got)
	}
}

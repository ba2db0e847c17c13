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

func TestGrowth(t *testing.T) {
	var b bytes.Buffer
	drawn, err := Growth(&b, "ring", CostPanels, points)
	if err != nil || !drawn {
		t.Fatalf("Growth: got drawn %v, error %v", drawn, err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">ring: states<", ">time (s)<", ">memory (MiB)<", ">k=2<", ">k=3<", ">1e+05<",
		"font-family:'Helvetica Neue'"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if strings.Contains(b.String(), ">k=4<") {
		t.Error("a series with a single point was plotted")
	}
}

func TestReproducible(t *testing.T) {
	var a, b bytes.Buffer
	if _, err := Growth(&a, "ring", CostPanels, points); err != nil {
		t.Fatal(err)
	}
	if _, err := Growth(&b, "ring", CostPanels, points); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("two pictures of the same points differ")
	}
}

func TestNothingToDraw(t *testing.T) {
	var b bytes.Buffer
	if drawn, err := Growth(&b, "ring", CostPanels, points[5:]); drawn || err != nil || b.Len() > 0 {
		t.Errorf("Growth of a single instance: got drawn %v, error %v, %d bytes", drawn, err, b.Len())
	}
}

// TestFlat: values that do not grow, or are too small to measure, still have an axis.
func TestFlat(t *testing.T) {
	for _, p := range []Instance{{"k=2", 0, CostValues(0, 0, 0)}, {"k=2", 0, CostValues(1, 1, 1)},
		{"k=2", 0, CostValues(657, 0.02, 1000)}} {
		p.N = 2
		q := p
		q.N = 3
		var b bytes.Buffer
		if drawn, err := Growth(&b, "ring", CostPanels, []Instance{p, q}); !drawn || err != nil {
			t.Errorf("%v: got drawn %v, error %v", p, drawn, err)
		}
	}
}

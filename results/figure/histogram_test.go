package figure_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"ringcheck/results/figure"
)

func TestHistograms(t *testing.T) {
	for name, s := range map[string]figure.Sample{
		"whole numbers": {Name: "whole", Values: []float64{1, 2, 2, 3, 900}, Low: 1, High: 3},
		"all equal":     {Name: "equal", Values: []float64{0.25, 0.25}, Low: 0.25, High: 0.25},
		"one value":     {Name: "one", Values: []float64{7.5}, Low: math.Inf(-1), High: math.Inf(1)},
		"fractions":     {Name: "half", Values: []float64{-1, 0, 0.5, 2}, Low: 0, High: 1},
	} {
		drawn, err := figure.Histograms("runs of x, "+strings.Repeat("setting = 1, ", 20), []figure.Sample{s, s})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		if err := drawn.SVG(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := b.String(); strings.Count(got, ">"+s.Name+"<") != 2 || strings.Contains(got, "NaN") ||
			strings.Contains(got, "Inf") {
			t.Errorf("%s: the picture lacks %q twice, or shows NaN or Inf:\n%s", name, s.Name, got)
		}
	}
}

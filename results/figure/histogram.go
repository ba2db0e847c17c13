package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sample is a sample of a quantity: at least one value, ascending, and the confidence interval of the mean.
type Sample struct {
	Name      string
	Values    []float64
	Low, High float64
}

// Histograms draws samples, one below the other, each with the confidence interval of its mean over the bars.
func Histograms(title string, samples []Sample) (*Picture, error) {
	var rows [][]*plot.Plot
	for _, s := range samples {
		p := New(wrapSettings(title), s.Name, "runs")
		if err := s.draw(p); err != nil {
			return nil, fmt.Errorf("histogram of %s: %w", s.Name, err)
		}
		rows, title = append(rows, []*plot.Plot{p}), ""
	}
	return &Picture{rows: rows, width: Width, height: 6 * vg.Centimeter}, nil
}

// wrapSettings breaks a list of settings into lines that are not too wide.
func wrapSettings(title string) string {
	const widest = 100
	text, line := "", 0
	for i, part := range strings.Split(title, ", ") {
		switch {
		case i == 0:
		case line+len(part) > widest:
			text, line = text+",\n", 0
		default:
			text, line = text+", ", line+2
		}
		text, line = text+part, line+len(part)
	}
	return text
}

// Bins divides ascending values into at most the given number of intervals of equal width and counts the values in
// each. The first interval begins at from. The width is an integer if all values are, which whole reports.
func Bins(values []float64, most int) (from, width float64, counts []int, whole bool) {
	from, last := values[0], values[len(values)-1]
	width = (last - from) / float64(most)
	whole = !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	switch {
	case whole:
		width = math.Ceil((last - from + 1) / float64(most))
	case width == 0:
		width = 1
	}
	counts = make([]int, min(most, int((last-from)/width)+1))
	for _, v := range values {
		counts[min(len(counts)-1, int((v-from)/width))]++
	}
	return from, width, counts, whole
}

// draw draws the histogram.
func (s *Sample) draw(p *plot.Plot) error {
	from, width, counts, whole := Bins(s.Values, 40)
	if whole {
		from -= 0.5
	}
	h := &plotter.Histogram{FillColor: plotutil.Color(2), Width: width}
	for i, n := range counts {
		x := from + float64(i)*width
		h.Bins = append(h.Bins, plotter.HistogramBin{Min: x, Max: x + width, Weight: float64(n)})
	}
	p.Add(h)
	if math.IsInf(s.High, 0) {
		return nil
	}
	top := float64(slices.Max(counts))
	red := color.NRGBA{R: 200, A: 90}
	p.Legend.Top = true
	p.Legend.Add("confidence interval of the mean", area{red})
	return addBand(p, plotter.XYs{{X: s.Low}, {X: s.Low, Y: top}, {X: s.High, Y: top}, {X: s.High}},
		red, draw.LineStyle{Color: color.NRGBA{R: 200, A: 255}, Width: vg.Points(1)})
}

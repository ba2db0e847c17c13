package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Sample is what was seen of a quantity: the values, ascending, one at least, and the confidence interval of the mean.
type Sample struct {
	Name      string
	Values    []float64
	Low, High float64
}

// Histograms draws samples as SVG, one below the other, each with the confidence interval of its mean over the bars.
func Histograms(w io.Writer, title string, samples []Sample) error {
	const width, height = 18 * vg.Centimeter, 6 * vg.Centimeter
	var plots [][]*plot.Plot
	for i, s := range samples {
		p, err := s.plot()
		if err != nil {
			return fmt.Errorf("histogram of %s: %w", s.Name, err)
		}
		if i == 0 {
			p.Title.Text, p.Title.TextStyle.Font.Size = wrapped(title), vg.Points(9)
		}
		plots = append(plots, []*plot.Plot{p})
	}
	canvas := vgsvg.New(width, height*vg.Length(len(samples)))
	tiles := draw.Tiles{Cols: 1, Rows: len(samples), PadY: vg.Millimeter}
	for i, c := range plot.Align(plots, tiles, draw.New(canvas)) {
		plots[i][0].Draw(c[0])
	}
	return Write(w, canvas)
}

// wrapped breaks a list of settings into lines that are not too wide.
func wrapped(title string) string {
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

// bins is how many bars a histogram has at most; whole numbers are not split.
const bins = 40

func (s *Sample) plot() (*plot.Plot, error) {
	p := New()
	p.X.Label.Text, p.Y.Label.Text = s.Name, "runs"
	least, most := s.Values[0], s.Values[len(s.Values)-1]
	width := (most - least) / bins
	if s.whole() {
		width = math.Ceil((most - least + 1) / bins)
		least -= 0.5
	}
	h := &plotter.Histogram{FillColor: plotutil.Color(2), Width: width}
	h.LineStyle.Width = 0
	for _, v := range s.Values {
		i := 0
		if width > 0 {
			i = min(bins-1, int((v-least)/width))
		}
		for len(h.Bins) <= i {
			from := least + float64(len(h.Bins))*width
			h.Bins = append(h.Bins, plotter.HistogramBin{Min: from, Max: from + width})
		}
		h.Bins[i].Weight++
	}
	if width == 0 {
		h.Bins[0].Max = least + 1
	}
	p.Add(h)
	if !math.IsInf(s.High, 0) {
		_, _, _, top := h.DataRange()
		band, err := plotter.NewPolygon(plotter.XYs{{X: s.Low}, {X: s.Low, Y: top}, {X: s.High, Y: top}, {X: s.High}})
		if err != nil {
			return nil, err
		}
		band.Color, band.LineStyle.Color = color.NRGBA{R: 200, A: 90}, color.NRGBA{R: 200, A: 255}
		p.Add(band)
	}
	return p, nil
}

// whole reports whether all values are whole numbers.
func (s *Sample) whole() bool {
	for _, v := range s.Values {
		if v != math.Trunc(v) {
			return false
		}
	}
	return true
}

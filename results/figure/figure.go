// Package figure draws plots of one style, as SVG and PDF.
//
//	Growth      numbers, such as numbers of states, against the number of processes
//	Curves      probabilities against deadlines
//	Histograms  distributions of values
//	New, AddLine, Of   any other plot
package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a plot with the width of a page.
const (
	Width  = 18 * vg.Centimeter
	Height = 10 * vg.Centimeter
)

// New returns an empty plot with a grid.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Typeface, f.Variant = face.Typeface, face.Variant
	}
	p.Title.TextStyle.Font.Size = vg.Points(9)
	p.Legend.Padding = vg.Points(3)
	p.Add(plotter.NewGrid())
	return p
}

// AddLine adds the i-th line to a plot and its legend, with a mark at each point if marked.
func AddLine(p *plot.Plot, i int, name string, points plotter.XYer, marked bool) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("plot of %s: %w", name, err)
	}
	line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
	marks.Color, marks.Shape = plotutil.Color(i), plotutil.Shape(i)
	thumbs := []plot.Thumbnailer{line}
	p.Add(line)
	if marked {
		p.Add(marks)
		thumbs = append(thumbs, marks)
	}
	p.Legend.Add(name, thumbs...)
	return nil
}

// addBand draws a filled polygon with an outline.
func addBand(p *plot.Plot, corners plotter.XYs, fill color.Color, outline draw.LineStyle) error {
	band, err := plotter.NewPolygon(corners)
	if err != nil {
		return err
	}
	band.Color, band.LineStyle = fill, outline
	p.Add(band)
	return nil
}

// An area is the sign of a filled area in a legend.
type area struct{ color.Color }

// Thumbnail implements plot.Thumbnailer.
func (a area) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(a.Color, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
}

// multiples marks the multiples of a number on an axis, and labels so few of them that the labels do not touch.
func multiples(of int, label func(i int) string) plot.Ticker {
	return plot.TickerFunc(func(from, to float64) []plot.Tick {
		const most = 12
		every := 1 + int(to-from)/(most*of)
		var ticks []plot.Tick
		for i := int(math.Ceil(from / float64(of))); float64(i*of) <= to; i++ {
			t := plot.Tick{Value: float64(i * of)}
			if i%every == 0 {
				t.Label = label(i)
			}
			ticks = append(ticks, t)
		}
		return ticks
	})
}

// Package growth draws how states, time and memory grow with the number of processes.
//
//	SVG   one picture for a protocol, with a line for each series of its instances
package growth

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Point is one instance of a protocol.
type Point struct {
	Series  string // instances of one series differ in N only
	N       int    // the number of processes
	States  uint64
	Seconds float64
	Bytes   uint64
}

// The size of a picture.
const (
	width       = 30 * vg.Centimeter
	height      = 8 * vg.Centimeter
	legendWidth = 7 * vg.Centimeter
	pad         = vg.Centimeter / 3
)

// SVG draws states, time and bytes against the number of processes, on logarithmic scales: a straight line is
// exponential growth. Series of one instance show no growth and are left out; without any other, there is nothing to
// draw, and SVG reports false.
func SVG(w io.Writer, title string, points []Point) (bool, error) {
	series := grow(points)
	if len(series) == 0 {
		return false, nil
	}
	panels := []struct {
		title string
		value func(Point) float64
	}{
		{"states", func(p Point) float64 { return float64(p.States) }},
		{"time (s)", func(p Point) float64 { return p.Seconds }},
		{"memory (bytes)", func(p Point) float64 { return float64(p.Bytes) }},
	}
	row := make([]*plot.Plot, len(panels))
	var names plot.Legend
	for i, panel := range panels {
		var err error
		if row[i], names, err = draft(series, panel.value); err != nil {
			return false, fmt.Errorf("plot of %s: %w", title, err)
		}
		row[i].Title.Text = panel.title
	}
	row[0].Title.Text = title + ": states"
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	for i, c := range plot.Align([][]*plot.Plot{row}, tiles, draw.Crop(all, 0, -legendWidth, 0, 0))[0] {
		row[i].Draw(c)
	}
	names.Draw(draw.Crop(all, width-legendWidth, -pad, pad, -pad))
	_, err := canvas.WriteTo(w)
	return true, err
}

// grow returns the series with more than one size by name, each by size.
func grow(points []Point) map[string][]Point {
	series := make(map[string][]Point)
	for _, p := range points {
		series[p.Series] = append(series[p.Series], p)
	}
	for name, s := range series {
		slices.SortFunc(s, func(a, b Point) int { return cmp.Compare(a.N, b.N) })
		if s[0].N == s[len(s)-1].N {
			delete(series, name)
		}
	}
	return series
}

// least is what stands for zero on a logarithmic scale: times are measured in milliseconds.
const least = 0.001

// draft draws one number of all series, and says which line is which.
func draft(series map[string][]Point, value func(Point) float64) (*plot.Plot, plot.Legend, error) {
	p, names := plot.New(), plot.NewLegend()
	names.Top, names.Left = true, true
	names.TextStyle.Font.Size = vg.Points(9)
	p.X.Label.Text = "processes"
	p.X.Tick.Marker = plot.TickerFunc(integers)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(powers)
	p.Add(plotter.NewGrid())
	for i, name := range slices.Sorted(maps.Keys(series)) {
		xys := make(plotter.XYs, len(series[name]))
		for j, point := range series[name] {
			xys[j] = plotter.XY{X: float64(point.N), Y: max(least, value(point))}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, names, err
		}
		line.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		line.Dashes, points.Shape = plotutil.Dashes(i), plotutil.Shape(i)
		p.Add(line, points)
		names.Add(name, line, points)
	}
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = max(10*p.Y.Min, math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))) // an axis without length has no scale
	return p, names, nil
}

// integers marks every whole number.
func integers(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for n := int(math.Ceil(from)); n <= int(to); n++ {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return ticks
}

// powers marks the powers of ten.
func powers(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Round(math.Log10(from))); e <= int(math.Round(math.Log10(to))); e++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow10(e), Label: fmt.Sprintf("1e%d", e)})
	}
	return ticks
}

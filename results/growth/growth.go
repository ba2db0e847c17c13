// Package growth draws how numbers, such as those of states, grow with the number of processes.
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

	"ringcheck/results/figure"
)

// A Point is one instance of a protocol.
type Point struct {
	Series string    // instances of one series differ in N only
	N      int       // the number of processes
	Values []float64 // a number for each panel of the picture
}

// Exploring are the panels for what it took to explore instances, see Explored.
var Exploring = []string{"states", "time (s)", "memory (MiB)"}

// Explored returns the Values of an instance for Exploring.
func Explored(states uint64, seconds float64, bytes uint64) []float64 {
	return []float64{float64(states), seconds, float64(bytes) / (1 << 20)}
}

// The size of a picture, which has a row for each mostSeries series.
const (
	panelWidth = 7.5 * vg.Centimeter
	rowHeight  = 8 * vg.Centimeter
	pad        = vg.Centimeter / 3
	mostSeries = 6
)

// SVG draws panels, each of one number against the number of processes, on a logarithmic scale: a straight line is
// exponential growth. Series of one instance show no growth and are left out; without any other, there is nothing to
// draw, and SVG reports false.
func SVG(w io.Writer, title string, panels []string, points []Point) (bool, error) {
	series := grow(points)
	if len(series) == 0 {
		return false, nil
	}
	var rows [][]*plot.Plot
	var legends []plot.Legend
	legendWidth := vg.Length(0)
	for names := range slices.Chunk(slices.Sorted(maps.Keys(series)), mostSeries) {
		row, legend, err := newRow(panels, series, names)
		if err != nil {
			return false, fmt.Errorf("plot of %s: %w", title, err)
		}
		rows, legends = append(rows, row), append(legends, legend)
		for _, name := range names {
			legendWidth = max(legendWidth, legend.TextStyle.Width(name)+legend.ThumbnailWidth+3*pad)
		}
	}
	rows[0][0].Title.Text = title + ": " + panels[0]
	width, height := vg.Length(len(panels))*panelWidth+legendWidth, vg.Length(len(rows))*rowHeight
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	tiles := draw.Tiles{Rows: len(rows), Cols: len(panels), PadX: pad, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	for i, row := range plot.Align(rows, tiles, draw.Crop(all, 0, -legendWidth, 0, 0)) {
		for k, c := range row {
			rows[i][k].Draw(c)
		}
		legends[i].Draw(draw.Crop(all, width-legendWidth, -pad, height-vg.Length(i+1)*rowHeight+pad, -vg.Length(i)*rowHeight-pad))
	}
	return true, figure.Write(w, canvas)
}

// newRow draws each number of some series, and says which line is which.
func newRow(panels []string, series map[string][]Point, names []string) (row []*plot.Plot, legend plot.Legend, err error) {
	for i, title := range panels {
		p := figure.New()
		p.Title.Text = title
		if legend, err = draft(p, series, names, i); err != nil {
			return nil, legend, err
		}
		row = append(row, p)
	}
	return row, legend, nil
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

// least is what stands for zero on a logarithmic scale: times are measured in milliseconds, and no memory is below a KiB.
const least = 0.001

// draft draws what one panel shows of series, and returns which line is which.
func draft(p *plot.Plot, series map[string][]Point, names []string, panel int) (plot.Legend, error) {
	legend := figure.Legend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font.Size, legend.Padding = vg.Points(9), vg.Points(3)
	p.X.Label.Text = "processes"
	p.X.Tick.Marker = plot.TickerFunc(integers)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(powers)
	p.Add(plotter.NewGrid())
	for i, name := range names {
		xys := make(plotter.XYs, len(series[name]))
		for j, point := range series[name] {
			xys[j] = plotter.XY{X: float64(point.N), Y: max(least, point.Values[panel])}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return legend, err
		}
		line.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		line.Dashes, points.Shape = plotutil.Dashes(i), plotutil.Shape(i)
		p.Add(line, points)
		legend.Add(name, line, points)
	}
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = max(10*p.Y.Min, math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))) // an axis without length has no scale
	return legend, nil
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

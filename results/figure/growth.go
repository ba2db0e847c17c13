package figure

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// An Instance is a system with a number of processes.
type Instance struct {
	Series string    // instances of one series differ in N only
	N      int       // the number of processes
	Values []float64 // a number for each panel of the picture
}

// CostPanels lists the panels for the cost of explorations; see CostValues.
var CostPanels = []string{"states", "time (s)", "memory (MiB)"}

// CostValues returns the Values of an instance for CostPanels.
func CostValues(states uint64, seconds float64, bytes uint64) []float64 {
	return []float64{float64(states), seconds, float64(bytes) / (1 << 20)}
}

// Growth draws panels, each of one number against the number of processes, on a logarithmic scale, where a straight
// line is exponential growth. It omits series of one size, and returns nil if that leaves nothing to draw.
func Growth(title string, panels []string, instances []Instance) (*Picture, error) {
	series := bySeries(instances)
	if len(series) == 0 {
		return nil, nil
	}
	const mostSeries = 6 // in a row
	var rows [][]*plot.Plot
	var legends []*plot.Legend
	margin := vg.Length(0)
	for names := range slices.Chunk(slices.Sorted(maps.Keys(series)), mostSeries) {
		var row []*plot.Plot
		for i, panel := range panels {
			p := New(panel, "processes", "")
			p.Title.TextStyle.Font.Size = vg.Points(12)
			if err := addSeries(p, series, names, i); err != nil {
				return nil, err
			}
			row = append(row, p)
		}
		rows = append(rows, row)
		legend := &row[len(row)-1].Legend
		for _, p := range row[:len(row)-1] {
			p.Legend = plot.NewLegend() // only the last panel has the legend
		}
		legend.Top = true
		legend.TextStyle.Font.Size = vg.Points(9)
		legends = append(legends, legend)
		for _, name := range names {
			margin = max(margin, legend.TextStyle.Width(name)+legend.ThumbnailWidth+vg.Centimeter)
		}
	}
	for _, l := range legends {
		l.XOffs = margin
	}
	rows[0][0].Title.Text = title + ": " + panels[0]
	return &Picture{rows, 7.5 * vg.Centimeter, 8 * vg.Centimeter, margin}, nil
}

// bySeries returns the series of more than one size by name, each sorted by size.
func bySeries(instances []Instance) map[string][]Instance {
	series := make(map[string][]Instance)
	for _, i := range instances {
		series[i.Series] = append(series[i.Series], i)
	}
	maps.DeleteFunc(series, func(_ string, s []Instance) bool {
		slices.SortFunc(s, func(a, b Instance) int { return cmp.Compare(a.N, b.N) })
		return s[0].N == s[len(s)-1].N
	})
	return series
}

// addSeries draws the lines of one panel.
func addSeries(p *plot.Plot, series map[string][]Instance, names []string, panel int) error {
	// least is drawn in place of 0, which a logarithmic scale lacks: times are in milliseconds, memory is above a KiB.
	const least = 0.001
	for i, name := range names {
		var points plotter.XYs
		for _, s := range series[name] {
			points = append(points, plotter.XY{X: float64(s.N), Y: max(least, s.Values[panel])})
		}
		if err := AddLine(p, i, name, points, true); err != nil {
			return err
		}
	}
	p.X.Tick.Marker = multiples(1, strconv.Itoa)
	Decades(p)
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = max(10*p.Y.Min, math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))) // the axis must not be empty
	return nil
}

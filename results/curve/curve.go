// Package curve draws probabilities against deadlines, as Fig. 3 of Bakhshi et al. (2008) does.
package curve

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"ringcheck/results/figure"
)

// A Picture is some series over the same numbers of steps.
type Picture struct {
	Title  string
	Series []Series
	// Round is how many steps a round takes: rounds are counted below the steps. 0 says that nothing is known of rounds.
	Round int
}

// A Series is the probability within some numbers of steps, which ascend.
type Series struct {
	Name   string
	Points []Point
	// Least and Greatest are those of the least and the greatest scheduler, for the same numbers of steps: a band behind the line. Both or
	// none are nil.
	Least, Greatest []Point
}

// A Point is a probability, between Low and High, of reaching the goal within a number of steps.
type Point struct {
	Steps     int
	Low, High float64
}

func (p Point) middle() float64 { return (p.Low + p.High) / 2 }

// The size of a picture.
const (
	width  = 18 * vg.Centimeter
	height = 10 * vg.Centimeter
)

// SVG draws the series as steps: between two numbers of steps there is nothing.
func (c *Picture) SVG(w io.Writer) error {
	p := figure.New()
	p.Title.Text, p.Title.TextStyle.Font.Size = c.Title, vg.Points(9)
	p.X.Label.Text, p.Y.Label.Text = "steps", "probability"
	p.Y.Min, p.Y.Max = 0, 1
	if c.Round > 0 {
		p.X.Label.Text = "steps, and the rounds that they are"
		p.X.Tick.Marker = plot.TickerFunc(c.ticks)
	}
	p.Add(plotter.NewGrid())
	for i, s := range c.Series {
		if s.Least != nil {
			band, err := plotter.NewPolygon(s.band())
			if err != nil {
				return fmt.Errorf("plot of %s: %w", s.Name, err)
			}
			band.Color, band.LineStyle.Width = faint(plotutil.Color(i)), 0
			p.Add(band)
		}
		if err := figure.AddLine(p, i, s.Name, steps(s.Points)); err != nil {
			return err
		}
	}
	return figure.SVG(w, p, width, height)
}

// steps returns the corners of a line that stays until the next point.
func steps(points []Point) plotter.XYs {
	var xys plotter.XYs
	for i, p := range points {
		if i > 0 {
			xys = append(xys, plotter.XY{X: float64(p.Steps), Y: points[i-1].middle()})
		}
		xys = append(xys, plotter.XY{X: float64(p.Steps), Y: p.middle()})
	}
	return xys
}

// band returns the corners of what is between Least and Greatest.
func (s *Series) band() plotter.XYs {
	around, back := steps(s.Greatest), steps(s.Least)
	for i := len(back) - 1; i >= 0; i-- {
		around = append(around, back[i])
	}
	return around
}

// faint returns a colour that others are seen through.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 48}
}

// ticks marks the ends of rounds, not so many that their names touch.
func (c *Picture) ticks(from, to float64) []plot.Tick {
	const most = 12
	every := 1 + int(to-from)/(most*c.Round)
	var list []plot.Tick
	for r := 0; float64(r*c.Round) <= to; r++ {
		t := plot.Tick{Value: float64(r * c.Round)}
		if r%every == 0 {
			t.Label = fmt.Sprintf("%d\n(%d)", r*c.Round, r)
		}
		list = append(list, t)
	}
	return list
}

// CSV writes a line for each number of steps, with the bounds of each series, and of its least and greatest.
func (c *Picture) CSV(w io.Writer) error {
	head := []string{"steps"}
	var columns [][]Point
	add := func(name string, points []Point) {
		if points != nil {
			head = append(head, name+" low", name+" high")
			columns = append(columns, points)
		}
	}
	for _, s := range c.Series {
		add(s.Name, s.Points)
		add(s.Name+" min", s.Least)
		add(s.Name+" max", s.Greatest)
	}
	lines := [][]string{head}
	for i, p := range c.Series[0].Points {
		line := []string{strconv.Itoa(p.Steps)}
		for _, points := range columns {
			line = append(line, number(points[i].Low), number(points[i].High))
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

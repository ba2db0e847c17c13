package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg/draw"

	"ringcheck/internal/document"
)

// Curves are probabilities against deadlines, as Fig. 3 of Bakhshi et al. (2008) shows them.
type Curves struct {
	Title  string
	Curves []Curve // all for the same numbers of steps
	// Round is the number of steps of a round, 0 if unknown; if it is known, the axis of steps also shows rounds.
	Round int
	Unit  string // what is counted instead of steps; may be empty
}

// A Curve is a probability for ascending numbers of steps, or of another unit.
type Curve struct {
	Name   string
	Points []Point
	// Least and Greatest are the probabilities under the least and the greatest scheduler, for the same numbers of
	// steps, drawn as a band behind the line. Both or neither are nil.
	Least, Greatest []Point
}

// A Point is a probability, between Low and High, of reaching the goal within a number of steps.
type Point struct {
	Steps     int
	Low, High float64
}

// Picture draws the curves as step functions: the probability changes only at the points.
func (c *Curves) Picture() (*Picture, error) {
	p := New(c.Title, cmp.Or(c.Unit, "steps"), "probability")
	p.Y.Min, p.Y.Max = 0, 1
	if c.Round > 0 {
		p.X.Label.Text = "steps (and rounds)"
		p.X.Tick.Marker = multiples(c.Round, func(i int) string { return fmt.Sprintf("%d\n(%d)", i*c.Round, i) })
	}
	for i, s := range c.Curves {
		if s.Least != nil {
			if err := addBand(p, s.band(), faintColour(i), draw.LineStyle{}); err != nil {
				return nil, fmt.Errorf("plot of %s: %w", s.Name, err)
			}
		}
		if err := AddLine(p, i, s.Name, stairs(s.Points), false); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(c.Curves, func(s Curve) bool { return s.Least != nil }) {
		p.Legend.Add("from the least to the greatest scheduler", area{color.NRGBA{A: 48}})
	}
	return Of(p), nil
}

// faintColour returns the colour of the band behind the i-th line.
func faintColour(i int) color.Color {
	r, g, b, _ := plotutil.Color(i).RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 48}
}

// stairs returns the corners of a step function through the points.
func stairs(points []Point) plotter.XYs {
	var corners plotter.XYs
	y := 0.0
	for i, p := range points {
		if i > 0 {
			corners = append(corners, plotter.XY{X: float64(p.Steps), Y: y})
		}
		y = (p.Low + p.High) / 2
		corners = append(corners, plotter.XY{X: float64(p.Steps), Y: y})
	}
	return corners
}

// band returns the outline of the area between Least and Greatest.
func (s *Curve) band() plotter.XYs {
	back := stairs(s.Least)
	slices.Reverse(back)
	return append(stairs(s.Greatest), back...)
}

// CSV writes a line for each number of steps, with the bounds of each curve and of its Least and Greatest.
func (c *Curves) CSV(w io.Writer) error {
	t := &document.Table{Head: []string{cmp.Or(c.Unit, "steps")}}
	for _, p := range c.Curves[0].Points {
		t.Add(strconv.Itoa(p.Steps))
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	add := func(name string, points []Point) {
		if points == nil {
			return
		}
		t.Head = append(t.Head, name+" low", name+" high")
		for i, p := range points {
			t.Rows[i] = append(t.Rows[i], number(p.Low), number(p.High))
		}
	}
	for _, s := range c.Curves {
		add(s.Name, s.Points)
		add(s.Name+" min", s.Least)
		add(s.Name+" max", s.Greatest)
	}
	return t.CSV(w)
}

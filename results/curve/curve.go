// Package curve draws probabilities against deadlines, as Fig. 3 of Bakhshi et al. (2008) does.
package curve

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"ringcheck/results/figure"
)

// A Series is the probability within some numbers of steps, which ascend.
type Series struct {
	Name   string
	Points []Point
}

// A Point is a probability, between Low and High, of reaching the goal within a number of steps.
type Point struct {
	Steps     int
	Low, High float64
}

// The size of a picture.
const (
	width  = 18 * vg.Centimeter
	height = 10 * vg.Centimeter
)

// SVG draws the series as steps: between two numbers of steps there is nothing.
func SVG(w io.Writer, title string, series []Series) error {
	p := figure.New()
	p.Title.Text, p.Title.TextStyle.Font.Size = title, vg.Points(9)
	p.X.Label.Text, p.Y.Label.Text = "steps", "probability"
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	for i, s := range series {
		xys := make(plotter.XYs, len(s.Points))
		for j, point := range s.Points {
			xys[j] = plotter.XY{X: float64(point.Steps), Y: (point.Low + point.High) / 2}
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return fmt.Errorf("plot of %s: %w", s.Name, err)
		}
		line.StepStyle = plotter.PostStep
		line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
		p.Add(line)
		p.Legend.Add(s.Name, line)
	}
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	return figure.Write(w, canvas)
}

// CSV writes a line for each number of steps, with the bounds of each series. All series have the same numbers of steps.
func CSV(w io.Writer, series []Series) error {
	out := csv.NewWriter(w)
	head := []string{"steps"}
	for _, s := range series {
		head = append(head, s.Name+" low", s.Name+" high")
	}
	lines := [][]string{head}
	for i, p := range series[0].Points {
		line := []string{strconv.Itoa(p.Steps)}
		for _, s := range series {
			line = append(line, number(s.Points[i].Low), number(s.Points[i].High))
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Package randomized draws what random runs of the randomized election among 50,000 processes cost, as Fig. 9 of
// Ramanathan et al. (2007) does, and a run as in its Fig. 1. go run ./results/make writes the pictures.
//
// The numbers are in messages.csv; docs/randomized.md says with which commands they were found.
package randomized

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"

	"ringcheck/results/figure"
)

// A Point is the number of messages where some of the processes contend.
type Point struct {
	Percent         float64 // of the processes contend
	Mean, Low, High float64 // messages, and the confidence interval of the mean; equal if there was one run only
	Runs            int
}

// Read returns the points of each algorithm, from a file with the columns algorithm, percent, runs, mean, low and high,
// and the names of the algorithms in their order.
func Read(r io.Reader) (map[string][]Point, []string, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	points := make(map[string][]Point)
	var names []string
	for _, row := range rows[1:] {
		var numbers [5]float64
		for i := range numbers {
			if numbers[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				return nil, nil, err
			}
		}
		if points[row[0]] == nil {
			names = append(names, row[0])
		}
		points[row[0]] = append(points[row[0]], Point{numbers[0], numbers[2], numbers[3], numbers[4], int(numbers[1])})
	}
	return points, names, nil
}

// A series is drawn as a line with error bars.
type series []Point

func (s series) Len() int                         { return len(s) }
func (s series) XY(i int) (x, y float64)          { return s[i].Percent, s[i].Mean }
func (s series) YError(i int) (low, high float64) { return s[i].Mean - s[i].Low, s[i].High - s[i].Mean }

// SVG draws the points on a logarithmic scale.
func SVG(w io.Writer, points map[string][]Point, names []string) error {
	p := figure.New("Messages of the randomized election among 50,000 processes",
		"contenders, per cent of the processes", "messages")
	figure.Decades(p)
	p.Legend.Left, p.Legend.Top = true, true
	for i, name := range names {
		if err := figure.AddLine(p, i, name, series(points[name]), true); err != nil {
			return err
		}
		bars, err := plotter.NewYErrorBars(series(points[name]))
		if err != nil {
			return fmt.Errorf("plot of %s: %w", name, err)
		}
		bars.Color = plotutil.Color(i)
		p.Add(bars)
	}
	return figure.Of(p).SVG(w)
}

// Pictures returns the pictures, by the names of their files. The numbers come from messages.csv in dir.
func Pictures(ctx context.Context, dir fs.FS) (map[string][]byte, error) {
	f, err := dir.Open("messages.csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	points, names, err := Read(f)
	if err != nil {
		return nil, err
	}
	var messages, figure1 bytes.Buffer
	if err := cmp.Or(SVG(&messages, points, names), drawFigure1(ctx, &figure1)); err != nil {
		return nil, err
	}
	return map[string][]byte{"messages.svg": messages.Bytes(), "figure1.svg": figure1.Bytes()}, nil
}

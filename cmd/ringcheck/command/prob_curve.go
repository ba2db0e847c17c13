package command

import (
	"fmt"
	"math"
	"strings"

	"ringcheck"
	"ringcheck/prob"
	"ringcheck/results/figure"
)

// savePlot draws the probabilities within numbers of steps into the file of --plot.
func (p *probability) savePlot(r *ringcheck.Quantified) error {
	picture := figure.Curves{Title: r.Title() + ", until " + r.Until, Curves: curves(r)}
	if p.plot.ending() == ".csv" {
		return p.plot.save(picture.CSV)
	}
	return p.plot.save(picture.SVG)
}

// curves returns the curves, each of one scheduler; with all of them, that of the uniform one, between the others.
func curves(r *ringcheck.Quantified) []figure.Curve {
	points := map[string][]figure.Point{}
	for _, result := range r.Results {
		if result.Within != nil {
			points[result.Scheduler] = append(points[result.Scheduler], figure.Point{Steps: *result.Within, Low: float64(result.Low), High: float64(result.High)})
		}
	}
	uniform, least, greatest := prob.Uniform.String(), prob.Min.String(), prob.Max.String()
	if len(points) == len(ringcheck.Choices("scheduler"))-1 {
		return []figure.Curve{{Name: uniform, Points: points[uniform], Least: points[least], Greatest: points[greatest]}}
	}
	var list []figure.Curve
	for name, p := range points {
		list = append(list, figure.Curve{Name: name, Points: p})
	}
	return list
}

// A terminal shows a curve in so many lines and characters.
const (
	curveLines = 20
	curveWidth = 50
)

// writeCurve draws the curves of the schedulers, one below the other, with at most so many lines each.
func writeCurve(b *strings.Builder, r *ringcheck.Quantified) {
	last := ""
	var points []ringcheck.Answer
	flush := func() {
		stride := max(1, (len(points)+curveLines-1)/curveLines)
		for i := 0; i < len(points); i += stride {
			v := float64(points[i].Low)
			bar := strings.Repeat("█", int(math.Round(v*curveWidth)))
			fmt.Fprintf(b, "  %6d  %-*s  %s\n", *points[i].Within, curveWidth, bar, valueText(&points[i].Value))
		}
		points = points[:0]
	}
	for _, scheduler := range ringcheck.Choices("scheduler")[1:] {
		for _, result := range r.Results {
			if result.Within != nil && result.Scheduler == scheduler {
				if last != scheduler {
					flush()
					fmt.Fprintf(b, "\n  probability within a number of steps, %s\n\n", scheduler)
					last = scheduler
				}
				points = append(points, result)
			}
		}
	}
	flush()
}

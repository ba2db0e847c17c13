package sweep

import (
	"fmt"
	"math"
	"slices"
)

// A Fit approximates the number of states in a series of instances that differ only in n, the number of processes:
// Factor·Baseⁿ.
type Fit struct {
	Series string  `json:"series"`
	Factor float64 `json:"factor"`
	Base   float64 `json:"base"`
	// Residual is the factor by which a fit of the smaller sizes is off at the largest size, which measures the quality
	// of a forecast; 1 is perfect.
	Residual float64 `json:"residual"`
	// Next is the estimate for the next row.
	Next Estimate `json:"next"`
}

type Estimate struct {
	N       int     `json:"n"`
	States  float64 `json:"states"`
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes"`
}

// fit fits each series of complete rows with at least fewest sizes.
func (s *Sweep) fit() {
	s.Growth, s.Trends = []*Fit{}, nil
	series := make(map[string][]*Row)
	var names []string
	for _, r := range s.Rows {
		if !r.done() || r.instance.Size() == 0 {
			continue
		}
		name := r.instance.Family()
		if series[name] == nil {
			names = append(names, name)
		}
		series[name] = append(series[name], r)
	}
	for _, name := range names {
		if series[name][0].Sample != nil {
			s.Trends = append(s.Trends, trends(name, series[name])...)
		} else if f := fitSeries(name, series[name]); f != nil {
			s.Growth = append(s.Growth, f)
		}
	}
}

// fitSeries returns nil if there are too few sizes.
func fitSeries(name string, rows []*Row) *Fit {
	var n, states, seconds, bytes []float64
	for _, r := range rows {
		n = append(n, float64(r.instance.Size()))
		states = append(states, float64(r.Outcome.States))
		seconds = append(seconds, max(r.Outcome.Seconds, 0.001)) // times are measured in milliseconds
		bytes = append(bytes, float64(r.Outcome.Bytes))
	}
	a, b, residual, ok := fitLine(n, states)
	if !ok {
		return nil
	}
	next := slices.Max(n) + 1
	at := func(y []float64) float64 {
		a, b := line(n, y)
		return math.Exp(a + b*next)
	}
	return &Fit{
		Series: name, Factor: math.Exp(a), Base: math.Exp(b), Residual: residual,
		Next: Estimate{N: int(next), States: at(states), Seconds: at(seconds), Bytes: at(bytes)},
	}
}

// fewest is the minimum number of sizes to fit: a line passes near any two or three points.
const fewest = 4

// fitLine fits ln y = a + b·x. The residual is out of sample: the factor by which the line through the smaller x is off
// at the largest. fitted fails if there are fewer than fewest different x.
func fitLine(x, y []float64) (a, b, residual float64, ok bool) {
	if len(slices.Compact(slices.Sorted(slices.Values(x)))) < fewest {
		return 0, 0, 0, false
	}
	var smaller, of []float64
	last := slices.Index(x, slices.Max(x))
	for i := range x {
		if x[i] < x[last] {
			smaller, of = append(smaller, x[i]), append(of, y[i])
		}
	}
	a, b = line(smaller, of)
	residual = math.Exp(math.Abs(math.Log(y[last]) - a - b*x[last]))
	a, b = line(x, y)
	return a, b, residual, true
}

// line fits ln y = a + b·x by least squares, given at least two different x.
func line(x, y []float64) (a, b float64) {
	count := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += x[i] / count
		my += math.Log(y[i]) / count
	}
	var sxx, sxy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (math.Log(y[i]) - my)
	}
	b = sxy / sxx
	return my - b*mx, b
}

// offBy describes a residual in words.
func offBy(residual float64) string {
	return fmt.Sprintf("a fit of the smaller sizes is off by a factor of %.2f at the largest", residual)
}

// String returns the fit in one line.
func (f *Fit) String() string {
	return fmt.Sprintf("%s: states ≈ %.3g·%.3gⁿ (%s); n = %d would take about %.2g states, %.2g s and %.2g MiB",
		f.Series, f.Factor, f.Base, offBy(f.Residual), f.Next.N, f.Next.States, f.Next.Seconds, f.Next.Bytes/(1<<20))
}

package sweep

import (
	"fmt"
	"math"
)

// A Fit says how a series of instances that differ in the number of processes only grows: there are about Factor·Baseⁿ states.
type Fit struct {
	Series string  `json:"series"`
	Factor float64 `json:"factor"`
	Base   float64 `json:"base"`
	// Residual is by which factor the fitted number of states is off, in the geometric mean: 1 is a perfect fit.
	Residual float64 `json:"residual"`
	// Next is what the next row would need if it went on like that.
	Next Estimate `json:"next"`
}

// An Estimate is what an instance may take.
type Estimate struct {
	N       int     `json:"n"`
	States  float64 `json:"states"`
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes"`
}

// fit fits each series of complete rows with at least two sizes.
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

// fitSeries returns nil unless there are two sizes.
func fitSeries(name string, rows []*Row) *Fit {
	var n, states, seconds, bytes []float64
	for _, r := range rows {
		n = append(n, float64(r.instance.Size()))
		states = append(states, float64(r.Outcome.States))
		seconds = append(seconds, max(r.Outcome.Seconds, 0.001)) // is measured in milliseconds
		bytes = append(bytes, float64(r.Outcome.Bytes))
	}
	next := 0.0
	for _, x := range n {
		next = max(next, x+1)
	}
	a, b, residual, ok := line(n, states)
	if !ok {
		return nil
	}
	at := func(y []float64) float64 {
		a, b, _, _ := line(n, y)
		return math.Exp(a + b*next)
	}
	return &Fit{
		Series: name, Factor: math.Exp(a), Base: math.Exp(b), Residual: math.Exp(residual),
		Next: Estimate{N: int(next), States: math.Exp(a + b*next), Seconds: at(seconds), Bytes: at(bytes)},
	}
}

// line fits ln y = a + b·x by least squares. The residual is the root of the mean square of what is left. It fails unless there are two
// different x.
func line(x, y []float64) (a, b, residual float64, ok bool) {
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
	if sxx == 0 {
		return 0, 0, 0, false
	}
	b = sxy / sxx
	a = my - b*mx
	for i := range x {
		d := math.Log(y[i]) - a - b*x[i]
		residual += d * d / count
	}
	return a, b, math.Sqrt(residual), true
}

// String says it in a line.
func (f *Fit) String() string {
	return fmt.Sprintf("%s: states ≈ %.3g·%.3gⁿ, off by a factor of %.2f; n = %d would take about %.2g states, %.2g s and %.2g MiB",
		f.Series, f.Factor, f.Base, f.Residual, f.Next.N, f.Next.States, f.Next.Seconds, f.Next.Bytes/(1<<20))
}

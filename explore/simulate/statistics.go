package simulate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Mean summarizes the values of a reward in the runs that ended.
type Mean struct {
	Name      string
	Mean      float64
	Low, High float64   // confidence interval of the expectation, by Student's t
	Min, Max  float64   // observed
	Values    []float64 // the values, ascending
	ByRun     []float64 // the values in the order of Report.EndedRuns
}

// A Share counts the runs in which an event happened or a property held.
type Share struct {
	Name       string
	True, Runs int
	Low, High  float64 // confidence interval of its probability (Clopper and Pearson 1934)
	// Against is the first run in which it was not true, nil without one. For an invariant it need not have ended
	// normally.
	Against *int
	Steps   uint64 // the number of steps of run Against
}

func newMean(name string, byRun []float64, confidence float64) Mean {
	values := slices.Sorted(slices.Values(byRun))
	m := Mean{Name: name, Values: values, ByRun: byRun, Low: math.Inf(-1), High: math.Inf(1), Mean: math.NaN()}
	n := float64(len(values))
	if n == 0 {
		return m
	}
	m.Min, m.Max = values[0], values[len(values)-1]
	var deviation float64
	m.Mean, deviation = stat.MeanStdDev(values, nil)
	if n > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - (1-confidence)/2)
		half := t * deviation / math.Sqrt(n)
		m.Low, m.High = m.Mean-half, m.Mean+half
	}
	return m
}

// Quantile returns the least value that is not exceeded in at least the fraction q of the runs, NaN if there are no
// runs.
func (m *Mean) Quantile(q float64) float64 {
	if len(m.Values) == 0 {
		return math.NaN()
	}
	i := int(math.Ceil(q*float64(len(m.Values)))) - 1
	return m.Values[max(0, i)]
}

func newShare(name string, count, runs int, confidence float64) Share {
	s := Share{Name: name, True: count, Runs: runs, High: 1}
	tail := (1 - confidence) / 2
	k, n := float64(count), float64(runs)
	if count > 0 {
		s.Low = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(tail)
	}
	if count < runs {
		s.High = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - tail)
	}
	return s
}

// Widest returns the greatest half-width of the intervals, in the sense of Options.Precision.
func (r *Report) Widest() float64 {
	width := 0.0
	for _, m := range r.Means {
		if half := (m.High - m.Low) / 2; half > 0 {
			width = max(width, half/math.Abs(m.Mean))
		}
	}
	for _, s := range r.Shares {
		width = max(width, (s.High-s.Low)/2)
	}
	return width
}

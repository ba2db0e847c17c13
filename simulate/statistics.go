package simulate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Mean summarizes the values of a reward.
type Mean struct {
	Name      string
	Mean      float64
	Low, High float64   // confidence interval of the expectation, by Student's t
	Min, Max  float64   // observed
	Values    []float64 // of the runs, ascending
	ByRun     []float64 // the same in the order of Report.Ended
}

// A Share counts the runs in which something was true.
type Share struct {
	Name       string
	True, Runs int
	Low, High  float64 // confidence interval of its probability (Clopper and Pearson 1934)
	// the first run in which it was not true, nil if there is none; a run that did not end counts for an invariant
	Against *int
	Steps   uint64 // of that run, up to where it was not true
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

// Quantile returns the least value that at least the fraction q of the runs do not exceed, NaN if there are no runs.
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

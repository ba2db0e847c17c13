package sweep

import (
	"context"
	"fmt"
	"math"

	"ringcheck"
)

// A Sample is the result of random runs of an instance.
type Sample struct {
	Complete  bool                 `json:"complete"`
	Stopped   string               `json:"stopped,omitempty"` // why the simulation stopped, if it is not complete
	Runs      int                  `json:"runs"`
	Seed      uint64               `json:"seed"`
	Seconds   float64              `json:"seconds"`
	Estimates []ringcheck.Estimate `json:"estimates"`
}

// sample takes random runs of an instance, up to terminal states.
func (r *Row) sample(ctx context.Context, plan ringcheck.Simulation, search ringcheck.Search) error {
	report, err := ringcheck.Simulate(ctx, r.instance.System, plan, search)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	r.Sample = &Sample{report.Complete, report.Stopped, report.Runs, report.Seed, report.Seconds, report.Estimates}
	return nil
}

// broken returns the names of the properties that some run violates.
func (s *Sample) broken() []string {
	var names []string
	for _, e := range s.Estimates {
		if e.Violated() {
			names = append(names, e.Name)
		}
	}
	return names
}

// A Trend is the growth of an expected cost in a series: it is about Factor·n^Exponent.
type Trend struct {
	Series   string  `json:"series"`
	Reward   string  `json:"reward"`
	Factor   float64 `json:"factor"`
	Exponent float64 `json:"exponent"`
	Residual float64 `json:"residual"` // see Fit
}

// String returns the trend in one line.
func (t *Trend) String() string {
	return fmt.Sprintf("%s: expected %s ≈ %.3g·n^%.3g (%s)", t.Series, t.Reward, t.Factor, t.Exponent,
		offBy(t.Residual))
}

// trends fits the expected costs of a series of samples.
func trends(series string, rows []*Row) []*Trend {
	var all []*Trend
	for _, e := range rows[0].Sample.Estimates {
		var n, mean []float64
		for _, r := range rows {
			for _, f := range r.Sample.Estimates {
				if m := f.Mean; f.Name == e.Name && m != nil && *m > 0 {
					n, mean = append(n, math.Log(float64(r.instance.Size()))), append(mean, *m)
				}
			}
		}
		if a, b, residual, ok := fitLine(n, mean); ok {
			all = append(all, &Trend{series, e.Name, math.Exp(a), b, residual})
		}
	}
	return all
}

// means returns the names of the quantities whose expectation was estimated, and the estimates.
func (s *Sample) means() (names []string, values []float64) {
	for _, e := range s.Estimates {
		if e.Mean != nil {
			names, values = append(names, e.Name), append(values, *e.Mean)
		}
	}
	return names, values
}

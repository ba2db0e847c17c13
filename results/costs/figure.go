package costs

import (
	"context"
	"fmt"

	"ringcheck"
	"ringcheck/prob"
	"ringcheck/results/curve"
)

// Readings are the algorithms of Sect. 6 of Bakhshi et al. (2008), by the value of the option fresh of franklin.
var Readings = []struct{ Name, Fresh string }{
	{"A: fresh identities in each round", "round"},
	{"B: only if one of the two equals the own", "clash"},
	{"B2: only if both equal the own", "both"},
}

// Curves returns the probability of an election within 0 to last steps, for the algorithms of Sect. 6, under the uniform scheduler, between those under the
// least and the greatest one. States are explored modulo rotation, which keeps the values.
func Curves(ctx context.Context, n, k, last int) (*curve.Picture, error) {
	c := &curve.Picture{Title: fmt.Sprintf("P(elected within t steps): %d processes, %d identities; uniform, and from the least to the greatest scheduler", n, k), Round: 4 * n}
	schedulers := []prob.Scheduler{prob.Uniform, prob.Min, prob.Max}
	for _, reading := range Readings {
		sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": fmt.Sprint(n), "k": fmt.Sprint(k), "fresh": reading.Fresh})
		if err != nil {
			return nil, err
		}
		var asked []ringcheck.Quantity
		for _, s := range schedulers {
			for t := range last + 1 {
				asked = append(asked, ringcheck.Quantity{Until: ringcheck.UntilElected, Within: &t, Scheduler: s.String()})
			}
		}
		values, ending, err := ringcheck.Values(ctx, sys, asked, ringcheck.Options{Symmetry: ringcheck.Rotation})
		if err == nil {
			err = ending.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sys.Title(), err)
		}
		var points [3][]curve.Point
		for i, v := range values {
			t := i % (last + 1)
			points[i/(last+1)] = append(points[i/(last+1)], curve.Point{Steps: t, Low: v.Low, High: v.High})
		}
		c.Series = append(c.Series, curve.Series{Name: reading.Name, Points: points[0], Least: points[1], Greatest: points[2]})
	}
	return c, nil
}

// MostWithin and LeastWithin return after how many rounds of Algorithm A, the last one included, a ring of n surely is not, or surely is, beyond the event
// leader after t steps, whoever schedules: a round takes 4n steps, of which the last process needs at least 2n + 2 and at most all to hear its own message and say so.
func MostWithin(n, t int) int  { return max(0, t+2*n-2) / (4 * n) }
func LeastWithin(n, t int) int { return t / (4 * n) }

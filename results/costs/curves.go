package costs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"ringcheck"
	"ringcheck/results/figure"
	"ringcheck/verify/prob"
)

// Readings are the algorithms of Sect. 6 of Bakhshi et al. (2008), by the value of the option fresh of franklin.
var Readings = []struct{ Name, Fresh string }{
	{"A: fresh identities in each round", "round"},
	{"B: only if one of the two equals the own", "clash"},
	{"B2: only if both equal the own", "both"},
}

// Curves returns the probability of an election within 0 to last steps, for the algorithms of Sect. 6: under the
// uniform scheduler, and the least and the greatest under any scheduler.
func Curves(ctx context.Context, n, k, last int) (*figure.Curves, error) {
	c := &figure.Curves{Round: 4 * n, Title: fmt.Sprintf("P(elected within t steps): %d processes, %d identities; "+
		"uniform, and from the least to the greatest scheduler", n, k)}
	var asked []ringcheck.Quantity
	for _, s := range []prob.Scheduler{prob.Uniform, prob.Min, prob.Max} {
		for t := range last + 1 {
			asked = append(asked, ringcheck.Quantity{Until: "elected", Within: &t, Scheduler: s.String()})
		}
	}
	for _, reading := range Readings {
		values, err := quantify(ctx, asked, "franklin", ringcheck.Set{"n": n, "k": k, "fresh": reading.Fresh})
		if err != nil {
			return nil, err
		}
		var points [3][]figure.Point
		for i, v := range values {
			s, t := i/(last+1), i%(last+1)
			points[s] = append(points[s], figure.Point{Steps: t, Low: float64(v.Low), High: float64(v.High)})
		}
		c.Curves = append(c.Curves, figure.Curve{
			Name: reading.Name, Points: points[0], Least: points[1], Greatest: points[2]})
	}
	return c, nil
}

// A Figure is a picture like Fig. 3, of the curves for N processes and K identities up to the step Last.
type Figure struct{ N, K, Last int }

// Figures are the figures of the page.
var Figures = []Figure{{3, 2, 150}, {4, 2, 150}, {4, 3, 150}, {5, 2, 250}, {6, 2, 300}}

// Name returns the name, without its ending, of the files of the figure.
func (f Figure) Name() string { return fmt.Sprintf("figure3-%d-%d", f.N, f.K) }

// Files returns the files of the figure by name, a picture and a table. It takes time and memory for large rings.
func (f Figure) Files(ctx context.Context) (map[string][]byte, error) {
	c, err := Curves(ctx, f.N, f.K, f.Last)
	if err != nil {
		return nil, err
	}
	drawn, err := c.Picture()
	if err != nil {
		return nil, err
	}
	var svg, csv bytes.Buffer
	if err := cmp.Or(drawn.SVG(&svg), c.CSV(&csv)); err != nil {
		return nil, err
	}
	return map[string][]byte{f.Name() + ".svg": svg.Bytes(), f.Name() + ".csv": csv.Bytes()}, nil
}

// quantify answers questions about an instance. It is explored modulo rotation, which keeps the values.
func quantify(
	ctx context.Context, asked []ringcheck.Quantity, spec string, sets ...ringcheck.Set,
) ([]ringcheck.Answer, error) {
	sys, err := ringcheck.Load(spec, sets...)
	if err != nil {
		return nil, err
	}
	r, err := ringcheck.Quantify(ctx, sys, ringcheck.Questions{Quantities: asked},
		ringcheck.Search{Symmetry: ringcheck.Rotation})
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sys.Title(), err)
	}
	return r.Results, nil
}

package costs

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"ringcheck"
	"ringcheck/prob"
	"ringcheck/results/curve"
	"ringcheck/results/figure"
)

// The size of a picture.
const (
	width  = 18 * vg.Centimeter
	height = 9 * vg.Centimeter
)

// A series is a line of a picture.
type series struct {
	name   string
	points plotter.XYs
}

// lines draws series into a new plot.
func lines(title, x, y string, list []series) (*plot.Plot, error) {
	p := figure.New()
	p.Title.Text, p.Title.TextStyle.Font.Size = title, vg.Points(9)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Y.Min = 0
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, s := range list {
		if err := figure.AddLine(p, i, s.name, s.points); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func svg(p *plot.Plot) ([]byte, error) {
	var b bytes.Buffer
	err := figure.SVG(&b, p, width, height)
	return b.Bytes(), err
}

// roundFiles makes rounds.csv and messages.svg of the expected numbers of rounds, by k and n.
func (p *page) roundFiles(expected map[int][]Ratio) error {
	var table bytes.Buffer
	fmt.Fprint(&table, "n")
	var list []series
	for k := 2; k <= identities; k++ {
		fmt.Fprintf(&table, ",rounds k=%d,messages/(n log2 n) k=%d", k, k)
		list = append(list, series{name: fmt.Sprintf("k = %d", k)})
	}
	for n := 2; n <= largest; n++ {
		fmt.Fprintf(&table, "\n%d", n)
		for k := 2; k <= identities; k++ {
			e := expected[k][n]
			ratio := PerLog(n, e)
			fmt.Fprintf(&table, ",%s,%.9f", e.Decimal(30), ratio)
			list[k-2].points = append(list[k-2].points, plotter.XY{X: float64(n), Y: ratio})
		}
	}
	fmt.Fprintln(&table)
	p.files["rounds.csv"] = table.Bytes()
	drawn, err := lines("Probabilistic Franklin: expected messages / (n log2 n)", "processes", "messages / (n log2 n)", list)
	if err != nil {
		return err
	}
	drawn.X.Scale, drawn.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(doublings)
	p.files["messages.svg"], err = svg(drawn)
	return err
}

// doublings marks the powers of two.
func doublings(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for n := math.Exp2(math.Ceil(math.Log2(from))); n <= to; n *= 2 {
		ticks = append(ticks, plot.Tick{Value: n, Label: strconv.Itoa(int(n))})
	}
	return ticks
}

// distributionFile makes distribution.csv and distribution.svg: the probability of each number of rounds.
func (p *page) distributionFile(r *Rounds) error {
	small := &Rounds{N: distributed[len(distributed)-1], K: r.K, Count: r.Count}
	list := make([]series, len(distributed))
	before := small.Within(0)
	var table bytes.Buffer
	fmt.Fprint(&table, "rounds")
	for _, n := range distributed {
		fmt.Fprintf(&table, ",n=%d", n)
	}
	for rounds := 1; rounds <= mostRounds; rounds++ {
		within := small.Within(rounds)
		fmt.Fprintf(&table, "\n%d", rounds)
		for i, n := range distributed {
			exactly := new(big.Rat).Sub(within[n], before[n])
			fmt.Fprintf(&table, ",%s", exactly.FloatString(12))
			y, _ := exactly.Float64()
			list[i].name = fmt.Sprintf("n = %d", n)
			list[i].points = append(list[i].points, plotter.XY{X: float64(rounds), Y: y})
		}
		before = within
	}
	fmt.Fprintln(&table)
	p.files["distribution.csv"] = table.Bytes()
	drawn, err := lines("Probabilistic Franklin, two identities: distribution of the number of rounds", "rounds", "probability", list)
	if err != nil {
		return err
	}
	p.files["distribution.svg"], err = svg(drawn)
	return err
}

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

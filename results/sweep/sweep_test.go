package sweep

import (
	"fmt"
	"math"
	"testing"

	"ringcheck"
	"ringcheck/results/experiment"
)

func TestGrid(t *testing.T) {
	spec, err := ringcheck.Open("franklin")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := Grid(spec, map[string]string{"n": "2..3", "order": "any,left", "k": "2"})
	if err != nil {
		t.Fatal(err)
	}
	want := "[map[k:2 n:2 order:any] map[k:2 n:2 order:left] map[k:2 n:3 order:any] map[k:2 n:3 order:left]]"
	if got := fmt.Sprint(grid); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []map[string]string{{"n": "3..2"}, {"n": "a..b"}, {"x": "1"}, {"n": "1..100000"}, {"n": "1..9999", "k": "2..9999"}} {
		if _, err := Grid(spec, bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestFit: what grows exactly is fitted exactly.
func TestFit(t *testing.T) {
	spec, err := ringcheck.Open("franklin")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := Grid(spec, map[string]string{"n": "2..5"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New("franklin", spec, grid, experiment.Experiment{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Rows {
		power := math.Pow(10, float64(i+2))
		r.Outcome = &experiment.Outcome{Complete: true, States: ringcheck.Count(7 * power), Seconds: power, Bytes: uint64(power)}
	}
	s.fit()
	if len(s.Growth) != 1 {
		t.Fatalf("%d series", len(s.Growth))
	}
	f := s.Growth[0]
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-6*want }
	if !near(f.Factor, 7) || !near(f.Base, 10) || !near(f.Residual, 1) || f.Next.N != 6 || !near(f.Next.States, 7e6) || !near(f.Next.Bytes, 1e6) {
		t.Errorf("%+v", f)
	}
}

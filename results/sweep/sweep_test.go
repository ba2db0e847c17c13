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
	grid, err := Grid(spec, ringcheck.Set{"n": "2..3", "order": "any,left", "k": "2"})
	if err != nil {
		t.Fatal(err)
	}
	want := "[map[k:2 n:2 order:any] map[k:2 n:2 order:left] map[k:2 n:3 order:any] map[k:2 n:3 order:left]]"
	if got := fmt.Sprint(grid); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []ringcheck.Set{{"n": "3..2"}, {"n": "a..b"}, {"x": "1"}, {"n": "1..100000"},
		{"n": "1..9999", "k": "2..9999"}} {
		if _, err := Grid(spec, bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestFit: exactly exponential growth is fitted exactly; otherwise the residual is the error at the largest size. There
// is no fit of fewer than four sizes.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		states   []float64
		residual float64 // 0 for no fit
	}{
		{[]float64{700, 7000, 70_000, 700_000}, 1},
		{[]float64{700, 7000, 70_000, 7_000_000}, 10},
		{[]float64{700, 7000, 70_000, 350_000}, 2},
		{[]float64{700, 7000, 70_000}, 0},
		{[]float64{700, 7000}, 0},
	} {
		s := grown(t, c.states)
		switch {
		case c.residual == 0:
			if len(s.Growth) != 0 {
				t.Errorf("%v: got the fit %v, want none", c.states, s.Growth[0])
			}
			continue
		case len(s.Growth) != 1:
			t.Fatalf("%v: got %d fits, want 1", c.states, len(s.Growth))
		}
		f := s.Growth[0]
		near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-6*want }
		if !near(f.Residual, c.residual) || f.Next.N != 6 || !near(f.Next.Seconds, 1e6) || !near(f.Next.Bytes, 1e6) {
			t.Errorf("%v: %+v", c.states, f)
		}
		if c.residual == 1 && (!near(f.Factor, 7) || !near(f.Base, 10) || !near(f.Next.States, 7e6)) {
			t.Errorf("%v: %+v", c.states, f)
		}
	}
}

// grown returns a fitted sweep with these numbers of states for n = 2, 3, …; seconds and bytes are powers of ten.
func grown(t *testing.T, states []float64) *Sweep {
	t.Helper()
	spec, err := ringcheck.Open("franklin")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := Grid(spec, ringcheck.Set{"n": fmt.Sprintf("2..%d", len(states)+1)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New("franklin", spec, grid, experiment.Experiment{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Rows {
		power := math.Pow(10, float64(i+2))
		r.Outcome = &experiment.Result{Complete: true, States: ringcheck.Count(states[i]), Seconds: power,
			Bytes: uint64(power)}
	}
	s.fit()
	return s
}

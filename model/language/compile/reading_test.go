package compile_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// look is a protocol in which all processes but process 0 may read a register of process 0, at one of their control
// points.
const look = `protocol look
param n: 2..5 = 3
option look: bool = true
topology complete graph of n
channel unordered
message M(a: 0..3), N
register x: 0..3 = 0
register y: 0..3 = 0
var q: node
var a: 0..3
process p = if p = 0 then W(0) else R
W(a) = let x = a; skip; for q in neighbours(self): send q M(a); if a < 3 then W(a + 1) else stop
R = recv q M(a); let x = a; send q N; R
  | when look and 0.x = 3 and y = 0: y := 1; R
`

// TestReadingGroups checks that reading one register does not make other actions depend on other processes: an
// exploration asks the system hardly more often for each transition.
func TestReadingGroups(t *testing.T) {
	asked := func(looks bool) float64 {
		sys := &counter{System: spectest.Compile(t, spectest.Instantiate(t, look, map[string]string{
			"look": fmt.Sprint(looks),
		}))}
		r, err := explore.Run(t.Context(), sys, explore.Options{Workers: 1})
		if err != nil || !r.Complete() {
			t.Fatal(err)
		}
		return float64(sys.calls.Load()) / float64(r.Transitions)
	}
	without, with := asked(false), asked(true)
	t.Logf("calls of Next for each transition: %.4f without reading, %.4f with it", without, with)
	if with > 2*without {
		t.Errorf("%.4f calls of Next for each transition, %.4f without reading", with, without)
	}
}

// TestFullTable checks that a full table of situations changes no transition.
func TestFullTable(t *testing.T) {
	p := spectest.Instantiate(t, look, nil)
	var want *explore.Result
	for _, most := range []int{0, 1, 30, 100} { // 0: by default
		sys, err := compile.New(t.Context(), p, compile.Options{MaxOutcomes: most})
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Run(t.Context(), sys, explore.Options{Workers: 2})
		if err != nil || !r.Complete() {
			t.Fatal(err)
		}
		if want == nil {
			want = r
		}
		if r.States != want.States || r.Transitions != want.Transitions || r.TerminalStates != want.TerminalStates {
			t.Errorf("at most %d situations: %d states, %d transitions, %d terminal; want %d, %d, %d", most, r.States,
				r.Transitions, r.TerminalStates, want.States, want.Transitions, want.TerminalStates)
		}
	}
}

// many is a protocol in whose states few situations are met twice.
const many = `protocol many
topology complete graph of 2
shared x: 0..119 = 0
shared y: 0..119 = 0
process p = P
P = when self = 0: x := (x * 7 + y + 1) mod 120; P
  | when self = 1: y := (y * 11 + x + 5) mod 120; P
  | when x = y: skip; P`

// TestRareSituations checks that a table that is given up changes no transition.
func TestRareSituations(t *testing.T) {
	p := spectest.Instantiate(t, many, nil)
	compare(t, p, compile.Options{}, 20_000)
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := explore.Run(t.Context(), sys, explore.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if sys.Rare() != 2 {
		t.Errorf("%d groups with rare situations, want 2", sys.Rare())
	}
	before := sys.Bytes()
	if _, err := explore.Run(t.Context(), sys, explore.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if sys.Rare() != 0 || sys.Bytes() <= before {
		t.Errorf("after a second search %d groups with rare situations", sys.Rare())
	}
}

// A counter counts the calls of Next.
type counter struct {
	*compile.System
	calls atomic.Int64
}

func (c *counter) Next(g int, in []model.Value, out *model.Successors) error {
	c.calls.Add(1)
	return c.System.Next(g, in, out)
}

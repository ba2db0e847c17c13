package symbolic_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// franklin returns the algorithm for n processes and two identities.
func franklin(t testing.TB, n int) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Open(t, "franklin", fmt.Sprintf("n=%d k=2", n)))
}

// TestMemory checks that with any memory the counts are right or lower bounds.
func TestMemory(t *testing.T) {
	const states, transitions = 380609, 1396512 // published, Table 1
	complete, stopped := false, false
	for memory := uint64(1 << 20); memory < 32<<20; memory *= 2 {
		r := run(t, franklin(t, 4), symbolic.Options{Memory: memory})
		complete = complete || r.Complete()
		stopped = stopped || r.Stop == explore.MemoryLimit
		exact := r.States.Cmp(big.NewInt(states)) == 0 && r.Transitions.Cmp(big.NewInt(transitions)) == 0
		below := r.States.Sign() > 0 && r.States.Cmp(big.NewInt(states)) <= 0 &&
			r.Transitions.Cmp(big.NewInt(transitions)) <= 0
		if r.Complete() && !exact || !r.Complete() && (r.Stop != explore.MemoryLimit || !below) {
			t.Errorf("with %d bytes: %v, %v states, %v transitions", memory, r.Stop, r.States, r.Transitions)
		}
	}
	if !stopped || !complete {
		t.Errorf("some search ran out of memory: %v; some came to its end: %v", stopped, complete)
	}
}

// TestCollect checks that garbage is collected before a search gives up.
func TestCollect(t *testing.T) {
	var peak []int64
	for _, memory := range []uint64{64 << 20, 8 << 20} {
		r := run(t, franklin(t, 4), symbolic.Options{Memory: memory})
		counts := fmt.Sprint(r.States, r.Transitions, r.TerminalStates)
		if !r.Complete() || counts != "380609 1396512 32" {
			t.Errorf("with %d bytes: %v: %s", memory, r.Stop, counts)
		}
		peak = append(peak, r.PeakNodes)
	}
	if peak[1] > peak[0]*3/4 {
		t.Errorf("peaks of %d nodes: nothing was collected", peak)
	}
}

// TestBudget checks that less memory than a search needs to begin is an error.
func TestBudget(t *testing.T) {
	if _, err := symbolic.Run(context.Background(), franklin(t, 2), symbolic.Options{Memory: 1000}); err == nil {
		t.Error("no error")
	}
}

// TestCancel checks that a search ends soon after it is cancelled, with its findings so far.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opt := symbolic.Options{ProgressEvery: time.Millisecond}
	opt.Progress = func(p explore.Progress) {
		if p.(symbolic.Progress).Nodes > 1000 {
			cancel()
		}
	}
	r, err := symbolic.Run(ctx, franklin(t, 12), opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != explore.Interrupted || r.States.Sign() <= 0 {
		t.Errorf("%v, %v states", r.Stop, r.States)
	}
}

// TestModelError checks that a model error in a reachable state ends a search, and one in another state does not.
func TestModelError(t *testing.T) {
	failing := 0
	for seed := range uint64(400) {
		shape := systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0)))
		shape.Errors = 20
		sys := systemtest.New(seed, shape)
		want := systemtest.Explored(t, sys)
		got := run(t, sys, symbolic.Options{Memory: 8 << 20})
		if want.Errors == 0 {
			compare(t, fmt.Sprint("system ", seed), got, want)
			continue
		}
		failing++
		if got.Stop != explore.ModelFailure || got.ModelError == nil {
			t.Errorf("system %d: %v, error %v", seed, got.Stop, got.ModelError)
		}
	}
	if failing < 50 {
		t.Errorf("only %d systems have model errors", failing)
	}
}

// A bomb is a system that panics.
type bomb struct{ model.System }

func (b bomb) Next(g int, in []model.Value, out *model.Successors) error {
	if in[0] > 3 {
		panic("bomb")
	}
	return b.System.Next(g, in, out)
}

// TestPanic checks that a panic of the system reaches the caller.
func TestPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_, _ = symbolic.Run(context.Background(), bomb{franklin(t, 3)}, symbolic.Options{})
}

// TestOrder checks that the order has every slot once, and that on a ring no group is long but those that close it, at
// the top.
func TestOrder(t *testing.T) {
	for n := 2; n < 9; n++ {
		sys := franklin(t, n)
		order := symbolic.Order(sys)
		level := make([]int, len(order))
		for l, slot := range order {
			level[slot] = l
		}
		sorted := slices.Sorted(slices.Values(order))
		for i, slot := range sorted {
			if i != slot {
				t.Fatalf("n = %d: order %v", n, order)
			}
		}
		for _, g := range sys.Groups() {
			if len(g.Slots) < 2 {
				continue
			}
			a, b := level[g.Slots[0]], level[g.Slots[1]]
			if top := min(a, b); top > 2 && max(a, b) > top+3 {
				t.Errorf("n = %d: group %s goes from level %d to %d", n, g.Name, a, b)
			}
		}
	}
}

// run is symbolic.Run; the test fails where that reports an error.
func run(t testing.TB, sys model.System, opt symbolic.Options) *symbolic.Result {
	t.Helper()
	r, err := symbolic.Run(t.Context(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

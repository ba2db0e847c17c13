package explore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/intern"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// counters is a system of n independent counters from 0 to max-1, each in a slot: max^n states.
type counters struct {
	*systemtest.System
	n   int
	max model.Value
	// next, if not nil, is called before a step of the first counter.
	next func(value model.Value)
}

func newCounters(n int, max model.Value) *counters {
	return &counters{System: systemtest.New(1, systemtest.Shape{Slots: n, Values: 1}), n: n, max: max}
}

func (c *counters) Groups() []model.Group {
	groups := make([]model.Group, c.n)
	for i := range groups {
		groups[i].Slots = []int{i}
	}
	return groups
}

func (c *counters) Next(g int, in []model.Value, out *model.Successors) error {
	if g == 0 && c.next != nil {
		c.next(in[0])
	}
	if in[0]+1 < c.max {
		out.Add(model.Step{Label: model.Label(g), Weight: model.Certain})[0] = in[0] + 1
	}
	return nil
}

func power(base, exponent uint64) uint64 {
	p := uint64(1)
	for range exponent {
		p *= base
	}
	return p
}

// TestCounters: a system whose numbers are known, larger than the others here; the set grows and is widened.
func TestCounters(t *testing.T) {
	const max = 6
	n := uint64(7)
	if testing.Short() {
		n = 5
	}
	sys := newCounters(int(n), max)
	for _, count := range workerCounts {
		r := systemtest.Run(t, sys, explore.Options{Workers: count})
		states := power(max, n)
		if r.States != states || r.Transitions != n*(max-1)*power(max, n-1) || r.TerminalStates != 1 ||
			len(r.Levels) != int(n)*(max-1)+1 {
			t.Errorf("%d workers: %v", n, countsOf(r))
		}
	}
}

// endless is a system that no test can explore to its end.
func endless() *counters { return newCounters(12, 16) }

// lowerBounds fails if r is not the result of a search that was stopped.
func lowerBounds(t *testing.T, r *explore.Result, stop explore.Stop) {
	t.Helper()
	sum := uint64(0)
	for _, n := range r.Levels {
		sum += n
	}
	if r.Stop != stop || r.Complete() || r.States == 0 || sum > r.States || r.Stored != r.States {
		t.Errorf("stopped by %q, want %q; %d states, %d of them by level", r.Stop, stop, r.States, sum)
	}
}

func TestMaxStates(t *testing.T) {
	const limit = 40_000
	for _, n := range workerCounts {
		r := systemtest.Run(t, endless(), explore.Options{Workers: n, MaxStates: limit})
		lowerBounds(t, r, explore.StateLimit)
		if r.Stored <= limit || r.Stored > 2*limit {
			t.Errorf("%d workers: %d states are stored", n, r.Stored)
		}
	}
	w, err := explore.Walk(t.Context(), endless(), explore.Options{MaxStates: 10_000}, explore.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	lowerBounds(t, w, explore.StateLimit)
	if w.Stored != 10_000 {
		t.Errorf("Walk stored %d states", w.Stored)
	}
}

// TestMaxStatesIsEnough: a limit of as many states as there are does not stop anything.
func TestMaxStatesIsEnough(t *testing.T) {
	sys := newCounters(3, 9)
	for _, limit := range []uint64{power(9, 3) - 1, power(9, 3)} {
		complete := limit == power(9, 3)
		r := systemtest.Run(t, sys, explore.Options{MaxStates: limit})
		w, err := explore.Walk(t.Context(), sys, explore.Options{MaxStates: limit}, explore.Visitor{})
		if err != nil || r.Complete() != complete || w.Complete() != complete {
			t.Errorf("limit %d: Run %v, Walk %v, error %v", limit, r.Stop, w.Stop, err)
		}
	}
}

// TestMaxStatesOfInitial: the limit is reached by the initial states.
func TestMaxStatesOfInitial(t *testing.T) {
	sys := &many{newCounters(2, 100)}
	r := systemtest.Run(t, sys, explore.Options{MaxStates: 10})
	lowerBounds(t, r, explore.StateLimit)
	w, err := explore.Walk(t.Context(), sys, explore.Options{MaxStates: 10}, explore.Visitor{})
	if err != nil || w.Stop != explore.StateLimit || w.Stored != 10 {
		t.Errorf("Walk: %v, %d states, error %v", w.Stop, w.Stored, err)
	}
}

// many begins in every state.
type many struct{ *counters }

func (m *many) Initial(yield func([]model.Value) bool) error {
	for i := range m.max * m.max {
		if !yield([]model.Value{i / m.max, i % m.max}) {
			return nil
		}
	}
	return nil
}

func TestManyInitialStates(t *testing.T) {
	r := systemtest.Run(t, &many{newCounters(2, 100)}, explore.Options{})
	if r.States != 10_000 || len(r.Levels) != 1 || r.Transitions != 2*99*100 {
		t.Errorf("%v", countsOf(r))
	}
}

func TestMemory(t *testing.T) {
	const budget = 3 << 20
	for _, n := range []int{1, 3} {
		r := systemtest.Run(t, endless(), explore.Options{Workers: n, Memory: budget})
		lowerBounds(t, r, explore.MemoryLimit)
		if r.TotalBytes > 2*budget {
			t.Errorf("%d workers: the search held %d bytes", n, r.TotalBytes)
		}
	}
	w, err := explore.Walk(t.Context(), endless(), explore.Options{Memory: budget}, explore.Visitor{})
	if err != nil {
		t.Fatal(err)
	}
	lowerBounds(t, w, explore.MemoryLimit)
	small := explore.Options{Memory: 1000}
	if _, err := explore.Run(t.Context(), endless(), small); !errors.Is(err, explore.ErrBudget) {
		t.Errorf("Run with 1000 bytes: %v", err)
	}
	if _, err := explore.Walk(t.Context(), endless(), small, explore.Visitor{}); !errors.Is(err, explore.ErrBudget) {
		t.Errorf("Walk with 1000 bytes: %v", err)
	}
}

// An expiring is a context that ends when done is closed.
type expiring struct {
	context.Context
	done chan struct{}
	why  error
}

func (c *expiring) Done() <-chan struct{} { return c.done }

func (c *expiring) Err() error {
	select {
	case <-c.done:
		return c.why
	default:
		return nil
	}
}

// TestCancel: a search without end ends soon after its context. That it comes back at all says so.
func TestCancel(t *testing.T) {
	for want, why := range map[explore.Stop]error{explore.Deadline: context.DeadlineExceeded,
		explore.Interrupted: context.Canceled} {
		under := func() (context.Context, model.System) {
			ctx, sys := &expiring{t.Context(), make(chan struct{}), why}, endless()
			end := sync.OnceFunc(func() { close(ctx.done) })
			sys.next = func(v model.Value) {
				if v == 5 {
					end()
				}
			}
			return ctx, sys
		}
		ctx, sys := under()
		r, err := explore.Run(ctx, sys, explore.Options{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		lowerBounds(t, r, want)
		ctx, sys = under()
		if r, err = explore.Walk(ctx, sys, explore.Options{}, explore.Visitor{}); err != nil {
			t.Fatal(err)
		}
		lowerBounds(t, r, want)
		ctx, sys = under()
		_, err = explore.Path(ctx, sys, explore.Options{}, func(int, []model.Value) bool { return false })
		if !errors.Is(err, explore.ErrIncomplete) || !strings.Contains(err.Error(), want.String()) {
			t.Errorf("Path: %v, want %v", err, want)
		}
	}
}

// TestProgress: the reports go up, and end when the search does.
func TestProgress(t *testing.T) {
	var calls, inside atomic.Int32
	var last explore.SearchProgress
	var enough context.CancelFunc
	ended := false
	opt := explore.Options{ProgressEvery: time.Millisecond, Progress: func(now explore.Progress) {
		p := now.(explore.SearchProgress)
		if inside.Add(1) != 1 || ended {
			t.Error("Progress is called twice at once, or after the end")
		}
		defer inside.Add(-1)
		if p.Level < last.Level || p.States < last.States || p.Transitions < last.Transitions ||
			p.Time < last.Time {
			t.Errorf("%+v after %+v", p, last)
		}
		if p.Bytes == 0 {
			t.Errorf("progress says that the search holds no memory: %+v", p)
		}
		last = p
		time.Sleep(3 * time.Millisecond) // while others may call, which they should not
		if calls.Add(1) == 5 {
			enough()
		}
	}}
	for name, do := range map[string]func(context.Context) (*explore.Result, error){
		"Run": func(ctx context.Context) (*explore.Result, error) { return explore.Run(ctx, endless(), opt) },
		"Walk": func(ctx context.Context) (*explore.Result, error) {
			return explore.Walk(ctx, endless(), opt, explore.Visitor{})
		},
	} {
		last, ended = explore.SearchProgress{}, false
		calls.Store(0)
		var ctx context.Context
		ctx, enough = context.WithCancel(t.Context())
		r, err := do(ctx)
		enough()
		ended = true
		if err != nil {
			t.Fatal(err)
		}
		if calls.Load() == 0 || last.States > r.States || last.Transitions > r.Transitions {
			t.Errorf("%s: after %d calls, the last with %+v, the result is %v", name, calls.Load(), last, countsOf(r))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestCapacity: a search ends, with what it has found, where there are no numbers left for parts of states.
func TestCapacity(t *testing.T) {
	for _, n := range workerCounts {
		sys := endless()
		sys.next = func(v model.Value) {
			if v == 5 {
				panic(intern.ErrFull)
			}
		}
		lowerBounds(t, systemtest.Run(t, sys, explore.Options{Workers: n}), explore.CapacityLimit)
		r, err := explore.Walk(t.Context(), sys, explore.Options{Workers: n}, explore.Visitor{})
		if err != nil || r.Stop != explore.CapacityLimit {
			t.Errorf("Walk: %v, error %v", r, err)
		}
	}
}

// panics returns what f panics with.
func panics(t *testing.T, f func()) (p *workers.Panic) {
	t.Helper()
	defer func() { p, _ = recover().(*workers.Panic) }()
	f()
	return nil
}

// TestPanic: a panic of the system or of a callback, in whatever goroutine, arrives at the caller with the stack that
// shows where it was, and leaves no worker waiting.
func TestPanic(t *testing.T) {
	modelError := errors.New("a mistake")
	misstep := func(model.Value) { panic(modelError) }
	for _, n := range workerCounts {
		for name, do := range map[string]func(){
			"Next": func() {
				sys := endless()
				sys.next = func(v model.Value) {
					if v == 5 {
						misstep(v)
					}
				}
				systemtest.Run(t, sys, explore.Options{Workers: n})
			},
			"Match": func() {
				systemtest.Run(t, endless(), explore.Options{Workers: n, Match: func(_ int, state []model.Value) bool {
					if slices.Max(state) == 4 {
						misstep(4)
					}
					return false
				}})
			},
			"Progress": func() {
				systemtest.Run(t, endless(), explore.Options{Workers: n, ProgressEvery: time.Millisecond,
					Progress: func(explore.Progress) { misstep(0) }})
			},
			"Path": func() {
				_, err := explore.Path(t.Context(), endless(), explore.Options{Workers: n},
					func(_ int, state []model.Value) bool {
						if slices.Max(state) == 4 {
							misstep(4)
						}
						return false
					})
				t.Errorf("Path returned %v", err)
			},
		} {
			p := panics(t, do)
			if p == nil || !errors.Is(p, modelError) || !strings.Contains(string(p.Stack), "TestPanic") {
				t.Errorf("%s with %d workers: panic with %v", name, n, p)
			}
		}
	}
}

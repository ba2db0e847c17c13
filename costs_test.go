package ringcheck_test

import (
	"runtime"
	"testing"
	"time"

	"ringcheck"
	"ringcheck/internal/machine"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/verify/conform"
)

// A cost is what some work takes, as processor time and memory: neither depends on the clock.
type cost struct {
	cpu   time.Duration
	bytes float64 // allocated, whether or not they are garbage later
	steps uint64
}

// A job is some work whose cost is compared with that of another. It returns its number of steps.
type job func(tb testing.TB) (steps uint64)

// measure returns the cost of a job. The time is zero on systems that do not tell it.
func (j job) measure(tb testing.TB) cost {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := machine.CPU()
	steps := j(tb)
	c := cost{cpu: machine.CPU() - began, steps: steps}
	runtime.ReadMemStats(&after)
	c.bytes = float64(after.TotalAlloc-before.TotalAlloc) / float64(steps)
	return c
}

func (c cost) nanoseconds() float64 { return float64(c.cpu) / float64(c.steps) }

// least returns the lower time and the fewer bytes of two costs of the same job.
func (c cost) least(d cost) cost {
	return cost{cpu: min(c.cpu, d.cpu), bytes: min(c.bytes, d.bytes), steps: d.steps}
}

// system returns the instance of a spec with settings.
func system(tb testing.TB, text string, set ringcheck.Set) *ringcheck.System {
	tb.Helper()
	spec, err := ringcheck.Parse("test.ring", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	sys, err := spec.System(set)
	if err != nil {
		tb.Fatal(err)
	}
	return sys
}

// load returns the instance of a built-in spec, or of one in a file.
func load(tb testing.TB, name string, set ringcheck.Set) *ringcheck.System {
	tb.Helper()
	sys, err := ringcheck.Load(name, set)
	if err != nil {
		tb.Fatal(err)
	}
	return sys
}

// one is a search with one worker.
var one = ringcheck.Search{Workers: 1}

// explore explores a system and returns the number of its states and transitions.
func explore(tb testing.TB, sys *ringcheck.System) uint64 {
	tb.Helper()
	r, err := ringcheck.Explore(tb.Context(), sys, one)
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Err(); err != nil {
		tb.Fatal(err)
	}
	return r.States.Uint64() + r.Transitions.Uint64()
}

// exploration returns the job of exploring a spec. Its steps are states and transitions.
func exploration(text string, set ringcheck.Set) job {
	return func(tb testing.TB) uint64 { return explore(tb, system(tb, text, set)) }
}

// bully is the job of exploring an example with timers.
func bully(tb testing.TB) uint64 {
	return explore(tb, load(tb, "examples/bully.ring", ringcheck.Set{"n": 3, "tau": 2}))
}

// franklin is the job that others are compared with.
func franklin(tb testing.TB) uint64 {
	return explore(tb, load(tb, "franklin", ringcheck.Set{"n": 4, "k": 2}))
}

// coverage is the job of writing tests that take all transitions of franklin. Its steps are those of the tests.
func coverage(tb testing.TB) uint64 {
	sys := load(tb, "franklin", ringcheck.Set{"n": 3, "k": 2})
	tests, err := conform.NewTests(tb.Context(), sys, conform.TestOptions{Undetermined: true}, one)
	if err != nil {
		tb.Fatal(err)
	}
	if err := tests.Generate(tb.Context(), func([]conform.Event) error { return nil }); err != nil {
		tb.Fatal(err)
	}
	return uint64(tests.Steps)
}

// minimization is the job of minimizing franklin modulo branching bisimilarity. Its steps are states and transitions.
func minimization(tb testing.TB) uint64 {
	sys := load(tb, "franklin", ringcheck.Set{"n": 4, "k": 2})
	r, err := ringcheck.Minimize(tb.Context(), sys, ringcheck.Branching, ringcheck.GraphOptions{Search: one})
	if err != nil {
		tb.Fatal(err)
	}
	return uint64(r.From.States + r.From.Transitions)
}

// simulation returns the job of taking random runs of a spec.
func simulation(text string, set ringcheck.Set) job {
	return func(tb testing.TB) uint64 {
		r, err := ringcheck.Simulate(tb.Context(), system(tb, text, set),
			ringcheck.Simulation{Runs: 1, MaxSteps: 200_000}, one)
		if err != nil {
			tb.Fatal(err)
		}
		return r.Events
	}
}

// A comparison bounds the cost of a step of one job by that of a step of another one.
type comparison struct {
	name       string
	job        job
	against    job     // nil means franklin
	cpu, bytes float64 // the greatest ratios of processor times and of bytes
}

var (
	read   = ringcheck.Set{"look": true}
	noRead = ringcheck.Set{"look": false}
)

// comparisons have a job for each thing that could make a search slow. The ratios are three times what they were when
// they were last changed, or more.
var comparisons = []comparison{
	{"initial states", exploration(startingSpec, nil), nil, 4, 3},
	{"registers", exploration(lookSpec, noRead), nil, 3, 3},
	{"a register of another process", exploration(lookSpec, read), exploration(lookSpec, noRead), 3, 3},
	{"registers on a ring", exploration(passingSpec, noRead), nil, 1.5, 2},
	{"a register of a neighbour on a ring", exploration(passingSpec, read),
		exploration(passingSpec, noRead), 3, 3},
	{"ABD", exploration(abdSpec, noRead), nil, 3, 5},
	{"ABD with a register of another process", exploration(abdSpec, read), exploration(abdSpec, noRead), 4, 3},
	{"idle processes", exploration(idleSpec, ringcheck.Set{"n": 40}),
		exploration(idleSpec, ringcheck.Set{"n": 4}), 5, 8},
	{"a level for each state", exploration(deepSpec, nil), nil, 70, 200},
	{"a star", exploration(starSpec, ringcheck.Set{"n": 30}), nil, 200, 400},
	{"a line", exploration(relaySpec, ringcheck.Set{"n": 200}), nil, 1000, 6000},
	{"a grid", exploration(gridSpec, ringcheck.Set{"w": 6}), nil, 16, 26},
	{"a set in one process", exploration(elementsSpec, nil), nil, 30, 60},
	{"an array in one process", exploration(flagsSpec, nil), nil, 25, 60},
	{"a queue", exploration(queueSpec, nil), nil, 10, 30},
	{"timers", bully, nil, 6, 11},
	{"tests of all transitions", coverage, nil, 100, 550},
	{"minimization", minimization, nil, 9, 20},
	{"random runs", simulation(castSpec, ringcheck.Set{"n": 100}), nil, 80, 35},
}

// TestCosts compares the costs of jobs in this process. What is measured again keeps its least cost, because other
// programs make a job more expensive and never less.
func TestCosts(t *testing.T) {
	if testing.Short() || model.Invariants || !testlevel.Gate() {
		t.Skip("costs are compared before a change is taken, and without checks that cost more")
	}
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			const attempts = 5
			against := c.against
			if against == nil {
				against = franklin
			}
			var mine, other cost
			for attempt := range attempts {
				a, b := c.job.measure(t), against.measure(t)
				if attempt > 0 {
					a, b = a.least(mine), b.least(other)
				}
				mine, other = a, b
				if mine.within(other, c) {
					break
				}
			}
			report := t.Logf
			if !mine.within(other, c) {
				report = t.Errorf
			}
			report("%.0f ns and %.0f bytes for each of %d steps, against %.0f and %.0f: "+
				"ratios %.2f (of at most %g) and %.2f (of at most %g)",
				mine.nanoseconds(), mine.bytes, mine.steps, other.nanoseconds(), other.bytes,
				mine.nanoseconds()/other.nanoseconds(), c.cpu, mine.bytes/other.bytes, c.bytes)
		})
	}
}

// within reports whether the ratios of the cost to another one are those of a comparison at most.
func (c cost) within(other cost, limit comparison) bool {
	return c.nanoseconds() <= limit.cpu*other.nanoseconds() && c.bytes <= limit.bytes*other.bytes
}

// BenchmarkCosts measures each job by itself.
func BenchmarkCosts(b *testing.B) {
	for _, c := range append(comparisons, comparison{name: "franklin", job: franklin}) {
		b.Run(c.name, func(b *testing.B) {
			least := c.job.measure(b)
			for b.Loop() {
				least = least.least(c.job.measure(b))
			}
			b.ReportMetric(least.nanoseconds(), "CPU-ns/step")
			b.ReportMetric(least.bytes, "B/step")
		})
	}
}

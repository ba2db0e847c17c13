package simulate

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/replay"
	"ringcheck/model/language/step"
)

// franklin has three processes.
func franklin(t *testing.T) *System { return system(t, "franklin", "n=3", Scheduler{}) }

// reward returns a reward of a protocol.
func reward(p *ir.Protocol, name string) *ir.Reward {
	return p.Rewards[slices.IndexFunc(p.Rewards, func(r *ir.Reward) bool { return r.Name == name })]
}

func TestWorkersDoNotMatter(t *testing.T) {
	sys := franklin(t)
	p := sys.Protocol()
	opt := Options{Runs: 300, Seed: 7, Rewards: []*ir.Reward{reward(p, "steps"), reward(p, "messages")}}
	var first *Report
	for _, workers := range []int{1, 2, 5} {
		opt.Workers = workers
		r, err := Estimate(t.Context(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		if first == nil {
			first = r
		}
		if !reflect.DeepEqual(r, first) {
			t.Errorf("%d workers: %+v, one worker: %+v", workers, r, first)
		}
		if r.Shares[0].True != 300 || !r.Complete(opt) {
			t.Errorf("%d of 300 runs elect a leader, complete: %v", r.Shares[0].True, r.Complete(opt))
		}
	}
	opt.Seed = 8
	r, err := Estimate(t.Context(), sys, opt)
	if err != nil || reflect.DeepEqual(r.Means, first.Means) {
		t.Errorf("another seed gives the same numbers, error %v", err)
	}
}

func TestStatistics(t *testing.T) {
	// Clopper and Pearson: 0 of n gives 1 − (α/2)^(1/n); the other figures are those of published tables.
	for _, test := range []struct {
		count, runs int
		low, high   float64
	}{
		{0, 10, 0, 0.3085}, {1, 10, 0.0025, 0.4450}, {5, 10, 0.1871, 0.8129}, {10, 10, 0.6915, 1}, {0, 0, 0, 1},
	} {
		s := newShare("x", test.count, test.runs, 0.95)
		if math.Abs(s.Low-test.low) > 5e-5 || math.Abs(s.High-test.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", test.count, test.runs, s.Low, s.High, test.low,
				test.high)
		}
	}
	// Student's t for 4 degrees of freedom is 2.7764.
	m := newMean("x", []float64{5, 1, 4, 2, 3}, 0.95)
	if half := 2.7764 * math.Sqrt(2.5/5); m.Mean != 3 || math.Abs(m.High-3-half) > 1e-3 ||
		math.Abs(3-half-m.Low) > 1e-3 {
		t.Errorf("mean %v, from %v to %v", m.Mean, m.Low, m.High)
	}
	if m.Quantile(0) != 1 || m.Quantile(0.5) != 3 || m.Quantile(0.61) != 4 || m.Quantile(1) != 5 {
		t.Errorf("quantiles %v %v %v %v", m.Quantile(0), m.Quantile(0.5), m.Quantile(0.61), m.Quantile(1))
	}
	if one := newMean("x", []float64{1}, 0.95); !math.IsInf(one.High, 1) {
		t.Errorf("one run bounds a mean by %v", one.High)
	}
}

func TestPrecision(t *testing.T) {
	sys := franklin(t)
	opt := Options{Runs: 1 << 20, Precision: 0.02, Rewards: []*ir.Reward{reward(sys.Protocol(), "messages")},
		Workers: 2}
	r, err := Estimate(t.Context(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Means[0]
	if !r.Precise || !r.Complete(opt) || r.Runs == opt.Runs || (m.High-m.Low)/2 > 0.02*m.Mean {
		t.Errorf("%d runs give %v (%v to %v), precise %v", r.Runs, m.Mean, m.Low, m.High, r.Precise)
	}
}

// TestLimits checks that a run of exactly MaxSteps steps counts as ended, and a longer one does not.
func TestLimits(t *testing.T) {
	sys := franklin(t)
	opt := Options{Runs: 10, Rewards: []*ir.Reward{reward(sys.Protocol(), "steps")}}
	whole, err := Estimate(t.Context(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	longest := uint64(whole.Means[0].Max)
	for _, test := range []struct {
		most       uint64
		unfinished bool
	}{{5, true}, {longest - 1, true}, {longest, false}} {
		opt.MaxSteps = test.most
		r, err := Estimate(t.Context(), sys, opt)
		if err != nil || r.Unfinished > 0 != test.unfinished || r.Complete(opt) == test.unfinished ||
			r.Runs+r.Unfinished != 10 {
			t.Errorf("%d runs end within %d steps, %d do not, error %v", r.Runs, test.most, r.Unfinished, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Estimate(ctx, sys, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the first run: error %v", err)
	}
	if _, err := Estimate(t.Context(), sys, Options{}); err == nil {
		t.Error("no runs: no error")
	}
}

// written prepares runs of a spec.
func written(t *testing.T, src string) *System {
	t.Helper()
	sys, err := New(t.Context(), spectest.Instantiate(t, src, nil), step.Options{MaxMessages: 3}, Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// TestViolation checks that a run ends where an invariant is false, and that its rewards are left out.
func TestViolation(t *testing.T) {
	sys := written(t, `protocol p
topology directed ring of 2
channel fifo
message M
event late
process p = send right M; recv left M; late; Over
Over = stop
invariant goesOn = exists p in node: not p at Over
`)
	p := sys.Protocol()
	opt := Options{Runs: 40, Workers: 2, Rewards: []*ir.Reward{reward(p, "steps")}, Properties: p.Properties}
	r, err := Estimate(t.Context(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	goesOn := r.Shares[1]
	if r.Runs != 0 || r.Violating != 40 || goesOn.Runs != 40 || goesOn.True != 0 || goesOn.Against == nil ||
		*goesOn.Against != 0 ||
		goesOn.Steps != 6 || !r.Complete(opt) {
		t.Errorf("%d runs, %d violating, %+v", r.Runs, r.Violating, goesOn)
	}
}

// TestRunsBehindADeadline checks that runs after the first one unfinished at a deadline are not counted, not even
// violating ones: counting them would favour short runs. The violation is reported all the same.
func TestRunsBehindADeadline(t *testing.T) {
	always := []*ir.Property{{Name: "q", Kind: property.Invariant}}
	s := &simulation{Options: Options{Runs: 5, Rewards: []*ir.Reward{{Name: "steps"}}, Properties: always}}
	over := func(end ending, holds bool) result {
		return result{end: end, rewards: []float64{1}, flags: []bool{holds}}
	}
	s.results = []result{over(regular, true), over(violated, false), over(pending, true), over(violated, false),
		over(regular, true)}
	var r Report
	s.report(&r, len(s.results))
	if q := r.Shares[0]; r.Runs != 1 || r.Violating != 1 || q.Runs != 2 || q.True != 1 || *q.Against != 1 {
		t.Errorf("%+v", r)
	}
	s.results[1].end = pending
	s.report(&r, len(s.results))
	if q := r.Shares[0]; r.Runs != 1 || r.Violating != 0 || q.Runs != 1 || q.True != 1 || q.Against == nil ||
		*q.Against != 3 {
		t.Errorf("%+v", r)
	}
}

// TestFirstMustEnd checks that no other run is taken if the first one does not end.
func TestFirstMustEnd(t *testing.T) {
	opt := Options{Runs: 1 << 20, MaxSteps: 5, FirstMustEnd: true, Workers: 2}
	r, err := Estimate(t.Context(), franklin(t), opt)
	if err != nil || !r.Endless || r.Runs != 0 || r.Unfinished != 1 || r.Complete(opt) {
		t.Errorf("%+v, error %v", r, err)
	}
}

// TestErrors checks that an expression that cannot be evaluated, or a channel that grows beyond its bound, is an error
// of the run.
func TestErrors(t *testing.T) {
	for want, src := range map[string]string{
		"index": `param n: 1..9 = 2
topology directed ring of n
channel fifo
var a: array 0..1 of 0..1
process p = A({i in 0..1: 0})
A(a) = skip; B(a)
B(a) = when a[0] = 1: skip; B(a)
terminal broken = 0.a[n] = 0
`,
		"is negative": `topology directed ring of 2
channel fifo
message M(v: -1..1)
reward costs = v per send M
process p = send right M(-1); stop
`,
		"would hold more than 3 messages": `topology directed ring of 2
channel unordered
message M
process p = A
A = send right M; A
`,
	} {
		sys := written(t, "protocol p\n"+src)
		p := sys.Protocol()
		_, err := Estimate(t.Context(), sys, Options{Runs: 4, Seed: 3, Workers: 2, Rewards: p.Rewards,
			Properties: p.Properties})
		var e *RunError
		if !errors.As(err, &e) || e.Seed != 3 || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestRewardOfFields checks that a reward that reads a field earns its value.
func TestRewardOfFields(t *testing.T) {
	sys := written(t, `protocol p
topology directed ring of 2
channel fifo
message M(v: 0..9)
reward costs = v + 1 per send M
process p = if p = 0 then First else Last
First = send right M(3); send right M(7); stop
Last = recv left M(_); recv left M(_); stop
`)
	r, err := Estimate(t.Context(), sys, Options{Runs: 3, Rewards: []*ir.Reward{reward(sys.Protocol(), "costs")}})
	if err != nil || r.Means[0].Min != 12 || r.Means[0].Max != 12 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// TestRecordLosses checks that the recorded run loses the same one of equal messages in a queue with others between
// them.
func TestRecordLosses(t *testing.T) {
	sys := written(t, `protocol lossy
topology line of 2
channel fifo, lossy at most 2
message A
message B
process p = if p = 0 then First else Last
First = send right A; send right B; send right A; stop
Last = recv left A; Last | recv left B; Last
`)
	for number := range uint64(200) {
		run, err := sys.Record(t.Context(), 1, number, 100)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Play(t.Context(), func(*replay.State, *replay.Step) error { return nil }); err != nil {
			t.Fatalf("run %d: %v", number, err)
		}
	}
}

// TestRecord checks that a recorded run costs what was estimated, and that each of its steps is one of the small-step
// semantics.
func TestRecord(t *testing.T) {
	sys := franklin(t)
	r, err := Estimate(t.Context(), sys, Options{Runs: 1, Seed: 5,
		Rewards: []*ir.Reward{reward(sys.Protocol(), "steps")}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := sys.Record(t.Context(), 5, 0, 1<<20)
	if err != nil || float64(len(run.Steps)) != r.Means[0].Mean {
		t.Fatalf("%d steps, error %v; the run had %v", len(run.Steps), err, r.Means[0].Mean)
	}
	if _, err := run.Play(t.Context(), func(*replay.State, *replay.Step) error { return nil }); err != nil {
		t.Error(err)
	}
}

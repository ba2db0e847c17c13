package simulate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

// A state reached by a walk has the choices that all groups have there, also those that were not asked again.
func TestStaleGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "system")
		sys := systemtest.New(seed, systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0))))
		initial, err := listInitial(context.Background(), sys)
		if err != nil {
			t.Fatal(err)
		}
		w := newWalk(sys, initial, nil)
		if err := w.Reset(newStream().of(rapid.Uint64().Draw(t, "seed"), 0)); err != nil {
			t.Skip(err)
		}
		for range 30 {
			if _, ok, err := w.Step(); !ok || err != nil {
				break
			}
			var total uint32
			for g := range w.groups {
				if err := w.ask(g); err != nil {
					t.Fatal(err)
				}
				total += w.choices()
			}
			if total != w.urns[0].Total() {
				t.Fatalf("%d choices are known of, there are %d", w.urns[0].Total(), total)
			}
		}
	})
}

var steps = Reward{"steps", func(model.Label) (float64, error) { return 1, nil }}

func messages(sys model.System) Reward {
	return Reward{"messages", func(l model.Label) (float64, error) {
		if sys.Label(l).Kind == model.SendAction {
			return 1, nil
		}
		return 0, nil
	}}
}

func named(sys model.System, text string) Event {
	return Event{text, func(l model.Label) bool { return sys.Label(l).Text == text }}
}

// sourceOf returns the source of runs of a system.
func sourceOf(t *testing.T, sys model.System) Source {
	t.Helper()
	source, err := Compiled(t.Context(), sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestWorkersDoNotMatter(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	opt := Options{Runs: 300, Seed: 7, Rewards: []Reward{steps, messages(sys)}, Events: []Event{named(sys, "leader")}}
	var first *Report
	for _, workers := range []int{1, 2, 5} {
		opt.Workers = workers
		r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
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
	r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	if err != nil || reflect.DeepEqual(r.Means, first.Means) {
		t.Errorf("another seed gives the same numbers, error %v", err)
	}
}

// distribution returns, exactly but for rounding, where a run is after some steps (or before, if it has ended there).
func distribution(t *testing.T, sys model.System, initial [][]model.Value, steps int) map[string]float64 {
	now := make(map[string]float64)
	states := make(map[string][]model.Value)
	key := func(s []model.Value) string {
		k := systemtest.Key(s)
		states[k] = slices.Clone(s)
		return k
	}
	for _, s := range initial {
		now[key(s)] += 1 / float64(len(initial))
	}
	for range steps {
		next := make(map[string]float64)
		for k, p := range now {
			successors, err := systemtest.Successors(sys, states[k])
			if err != nil {
				t.Fatal(err)
			}
			choices := 0.0
			for _, x := range successors {
				choices += float64(x.Step.Weight.Num) / float64(x.Step.Weight.Den)
			}
			if len(successors) == 0 {
				next[k] += p
			}
			for _, x := range successors {
				next[key(x.Target)] += p * float64(x.Step.Weight.Num) / float64(x.Step.Weight.Den) / choices
			}
		}
		now = next
	}
	return now
}

// Over many runs the states after some steps are met as often as the Markov chain says: Pearson's χ² test. The seed is
// fixed, so the test always ends the same way.
func TestFrequencies(t *testing.T) {
	const runs = 20_000
	for _, test := range []struct {
		spec     string
		settings map[string]string
		steps    int
	}{
		{"franklin", map[string]string{"n": "2"}, 6},
		{"franklin", map[string]string{"n": "2"}, 17},
		{"itai-rodeh", map[string]string{"n": "3"}, 9},
		{"hirschberg-sinclair", map[string]string{"n": "3"}, 8},
	} {
		sys := compiled(t, test.spec, test.settings)
		initial, err := listInitial(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		want := distribution(t, sys, initial, test.steps)
		seen := make(map[string]int)
		w := newWalk(sys, initial, nil)
		for run := range uint64(runs) {
			if err := w.Reset(newStream().of(42, run)); err != nil {
				t.Fatal(err)
			}
			for range test.steps {
				if _, _, err := w.Step(); err != nil {
					t.Fatal(err)
				}
			}
			seen[systemtest.Key(w.state)]++
		}
		chi2, cells, restWant, restSeen := 0.0, 0, 0.0, 0
		for k, p := range want {
			if expected := p * runs; expected >= 5 {
				chi2 += math.Pow(float64(seen[k])-expected, 2) / expected
				cells++
			} else {
				restWant += expected
				restSeen += seen[k]
			}
			delete(seen, k)
		}
		if len(seen) > 0 {
			t.Errorf("%s: %d states were met that cannot be", test.spec, len(seen))
		}
		if restWant >= 5 {
			chi2 += math.Pow(float64(restSeen)-restWant, 2) / restWant
			cells++
		}
		if p := 1 - (distuv.ChiSquared{K: float64(cells - 1)}).CDF(chi2); p < 0.001 {
			t.Errorf("%s after %d steps: χ² = %.1f in %d cells, p = %g", test.spec, test.steps, chi2, cells, p)
		}
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
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", test.count, test.runs, s.Low, s.High, test.low, test.high)
		}
	}
	// Student's t for 4 degrees of freedom is 2.7764.
	m := newMean("x", []float64{5, 1, 4, 2, 3}, 0.95)
	if half := 2.7764 * math.Sqrt(2.5/5); m.Mean != 3 || math.Abs(m.High-3-half) > 1e-3 || math.Abs(3-half-m.Low) > 1e-3 {
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
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	opt := Options{Runs: 1 << 20, Precision: 0.02, Rewards: []Reward{messages(sys)}, Workers: 2}
	r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Means[0]
	if !r.Precise || !r.Complete(opt) || r.Runs == opt.Runs || (m.High-m.Low)/2 > 0.02*m.Mean {
		t.Errorf("%d runs give %v (%v to %v), precise %v", r.Runs, m.Mean, m.Low, m.High, r.Precise)
	}
}

func TestLimits(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	opt := Options{Runs: 10, MaxSteps: 5, Rewards: []Reward{steps}}
	r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	if err != nil || r.Unfinished != 10 || r.Runs != 0 || r.Complete(opt) {
		t.Errorf("%d runs end within 5 steps, %d do not, error %v", r.Runs, r.Unfinished, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Estimate(ctx, sourceOf(t, sys), opt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the first run: error %v", err)
	}
	if _, err := Estimate(t.Context(), sourceOf(t, sys), Options{}); err == nil {
		t.Error("no runs: no error")
	}
}

// A run ends where what is always to be true is not, and its costs are left out; whoever looks at all runs is told of it also if
// an earlier one is not over.
func TestViolation(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	opt := Options{Runs: 40, Workers: 2, Rewards: []Reward{steps}, Questions: []Question{{Name: "goes on", Always: true, Asker: func(w Walk) func() (bool, error) {
		return func() (bool, error) { return !w.Ended(), nil }
	}}}}
	r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	if err != nil {
		t.Fatal(err)
	}
	goesOn := r.Shares[0]
	if r.Runs != 0 || r.Violating != 40 || goesOn.Runs != 40 || goesOn.True != 0 || goesOn.Against == nil || *goesOn.Against != 0 || !r.Complete(opt) {
		t.Errorf("%d runs, %d violating, %+v", r.Runs, r.Violating, goesOn)
	}
}

// Runs behind the first that was not over at a deadline are not counted, not even those that a violation has ended: that they have
// ended by then makes short runs of them. The violation is told of all the same.
func TestRunsBehindADeadline(t *testing.T) {
	s := &simulation{Options: Options{Runs: 5, Rewards: []Reward{steps}, Questions: []Question{{Name: "q", Always: true}}}}
	over := func(end ending, holds bool) record {
		return record{end: end, rewards: []float64{1}, flags: []bool{holds}}
	}
	s.records = []record{over(regular, true), over(violated, false), over(pending, true), over(violated, false), over(regular, true)}
	var r Report
	s.report(&r, len(s.records))
	if q := r.Shares[0]; r.Runs != 1 || r.Violating != 1 || q.Runs != 2 || q.True != 1 || *q.Against != 1 {
		t.Errorf("%+v", r)
	}
	s.records[1].end = pending
	s.report(&r, len(s.records))
	if q := r.Shares[0]; r.Runs != 1 || r.Violating != 0 || q.Runs != 1 || q.True != 1 || q.Against == nil || *q.Against != 3 {
		t.Errorf("%+v", r)
	}
}

// If the first run does not end, nobody waits for others.
func TestFirstMustEnd(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	opt := Options{Runs: 1 << 20, MaxSteps: 5, FirstMustEnd: true, Workers: 2, Rewards: []Reward{steps}}
	r, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	if err != nil || !r.Endless || r.Runs != 0 || r.Unfinished != 1 || r.Complete(opt) {
		t.Errorf("%+v, error %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	broken := errors.New("broken")
	opt := Options{Runs: 4, Seed: 3, Workers: 2, Questions: []Question{{Name: "q", Asker: func(Walk) func() (bool, error) {
		return func() (bool, error) { return false, broken }
	}}}}
	_, err := Estimate(t.Context(), sourceOf(t, sys), opt)
	var e *RunError
	if !errors.As(err, &e) || !errors.Is(err, broken) || e.Seed != 3 {
		t.Errorf("error %v", err)
	}
}

// A run that is taken again is a run of the system and costs what was recorded.
func TestRetrace(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	r, err := Estimate(t.Context(), sourceOf(t, sys), Options{Runs: 1, Seed: 5, Rewards: []Reward{steps}})
	if err != nil {
		t.Fatal(err)
	}
	moves, err := Retrace(t.Context(), sourceOf(t, sys), 5, 0, 0)
	if err != nil || float64(len(moves)-1) != r.Means[0].Mean {
		t.Fatalf("%d moves, error %v; the run had %v steps", len(moves)-1, err, r.Means[0].Mean)
	}
	for i, m := range moves[1:] {
		successors, err := systemtest.Successors(sys, moves[i].State)
		exists := slices.ContainsFunc(successors, func(x systemtest.Transition) bool {
			return x.Step == m.Step && slices.Equal(x.Target, m.State)
		})
		if err != nil || !exists {
			t.Errorf("step %d does not exist, error %v", i+1, err)
		}
	}
}

// A shortened run is a run from the same initial state that ends with the fault, and none of its steps can be spared.
func TestShorten(t *testing.T) {
	shortened := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "system")
		sys := systemtest.New(seed, systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0))))
		source, err := Compiled(context.Background(), sys, nil)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := Retrace(context.Background(), source, rapid.Uint64().Draw(t, "seed"), 0, 60)
		if err != nil || len(moves) < 2 {
			t.Skip(err)
		}
		last := moves[len(moves)-1].State
		slot := rapid.IntRange(0, len(last)-1).Draw(t, "slot")
		fault := Fault{Is: func(state []model.Value) (bool, error) { return state[slot] == last[slot], nil }}
		if fault.End = rapid.Bool().Draw(t, "end"); fault.End {
			if all, err := systemtest.Successors(sys, last); len(all) > 0 || err != nil {
				t.Skip(err)
			}
		}
		short, err := Shorten(context.Background(), sys, moves, fault)
		if err != nil {
			t.Fatal(err)
		}
		if len(short) < len(moves) {
			shortened++
		}
		if !slices.Equal(short[0].State, moves[0].State) || len(short) > len(moves) {
			t.Fatalf("%d moves become %d", len(moves), len(short))
		}
		for i, m := range short[1:] {
			all, err := systemtest.Successors(sys, short[i].State)
			if err != nil || !slices.ContainsFunc(all, func(x systemtest.Transition) bool { return x.Step == m.Step && slices.Equal(x.Target, m.State) }) {
				t.Fatalf("step %d does not exist, error %v", i+1, err)
			}
		}
		s := &shortener{sys: sys, fault: fault, initial: short[0].State}
		turns, err := s.schedule(context.Background(), short)
		if err != nil {
			t.Fatal(err)
		}
		for i := range turns {
			if found, _, err := s.replay(context.Background(), slices.Delete(slices.Clone(turns), i, i+1)); err != nil || found != nil {
				t.Fatalf("step %d of %d can be spared, error %v", i+1, len(turns), err)
			}
		}
		if at, err := s.at(short[len(short)-1].State, true); !at || err != nil {
			t.Fatalf("no fault at the end, error %v", err)
		}
	})
	if shortened == 0 {
		t.Error("no run was shortened")
	}
}

// Under an adversary a step happens only if none of a lesser rank is possible; it decides nothing else.
func TestAdversary(t *testing.T) {
	sys := compiled(t, "franklin", map[string]string{"n": "3"})
	rank := func(l model.LabelInfo) Rank {
		switch {
		case l.Process == 1:
			return Delayed
		case l.Kind == model.ReceiveAction:
			return Hurried
		}
		return Ordinary
	}
	source, err := Compiled(t.Context(), sys, rank)
	if err != nil {
		t.Fatal(err)
	}
	var seen [ranks]int
	for run := range uint64(20) {
		moves, err := Retrace(t.Context(), source, 3, run, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range moves[1:] {
			taken := rank(sys.Label(m.Step.Label))
			seen[taken]++
			all, err := systemtest.Successors(sys, moves[i].State)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range all {
				if least := rank(sys.Label(x.Step.Label)); least < taken {
					t.Fatalf("run %d, step %d: rank %d, where %s of rank %d is possible", run, i+1, taken, sys.Label(x.Step.Label).Text, least)
				}
			}
		}
		if all, err := systemtest.Successors(sys, moves[len(moves)-1].State); len(all) > 0 || err != nil {
			t.Fatalf("run %d ends where %d steps are possible, error %v", run, len(all), err)
		}
	}
	if slices.Contains(seen[:], 0) {
		t.Errorf("steps of the ranks: %v", seen)
	}
}

package simulate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/specs"
)

// load returns an instance of a spec of the catalogue or of the examples.
func load(tb testing.TB, name, settings string) *ir.Protocol {
	tb.Helper()
	if !slices.Contains(specs.Names(), name) {
		name = filepath.Join("../../examples", name+".ring")
	}
	return spectest.Open(tb, name, settings)
}

// loops has constructs that no built-in spec has: a loop over a drawn subset, choices that coincide, a choose before a
// receive, permuted identities, events with fields.
const loops = `protocol loops
param n: 2..5 = 3
topology complete graph of n
channel unordered
assign uid: permutation of 1..n
var me, id, other: 1..n
var asked: set of node
var q, r: node
message Ask(id: 1..n), Hint
event heard(id: 1..n)
process p = Begin(uid[p], p)
Begin(id, r) =
    draw asked in subsets({q in node where q != r}, 1); skip; for q in asked: (send q Ask(id) | send q Hint); Wait(id)
Wait(id) =
    recv q Ask(other) where other >= id; heard(other); Wait(id)
  | recv _ Ask(other) where other <= id; Wait(id)
  | choose other in 1..2; recv _ Hint; if other = id then stop else Wait(id)
`

// deserted has messages to processes that have stopped, which are lost when they are due.
const deserted = `protocol deserted
topology complete graph of 3
channel unordered | fifo = fifo, delay 1..2
message M(v: 1..3)
event first(v: 1..3)
var a: array 1..3 of 1..3
var me, q: node
var x: 1..3
timer t: 0..5
process p = Draw(p)
Draw(me) =
    draw a; first(a[1]); for q in node where q != me: (send q M(a[2]); send q M(a[3])); Wait
Wait = recv _ M(x) where x > 1; first(x); Rest | recv _ M(x) where x = 1; stop
Rest = let t = 5; skip; End
End = when t = 0: stop | ignore M
`

// quitting has processes that crash by an action of their own or by chance, with a timer that is stopped or set to 0
// while it runs, and that recover.
const quitting = `protocol quitting
topology line of 3
channel fifo, lossy, duplicating at most 2, delay 0..2
crash at most 2 of p where p > 0 recover Again(p)
register seen: 0..2 = 0
timer t: 0..4
var q: node
var b: bool
message M(v: 0..2)
process p = if p = 0 then First else Next
First = let t = 3; send right M(1); Wait
Wait = when right.seen = 1: let t = 0; skip; Rest | when t = 0: send right M(2); Rest
Rest = ignore M
Next = recv left M(seen); let t = 4; draw b; if b then crash else seen := 1; Rest
Again(q) = if q = 1 and left.seen = 0 then Next else seen := 0; Rest
`

// crowd reads the registers of all processes.
const crowd = `protocol crowd
topology complete graph of 3
channel unordered, duplicating at most 1
register x: 0..2 = 0
var q, me: node
message M
process p = Go(p)
Go(me) = when (exists q in node: q != me and q.x > x) and x < 2: x := x + 1; Go(me)
  | when me = 0 and x = 0: x := 2; send 1 M; stop
  | recv q M where q.x > x; x := 1; Go(me)
`

// stacked returns an instance of a spec with lifo channels instead of the given kinds.
func stacked(tb testing.TB, src, kinds string) *ir.Protocol {
	return spectest.Instantiate(tb, strings.Replace(src, kinds, "lifo", 1), nil)
}

func protocols(tb testing.TB) map[string]*ir.Protocol {
	all := map[string]*ir.Protocol{
		"loops": spectest.Instantiate(tb, loops, nil), "deserted": spectest.Instantiate(tb, deserted, nil),
		"deserted unordered": spectest.Instantiate(tb, deserted, spectest.Settings("channel=unordered")),
		"deserted stacks":    stacked(tb, deserted, "unordered | fifo = fifo"),
		"quitting stacks":    stacked(tb, quitting, "fifo"),
		"quitting":           spectest.Instantiate(tb, quitting, nil), "crowd": spectest.Instantiate(tb, crowd, nil),
	}
	for _, name := range []string{
		"franklin n=2", "franklin n=3 k=3 bits=false", "chang-roberts n=3", "dkr n=3 channel=fifo", "itai-rodeh n=3",
		"hirschberg-sinclair n=3",
		"ricart-agrawala", "two-phase-commit crashes=0", "echo", "randomized-second c=2 n=2",
		"randomized-second c=2 n=1 start=free race=true tau=2", "randomized n=4 c=2",
		"randomized n=4 c=2 gamma=300 pace=common",
		"randomized-first n=4 c=3 rounds=2 network=synchronous",
		"alternating-bit losses=2", "bully n=3", "chang-roberts-crash n=3 crashes=2", "dijkstra n=3 k=3",
		"dining-philosophers n=3", "raft-election n=3 terms=1",
		"token-ring losses=1", "two-phase-commit", "echo",
	} {
		spec, settings, _ := strings.Cut(name, " ")
		all[name] = load(tb, spec, settings)
	}
	for c := range spectest.FaultyChannels() {
		all[c.String()] = spectest.Instantiate(tb, c.Text, nil)
		all["delayed "+c.String()] = spectest.Instantiate(tb, c.Delayed(), nil)
	}
	corpus := spectest.NewCorpus("capacity: duplicates", "capacity: dropping and duplicates")
	for seed, src := range corpus.Specs(30, 33) {
		p := spectest.Instantiate(tb, src, nil)
		if copies(p) {
			continue
		}
		all[fmt.Sprint("random ", seed)] = p
		all[fmt.Sprint("random synchronous ", seed)] = spectest.Instantiate(tb, spectest.Synchronous(src), nil)
		corpus.Use(tb, src)
	}
	corpus.Check(tb)
	return all
}

// copies reports whether a protocol duplicates messages in channels with a capacity.
func copies(p *ir.Protocol) bool {
	duplicate, _ := ir.FaultOf("duplicating")
	return p.Capacity.Most > 0 && p.Faults.Most[duplicate] != 0
}

// TestDuplicatesWithCapacity: duplicates in channels with a capacity are refused, with the place.
func TestDuplicatesWithCapacity(t *testing.T) {
	p := spectest.Instantiate(t, "protocol copies\ntopology line of 2\nchannel fifo of 2, duplicating\nmessage M\n"+
		"process p = if p = 0 then Send else Take\nSend = send right M; stop\nTake = recv left M; Take\n", nil)
	_, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{})
	want := "test.ring:3:17: duplicates in channels with a capacity are not simulated"
	if !copies(p) || err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestStepsExist checks that every step of a random run is a step of the small-step semantics, and that a run ends only
// where there is none.
func TestStepsExist(t *testing.T) {
	for name, p := range protocols(t) {
		m := step.New(p, step.Options{})
		for _, schedule := range []simulate.Schedule{simulate.Uniform, simulate.Timed} {
			sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{Schedule: schedule,
				FaultRate: 0.2})
			if (err != nil) != (schedule == simulate.Timed && !p.Time.Ticks) {
				t.Errorf("%s: schedule %d: %v", name, schedule, err)
			}
			if err != nil {
				continue
			}
			r := sys.NewRun()
			for seed := range uint64(8) {
				if err := r.Reset(rand.New(rand.NewPCG(seed, 1))); err != nil {
					t.Fatal(name, err)
				}
				follow(t, name, m, r)
			}
		}
	}
}

// follow takes steps of a run, each of which must be one of the semantics.
func follow(t *testing.T, name string, m *step.Machine, r *simulate.Run) {
	t.Helper()
	state := r.State()
	for range 400 {
		transitions, modelError := spectest.Successors(m, state)
		ok, err := r.Step()
		if modelError != nil && strings.HasPrefix(name, "random") {
			return
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if modelError != nil || ok != (len(transitions) > 0) {
			t.Fatalf("%s: error %v, the run goes on: %t, from a state with %d transitions:\n%s", name, modelError, ok,
				len(transitions), spectest.Format(m, state))
		}
		if !ok {
			return
		}
		after, label := r.State(), r.Text()
		same := func(x spectest.Transition) bool { return x.Label == label && x.Target.Key() == after.Key() }
		if !slices.ContainsFunc(transitions, same) {
			t.Fatalf("%s: there is no step %s from\n%s\nto\n%s", name, label, spectest.Format(m, state),
				spectest.Format(m, after))
		}
		state = after
	}
}

// distribution returns, exactly but for rounding, the probabilities of the states that a run is in after some steps, or
// has ended in before; nil if there is a model error.
func distribution(t *testing.T, m *step.Machine, steps int) map[string]float64 {
	now, states := map[string]float64{}, map[string]*step.State{}
	var initial []*step.State
	if err := m.Initial(func(s *step.State) bool { initial = append(initial, s); return true }); err != nil {
		t.Fatal(err)
	}
	for _, s := range initial {
		states[s.Key()] = s
		now[s.Key()] += 1 / float64(len(initial))
	}
	for range steps {
		next := map[string]float64{}
		for k, p := range now {
			transitions, err := spectest.Successors(m, states[k])
			if err != nil {
				return nil
			}
			if len(transitions) == 0 {
				next[k] += p
			}
			choices := 0.0
			for _, x := range transitions {
				w, _ := x.Weight.Float64()
				choices += w
			}
			for _, x := range transitions {
				w, _ := x.Weight.Float64()
				key := x.Target.Key()
				states[key] = x.Target
				next[key] += p * w / choices
			}
		}
		now = next
	}
	return now
}

// TestUniformFrequencies checks by Pearson's χ² test that many runs meet the states after some steps as often as the
// Markov chain of the small-step semantics says. The seed is fixed, so the test always ends the same way.
func TestUniformFrequencies(t *testing.T) {
	for name, p := range protocols(t) {
		m := step.New(p, step.Options{})
		sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{})
		if err != nil {
			t.Fatal(name, err)
		}
		r := sys.NewRun()
		runs, lengths := 2_000, []int{3, 6}
		switch {
		case strings.HasPrefix(name, "random"):
			runs, lengths = 500, []int{5}
		case strings.HasPrefix(name, "deserted"): // after six steps it is in one of 200,000 states
			lengths = []int{3}
		}
		for _, steps := range lengths {
			want := distribution(t, m, steps)
			if want == nil && strings.HasPrefix(name, "random") {
				continue
			}
			seen := map[string]int{}
			rng := rand.New(rand.NewPCG(42, uint64(steps)))
			for range runs {
				if err := r.Reset(rng); err != nil {
					t.Fatal(err)
				}
				for range steps {
					if _, err := r.Step(); err != nil {
						t.Fatal(name, err)
					}
				}
				seen[r.State().Key()]++
			}
			chiSquared(t, name, want, seen, float64(runs))
		}
	}
}

func chiSquared(t *testing.T, name string, want map[string]float64, seen map[string]int, runs float64) {
	t.Helper()
	chi2, cells, restWant, restSeen := 0.0, 0, 0.0, 0
	add := func(expected float64, n int) {
		chi2 += math.Pow(float64(n)-expected, 2) / expected
		cells++
	}
	for k, n := range seen {
		if want[k] == 0 {
			t.Errorf("%s: an unreachable state was visited %d times", name, n)
		}
	}
	for k, p := range want {
		if p*runs >= 5 {
			add(p*runs, seen[k])
		} else {
			restWant += p * runs
			restSeen += seen[k]
		}
	}
	if restWant >= 5 {
		add(restWant, restSeen)
	}
	if cells < 2 {
		return
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.9999); chi2 > limit {
		t.Errorf("%s: χ² = %.1f for %d cells, more than %.1f", name, chi2, cells, limit)
	}
}

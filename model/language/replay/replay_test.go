package replay

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// protocols returns intricate specs of the catalogue and the examples, and random ones.
func protocols(t *testing.T) map[string]*ir.Protocol {
	all := make(map[string]*ir.Protocol)
	for _, name := range []string{
		"specs/franklin n=2", "specs/dkr n=3 channel=fifo", "specs/chang-roberts n=3",
		"specs/randomized n=4 c=2", "specs/randomized n=4 c=2 gamma=300 pace=common",
		"examples/alternating-bit", "examples/two-phase-commit", "examples/raft-election",
		"examples/chang-roberts-crash", "examples/dijkstra", "examples/bully",
	} {
		file, settings, _ := strings.Cut(name, " ")
		src := filetest.Read(t, filepath.Join("../../..", file+".ring"))
		all[name] = spectest.Instantiate(t, string(src), spectest.Settings(settings))
	}
	all["busy"] = spectest.Instantiate(t, busy, nil)
	all["lossy"] = spectest.Instantiate(t, lossy, nil)
	stack := strings.NewReplacer("fifo", "lifo", "process", "initially A, B in inbox(1, left)\nprocess")
	all["lossy stack"] = spectest.Instantiate(t, stack.Replace(lossy), nil)
	for c := range spectest.FaultyChannels() {
		all[c.String()] = spectest.Instantiate(t, c.Text, nil)
	}
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(40, 21) {
		all[fmt.Sprint("random ", seed)] = spectest.Instantiate(t, src, nil)
		corpus.Use(t, src)
	}
	corpus.Check(t)
	return all
}

// busy has a process that must receive a message before it can crash by itself. The environment can crash it anyway.
const busy = `protocol busy
topology line of 2
channel fifo, delay 0..0
crash at most 1
register sent: bool = false
message M
process p = if p = 0 then First else Last
First = let sent = true; send right M; stop
Last = recv left M; stop | when left.sent: crash
`

// lossy has equal messages in a queue with others in between, so that it matters which is lost or duplicated.
const lossy = `protocol lossy
topology line of 2
channel fifo, lossy at most 2, duplicating at most 1
message A
message B
process p = if p = 0 then First else Last
First = send right A; send right B; send right A; send right B; stop
Last = recv left A; Last | recv left B; Last
`

// stepOf converts a transition to a step.
func stepOf(m *step.Machine, from *step.State, t spectest.Transition) Step {
	d := Step{Action: t.Action, Process: t.Process, Counted: t.Target.Faults != from.Faults}
	if t.Process >= 0 {
		d.Next = t.Target.Processes[t.Process]
	}
	for _, v := range m.Protocol().Shared {
		if after := t.Target.Shared[v.Slot]; after != from.Shared[v.Slot] {
			d.Writes = append(d.Writes, step.Write{Var: v, Value: after})
		}
	}
	if t.Link >= 0 && t.Kind != model.SendAction {
		d.findMessage(m, from.Channels[t.Link], t.Target.Channels[t.Link])
	}
	return d
}

// key identifies a state as step.State.Key does.
func key(m *step.Machine, s *State) string {
	return s.StepState().Key()
}

// TestSteps checks along random runs that the steps of a state are the transitions of the small-step semantics, with
// the same labels and targets; that steps of earlier states are refused unless they are enabled; and that a state
// without transitions is terminal.
func TestSteps(t *testing.T) {
	taken, refused := 0, 0
	for name, p := range protocols(t) {
		m := step.New(p, step.Options{})
		rng := rand.New(rand.NewPCG(5, 5))
		for range 3 {
			var now *step.State
			if err := m.Initial(func(s *step.State) bool { now = s; return rng.IntN(3) > 0 }); err != nil {
				t.Fatal(name, err)
			}
			run := New(m, now, &ir.Sets{})
			var old []Step
			for range 25 {
				all, err := spectest.Successors(m, now)
				if err != nil {
					break // a model error
				}
				var possible []string
				for _, x := range all {
					d := stepOf(m, now, x)
					s := play(t, name, run)
					_, err := s.take(&d, false)
					if err != nil || key(m, s) != x.Target.Key() {
						t.Fatalf("%s: %s from %s: error %v", name, x.Label, spectest.Format(m, now), err)
					}
					taken++
					possible = append(possible, fmt.Sprint(d))
					old = append(old, d)
				}
				var enabled []string
				at := play(t, name, run)
				if err := at.Enabled(func(d *Step) bool {
					enabled = append(enabled, at.Label(d).Text)
					return true
				}); err != nil {
					t.Fatal(name, err)
				}
				if want := labels(all); !slices.Equal(sorted(enabled), want) {
					t.Fatalf("%s: enabled are %v, want %v", name, sorted(enabled), want)
				}
				for range 5 {
					if len(old) == 0 {
						break
					}
					d := old[rng.IntN(len(old))]
					s := play(t, name, run)
					_, err := s.take(&d, false)
					same := func(x spectest.Transition) bool {
						return x.Label == at.Label(&d).Text && x.Target.Key() == key(m, s)
					}
					switch {
					case err != nil && slices.Contains(possible, fmt.Sprint(d)),
						err == nil && !slices.ContainsFunc(all, same):
						t.Fatalf("%s: %s from %s: error %v", name, at.Label(&d).Text, spectest.Format(m, now), err)
					case err != nil:
						refused++
					}
				}
				if _, terminal, err := play(t, name, run).Quiescent(); err != nil || terminal != (len(all) == 0) {
					t.Fatalf("%s: terminal %t with %d transitions: %s, error %v", name, terminal, len(all),
						spectest.Format(m, now), err)
				}
				if len(all) == 0 {
					break
				}
				next := all[rng.IntN(len(all))]
				if err := run.Add(stepOf(m, now, next), run.Sets); err != nil {
					t.Fatal(err)
				}
				now = next.Target
			}
		}
	}
	if taken < 1000 || refused < 100 {
		t.Errorf("%d steps were taken and %d refused", taken, refused)
	}
}

// labels returns the labels of transitions, each once, in order.
func labels(all []spectest.Transition) []string {
	var texts []string
	for _, t := range all {
		texts = append(texts, t.Label)
	}
	return sorted(texts)
}

func sorted(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

func play(t *testing.T, name string, r *Run) *State {
	t.Helper()
	s, err := r.Play(t.Context(), func(*State, *Step) error { return nil })
	if err != nil {
		t.Fatal(name, err)
	}
	return s
}

// TestPast computes causal pasts in a line of processes that pass a message on.
func TestPast(t *testing.T) {
	// 0 sends (step 1), 2 acts (2), 1 receives (3) and sends (4), 2 receives (5), 0 acts (6).
	causes := []Cause{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 0}, {2, 4, 0}, {0, 0, 0}}
	for _, test := range []struct {
		of    []int
		steps []int
		all   []int
	}{
		{[]int{0}, []int{0, 5}, []int{0}},
		{[]int{1}, []int{0, 2, 3}, []int{1, 0}},
		{[]int{2}, []int{0, 1, 2, 3, 4}, []int{2, 1, 0}},
		{[]int{2, 0}, []int{0, 1, 2, 3, 4, 5}, []int{2, 0, 1}},
	} {
		p := NewPast(causes, 3, test.of)
		var steps []int
		for i, in := range p.Steps {
			if in {
				steps = append(steps, i)
			}
		}
		if !slices.Equal(steps, test.steps) || !slices.Equal(p.Chosen(3), test.all) {
			t.Errorf("of %v: steps %v, processes %v", test.of, steps, p.Chosen(3))
		}
	}
}

// TestShorten checks that a shortened run around a ring satisfies the condition and needs each of its steps. If
// messages take time, all processes have to send before a tick.
func TestShorten(t *testing.T) {
	least := []string{"recv(7,left,M)", "send(6,right,M)", "send(7,right,M)"}
	patient := []string{"recv(7,left,M)", "tick"}
	for p := range 30 {
		patient = append(patient, fmt.Sprintf("send(%d,right,M)", p))
	}
	slices.Sort(patient)
	for _, test := range []struct {
		channel string
		want    []string
	}{{"fifo", least}, {"unordered, delay 0..2", least}, {"fifo, delay 1..3", patient}} {
		run, condition := late(t, test.channel)
		for _, matters := range []bool{true, false} {
			short := run.Shorten(t.Context(), slices.Repeat([]bool{matters}, len(run.Steps)), condition)
			var texts []string
			for _, d := range short.Steps {
				texts = append(texts, short.machine.Label(d.Action, d.Process).Text)
			}
			slices.Sort(texts)
			if !slices.Equal(texts, test.want) {
				t.Errorf("%s: of %d steps, shortening kept %v", test.channel, len(run.Steps), texts)
			}
			if is, err := condition.Is(play(t, "late", short)); !is || err != nil {
				t.Errorf("%s: the condition is false at the end, error %v", test.channel, err)
			}
		}
	}
}

// late returns a run in which a message goes around a ring until process 7 has received it.
func late(t *testing.T, channel string) (*Run, Condition) {
	p := spectest.Instantiate(t, `protocol late
param n: 2..50 = 30
topology directed ring of n
channel `+channel+`
message M
process p = send right M; recv left M; Rest
Rest = skip; stop
`, nil)
	m := step.New(p, step.Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	var now *step.State
	if err := m.Initial(func(s *step.State) bool { now = s; return false }); err != nil {
		t.Fatal(err)
	}
	run := New(m, now, &ir.Sets{})
	condition := Condition{Is: func(s *State) (bool, error) {
		e := s.Seen(7).Point.Equation
		return e != nil && e.Name == "Rest", nil
	}}
	for {
		if is, _ := condition.Is(play(t, "late", run)); is {
			return run, condition
		}
		all, err := spectest.Successors(m, now)
		if err != nil {
			t.Fatal(err)
		}
		next := all[rng.IntN(len(all))]
		if err := run.Add(stepOf(m, now, next), run.Sets); err != nil {
			t.Fatal(err)
		}
		now = next.Target
	}
}

// TestShortenAny checks the same on random runs of all protocols.
func TestShortenAny(t *testing.T) {
	shortened := 0
	for name, p := range protocols(t) {
		m := step.New(p, step.Options{})
		rng := rand.New(rand.NewPCG(8, 8))
		for range 3 {
			run, last := walk(t, m, p, rng, 40)
			process := rng.IntN(p.N)
			want := last.Processes[process].Point
			condition := Condition{Is: func(s *State) (bool, error) { return s.Local(process).Point == want, nil }}
			if all, err := spectest.Successors(m, last); err == nil && len(all) == 0 {
				condition.End = rng.IntN(2) == 0
			}
			short := run.Shorten(t.Context(), slices.Repeat([]bool{true}, len(run.Steps)), condition)
			if shows, err := condition.Holds(play(t, name, short)); !shows || err != nil {
				t.Fatalf("%s: the condition is false at the end, error %v", name, err)
			}
			if len(short.Steps) < len(run.Steps) {
				shortened++
			}
			for i := range short.Steps {
				s := &shortening{Run: short, end: condition, left: mostSteps}
				rest := slices.Delete(slices.Clone(short.Steps), i, i+1)
				if _, shown, err := s.try(t.Context(), rest); shown && err == nil {
					t.Fatalf("%s: step %d of %d is unnecessary", name, i+1, len(short.Steps))
				}
			}
		}
	}
	if shortened < 50 {
		t.Errorf("%d runs were shortened", shortened)
	}
}

// walk returns a random run of the small-step semantics of bounded length, and its last state.
func walk(t *testing.T, m *step.Machine, p *ir.Protocol, rng *rand.Rand, steps int) (*Run, *step.State) {
	t.Helper()
	var now *step.State
	if err := m.Initial(func(s *step.State) bool { now = s; return rng.IntN(3) > 0 }); err != nil {
		t.Fatal(err)
	}
	run := New(m, now, &ir.Sets{})
	for range steps {
		all, err := spectest.Successors(m, now)
		if len(all) == 0 || err != nil {
			break
		}
		next := all[rng.IntN(len(all))]
		if err := run.Add(stepOf(m, now, next), run.Sets); err != nil {
			t.Fatal(err)
		}
		now = next.Target
	}
	return run, now
}

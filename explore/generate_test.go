package explore_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/specs"
)

func fullText(l model.LabelInfo) string { return l.Text }

func eventsOnly(l model.LabelInfo) string {
	if l.Visible {
		return l.Text
	}
	return lts.TauName
}

// walked returns the system that Walk finds; nil if it does not come to the end.
func walked(t *testing.T, sys model.System, opt explore.Options, name func(model.LabelInfo) string) (*lts.LTS,
	*explore.Result) {
	t.Helper()
	b := lts.NewBuilder()
	initial := 0
	r, err := explore.Walk(context.Background(), sys, opt, explore.Visitor{
		State: func(_ uint64, level int, _ []model.Value) error {
			if level == 0 {
				initial++
			}
			return nil
		},
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				if !t.Repeated {
					b.Add(uint32(from), lts.Edge{Label: b.Label(name(sys.Label(t.Label))), To: uint32(t.To)})
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete() {
		return nil, r
	}
	first, states := uint32(0), int(r.Stored)
	if initial > 1 {
		first = uint32(states)
		states++
		for s := range uint32(initial) {
			b.Add(first, lts.Edge{To: s})
		}
	}
	l, err := b.Build(t.Context(), first, states)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// file returns a system as text.
func file(t *testing.T, l *lts.LTS) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.Write(lts.NewDotWriter(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGenerateFindsWhatWalkFinds on random protocols: the same number of states, of transitions with each label, and
// systems that are strongly bisimilar; and the same file for any number of workers.
func TestGenerateFindsWhatWalkFinds(t *testing.T) {
	compared, tried := 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(int(seeds(200)), 7) {
		tried++
		sys, err := compile.New(t.Context(), spectest.Instantiate(t, src, nil), compile.Options{MaxMessages: 2,
			MaxNat: 3})
		if err != nil {
			t.Fatal(err)
		}
		name := fullText
		if seed%3 == 0 {
			name = eventsOnly
		}
		opt := explore.Options{MaxStates: 2000}
		want, r := walked(t, sys, opt, name)
		var first string
		for _, opt.Workers = range []int{1, 3} {
			got, result, err := explore.Generate(context.Background(), sys, opt, name)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				if got != nil || result.Complete() {
					t.Fatalf("seed %d: a system, though Walk stopped: %v", seed, r.Stop)
				}
				continue
			}
			compared++
			sameSystem(t, seed, got, want)
			breadthFirst(t, seed, got)
			if text := file(t, got); opt.Workers == 1 {
				first = text
			} else if text != first {
				t.Fatalf("seed %d: the file differs with %d workers", seed, opt.Workers)
			}
		}
		if want != nil {
			corpus.Use(t, src)
		}
	}
	if compared < tried*5/6 {
		t.Errorf("only %d systems were compared", compared)
	}
	corpus.Check(t)
}

// TestGenerateCatalogue does the same for the built-in protocols, in rings of four, whose trees are deeper.
func TestGenerateCatalogue(t *testing.T) {
	compared := 0
	for i, name := range specs.Names() {
		p := spectest.Open(t, name, "n=4")
		sys := spectest.Compile(t, p)
		want, _ := walked(t, sys, explore.Options{MaxStates: 10_000}, fullText)
		if want == nil {
			continue
		}
		got, _, err := explore.Generate(context.Background(), sys, explore.Options{Workers: 2}, fullText)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		sameSystem(t, uint64(i), got, want)
	}
	if compared == 0 {
		t.Error("no small system was generated")
	}
}

func sameSystem(t *testing.T, seed uint64, got, want *lts.LTS) {
	t.Helper()
	if got.States() != want.States() || !slices.Equal(labelCounts(got), labelCounts(want)) {
		t.Fatalf("seed %d: %d states, labels\n%v\nwant %d states, labels\n%v",
			seed, got.States(), labelCounts(got), want.States(), labelCounts(want))
	}
	c, err := bisim.Compare(context.Background(), got, want, bisim.Strong, bisim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Equivalent {
		why, _ := c.Explain(t.Context(), true)
		t.Fatalf("seed %d: the systems differ: %v", seed, why.Formula)
	}
}

// breadthFirst checks that states and labels are numbered as a breadth-first search meets them.
func breadthFirst(t *testing.T, seed uint64, l *lts.LTS) {
	t.Helper()
	states, labels := uint32(1), lts.Tau+1
	for s := range uint32(l.States()) {
		for _, e := range l.Out(s) {
			if e.To > states || e.Label > labels {
				t.Fatalf("seed %d: state %d leads to %d by label %d, but only %d states and %d labels were met",
					seed, s, e.To, e.Label, states, labels)
			}
			states, labels = max(states, e.To+1), max(labels, e.Label+1)
		}
	}
	if l.Initial() != 0 || int(states) != l.States() || int(labels) != l.Labels() {
		t.Fatalf("seed %d: initial state %d; %d of %d states and %d of %d labels were met",
			seed, l.Initial(), states, l.States(), labels, l.Labels())
	}
}

// labelCounts returns the labels of all transitions in order.
func labelCounts(l *lts.LTS) []string {
	var all []string
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			all = append(all, l.Label(e.Label))
		}
	}
	slices.Sort(all)
	return all
}

// switches is n processes that each do an event for ever.
const switches = `protocol switches "n independent switches"
param n: 2..60 "switches"
topology directed ring of n
event flip
process p = Off
Off = skip; On
On = flip; Off
`

func compiled(tb testing.TB, src string, settings map[string]string) *compile.System {
	tb.Helper()
	return spectest.Compile(tb, spectest.Instantiate(tb, src, settings))
}

func TestGenerateStops(t *testing.T) {
	sys := compiled(t, switches, map[string]string{"n": "14"})
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		opt  explore.Options
		want explore.Stop
	}{
		{"states", context.Background(), explore.Options{MaxStates: 100}, explore.StateLimit},
		{"memory", context.Background(), explore.Options{Memory: 2 << 20}, explore.MemoryLimit},
		{"context", canceled, explore.Options{}, explore.Interrupted},
	} {
		l, r, err := explore.Generate(test.ctx, sys, test.opt, fullText)
		if l != nil || err != nil || r.Stop != test.want {
			t.Errorf("%s: a system: %v, error %v, %v", test.name, l != nil, err, r.Stop)
		}
	}
}

// The states of a search fit, but not the system: that is a stop as well.
func TestGenerateCountsTheSystem(t *testing.T) {
	sys := compiled(t, switches, map[string]string{"n": "14"})
	r := systemtest.Run(t, sys, explore.Options{})
	opt := explore.Options{Memory: r.TotalBytes + 1<<20}
	l, r, err := explore.Generate(context.Background(), sys, opt, fullText)
	if l != nil || err != nil || r.Stop != explore.MemoryLimit {
		t.Errorf("a system: %v, error %v, %v, %d states", l != nil, err, r.Stop, r.States)
	}
}

func ExampleGenerate() {
	l, _, err := explore.Generate(context.Background(), jugs{}, explore.Options{}, fullText)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.States(), "states")
	for _, e := range l.Out(l.Initial()) {
		fmt.Println(l.Label(e.Label), "→", e.To)
	}
	// Output:
	// 16 states
	// fill 3 → 1
	// empty 3 → 0
	// fill 5 → 2
	// empty 5 → 0
	// pour 3 into 5 → 0
	// pour 5 into 3 → 0
}

func BenchmarkGenerate(b *testing.B) {
	sys := compiled(b, switches, map[string]string{"n": "16"})
	transitions := 0
	for b.Loop() {
		l, _, err := explore.Generate(context.Background(), sys, explore.Options{}, eventsOnly)
		if err != nil {
			b.Fatal(err)
		}
		transitions += l.Transitions()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
}

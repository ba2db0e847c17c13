package specs_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
)

// generated returns the transition system of a built-in spec with settings such as "n=3 order=left". Labels other
// than those that visible names are τ.
func generated(tb testing.TB, name, settings string, visible func(model.LabelInfo) bool) *lts.LTS {
	tb.Helper()
	p := spectest.Open(tb, name, settings)
	sys := spectest.Compile(tb, p)
	l, r, err := explore.Generate(context.Background(), sys, explore.Options{}, func(info model.LabelInfo) string {
		if visible(info) {
			return info.Text
		}
		return lts.TauName
	})
	if err != nil || l == nil {
		tb.Fatalf("%s %s: %v, %v", name, settings, r.Stop, err)
	}
	return l
}

func isEvent(info model.LabelInfo) bool { return info.Visible }

func quotient(tb testing.TB, l *lts.LTS, e bisim.Equivalence, o bisim.Options) *lts.LTS {
	tb.Helper()
	q, _, err := bisim.Minimize(context.Background(), l, e, o)
	if err != nil {
		tb.Fatal(err)
	}
	return q
}

// aut returns a system as an .aut file without its header.
func aut(tb testing.TB, l *lts.LTS) string {
	tb.Helper()
	var b bytes.Buffer
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			fmt.Fprintf(&b, "%d %s %d\n", s, l.Label(e.Label), e.To)
		}
	}
	return b.String()
}

const elects = "0 leader 1\n"

// TestElectionIsOneStep: modulo branching bisimilarity, a correct election algorithm of which nothing can be seen
// but that someone becomes the leader does just that, whatever its size (the rows of Tables 1 to 3 of Bakhshi et
// al. that are small) and however it works.
func TestElectionIsOneStep(t *testing.T) {
	for _, test := range []struct{ name, settings string }{
		{"franklin", "n=2 k=2"},
		{"franklin", "n=3 k=2"},
		{"franklin", "n=2 k=3"},
		{"franklin", "n=3 k=3"},
		{"franklin", "n=2 k=2 order=left"},
		{"franklin", "n=3 k=2 order=left"},
		{"franklin", "n=4 k=2 order=left"},
		{"franklin", "n=3 k=3 order=left"},
		{"franklin", "n=3 k=2 channel=fifo"},
		{"franklin", "n=3 k=2 channel=fifo bits=false"},
		{"franklin", "n=2 k=2 bits=false"},
		{"franklin", "n=3 k=2 fresh=clash"},
		{"franklin", "n=3 k=2 announce=true"},
		{"dkr", "n=3 k=2"},
		{"chang-roberts", "n=4"},
		{"hirschberg-sinclair", "n=3"},
	} {
		l := generated(t, test.name, test.settings, isEvent)
		if q := quotient(t, l, bisim.Branching, bisim.Options{}); q.States() != 2 || aut(t, q) != elects {
			t.Errorf("%s %s: %d states\n%s", test.name, test.settings, q.States(), aut(t, q))
		}
	}
}

// TestNoBitsElectsNobody: Bakhshi et al., Sect. 3: if messages can overtake each other, they have to tell rounds
// apart. The quotient has a branch that ends without a leader.
func TestNoBitsElectsNobody(t *testing.T) {
	q := quotient(t, generated(t, "franklin", "n=3 k=2 bits=false", isEvent), bisim.Branching, bisim.Options{})
	if got, want := aut(t, q), "0 tau 1\n0 tau 2\n1 leader 2\n"; q.States() != 3 || got != want {
		t.Errorf("%d states\n%swant\n%s", q.States(), got, want)
	}
}

// TestElectionCanGoOnForEver: nobody is elected as long as the active processes draw the same identities. A
// divergence-preserving equivalence keeps that.
func TestElectionCanGoOnForEver(t *testing.T) {
	q := quotient(t, generated(t, "franklin", "n=3 k=2", isEvent), bisim.Divergence, bisim.Options{})
	if !strings.Contains(aut(t, q), "0 tau 0\n") {
		t.Errorf("no divergence:\n%s", aut(t, q))
	}
	q = quotient(t, generated(t, "chang-roberts", "n=3", isEvent), bisim.Divergence, bisim.Options{})
	if got := aut(t, q); got != elects {
		t.Errorf("with unique identities:\n%s", got)
	}
}

// TestReceivesOfOneProcess: with all that process 0 receives in sight, a ring of two keeps 91 of 657 states. The
// processes are alike, so that it would be as many for another one; and merging beforehand changes nothing.
func TestReceivesOfOneProcess(t *testing.T) {
	for process := range 2 {
		l := generated(t, "franklin", "n=2 k=2", func(info model.LabelInfo) bool {
			return info.Kind == model.ReceiveAction && info.Process == process
		})
		for _, o := range []bisim.Options{{}, {KeepAll: true}} {
			if q := quotient(t, l, bisim.Branching, o); q.States() != 91 || q.Transitions() != 172 {
				t.Errorf("process %d: %d states, %d transitions", process, q.States(), q.Transitions())
			}
		}
	}
}

// BenchmarkQuotient explores and minimises the full algorithm in rings of 2 to 5 processes: 1368, 43,968, 1,396,512
// and 44,242,920 transitions. The time for each should hardly grow.
func BenchmarkQuotient(b *testing.B) {
	for n := 2; n <= 5; n++ {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			transitions, memory := 0, uint64(0)
			for b.Loop() {
				l := generated(b, "franklin", fmt.Sprintf("n=%d k=2", n), isEvent)
				q := quotient(b, l, bisim.Branching, bisim.Options{})
				if aut(b, q) != elects {
					b.Fatalf("the quotient has %d states", q.States())
				}
				transitions += l.Transitions()
				memory = max(memory, heldMemory())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
			b.ReportMetric(float64(memory)/float64(transitions/b.N), "B/transition")
		})
	}
}

// heldMemory returns the bytes that the Go heap holds, garbage included.
func heldMemory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}

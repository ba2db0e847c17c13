package conform

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/reduce"
)

// newSystem returns an instance of a built-in protocol.
func newSystem(t testing.TB, name string, settings reduce.Set) *reduce.System {
	t.Helper()
	spec, err := loadtest.Parse(name+".ring", []byte(spectest.Source(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(settings)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// endless returns the events of a run without end in which all processes draw 1 in every round.
func endless(t testing.TB, sys *reduce.System, events int) (log []Event) {
	t.Helper()
	m, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	s, random := m.checker.network, rand.New(rand.NewPCG(1, 0))
	initial, err := s.initialStates()
	if err != nil {
		t.Fatal(err)
	}
	ones := func(label model.Label) (int, bool) {
		a, _ := s.sys.Action(label)
		return -1, a.Kind != model.SendAction || a.Message.Args[0] == 1
	}
	for state := initial[0]; len(log) < events; {
		var moves []move
		for _, p := range random.Perm(s.protocol.N) {
			if moves, err = s.moves(moves[:0], state, p, ones); err != nil {
				t.Fatal(err)
			}
			if len(moves) > 0 {
				break
			}
		}
		if len(moves) == 0 {
			t.Fatalf("the run ends after %d events", len(log))
		}
		state = moves[0].after
		log = append(log, s.eventOf(moves[0].step.Label))
	}
	return log
}

func BenchmarkMonitor(b *testing.B) {
	sys := newSystem(b, "franklin", reduce.Set{"n": "5", "k": "3"})
	log := endless(b, sys, 100_000)
	m, err := New(sys)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if i%len(log) == 0 {
			if m, err = New(sys); err != nil {
				b.Fatal(err)
			}
		}
		if err := m.Observe(log[i%len(log)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExplain(b *testing.B) {
	sys := newSystem(b, "franklin", reduce.Set{"n": "5", "k": "3"})
	var lines strings.Builder
	for _, e := range endless(b, sys, 100_000) {
		lines.WriteString(e.String() + "\n")
	}
	for b.Loop() {
		r, err := Explain(b.Context(), sys, []*Log{{Reader: strings.NewReader(lines.String())}}, Options{})
		if err != nil || r.Explained == nil || !*r.Explained {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(b.N)*1e5/b.Elapsed().Seconds(), "events/s")
}

// TestGoValues observes events with values of several types of Go.
func TestGoValues(t *testing.T) {
	for _, uid := range []any{2, int8(2), uint16(2), 2.0} {
		m, err := New(newSystem(t, "chang-roberts", reduce.Set{"n": "3"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Observe(Event{Process: uid, Assign: map[string]any{"uid": uid}}); err != nil {
			t.Errorf("%T: %v", uid, err)
		}
		if err := m.Observe(Event{Process: uid, Do: "send", Args: []any{uint8(3)}, Message: "Token"}); err == nil {
			t.Errorf("%T: process 2 may send an identity that it does not have", uid)
		}
	}
}

// TestNamedTypes observes an event with values of types that a program has declared.
func TestNamedTypes(t *testing.T) {
	type word string
	type truth bool
	sys := parse(t, `protocol named "an event, and a message to the right"
topology line of 2
channel fifo
type colour = red | green
message M
event e(c: colour, b: bool, s: set of 0..2)
process p = e(green, true, {0, 2}); send right M; stop
`)
	m, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Event{
		{Process: word("0"), Do: "event", Name: "e", Args: []any{word("green"), truth(true), [2]int{0, 2}}},
		{Process: word("0"), Do: "send", To: word("right"), Message: "M"},
	} {
		if err := m.Observe(e); err != nil {
			t.Error(err)
		}
	}
}

// TestExpected lists what processes may do that have done nothing, whatever is assigned to them.
func TestExpected(t *testing.T) {
	m, err := New(newSystem(t, "chang-roberts", reduce.Set{"n": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	e, wrong := Event{Process: 0, Do: "send", To: "right", Message: "Token", Args: []any{3}}, (*Mismatch)(nil)
	m.Observe(e)
	var first []string
	if errors.As(m.Observe(e), &wrong) {
		for _, x := range wrong.Expected {
			first = append(first, x.String())
		}
	}
	var want []string
	for _, p := range []int{1, 2} {
		for id := 1; id <= 2; id++ {
			want = append(want, Event{Process: p, Do: "send", To: "right", Message: "Token", Args: []any{id}}.String())
		}
	}
	if !slices.Equal(first, want) {
		t.Errorf("%s, want %s", first, want)
	}
}

// TestCanceled ends between two events, however few hypotheses there are.
func TestCanceled(t *testing.T) {
	m, err := New(newSystem(t, "chang-roberts", reduce.Set{"n": "2"}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q, err := resolve(m.checker.sys.Protocol(), &Event{Process: 0, Do: "send"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.tracker.add(ctx, &traceEvent{pattern: q}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// TestStatus shows the status of a monitor by HTTP, before and after an event that no run explains.
func TestStatus(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	m, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	status := func() string {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		return w.Body.String()
	}
	if err := m.Observe(Event{Process: 1, Do: "send", Args: []any{2}, Message: "Token"}); err != nil {
		t.Fatal(err)
	}
	if got := status(); !strings.HasPrefix(got, `{"events":1,"hypotheses":1,"state":[{"p":0`) ||
		strings.Contains(got, "error") {
		t.Error(got)
	}
	if m.Observe(Event{Process: 0, Do: "event", Name: "leader"}) == nil {
		t.Fatal("a leader without votes is explained")
	}
	got := status()
	for _, want := range []string{`{"events":2,"hypotheses":1,"state":[{"p":0`, `"error":"event 2 is not explained`,
		`"mismatch":{"number":2,"event":{"p":0,"do":"event","name":"leader"},"expected":[`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s has no %s", got, want)
		}
	}
}

// TestManyEvents observes a process that repeats itself, in memory that does not grow.
func TestManyEvents(t *testing.T) {
	sys := parse(t, `protocol forever
topology line of 2
channel fifo
message M(x: 0..3)
var x: 0..3
process a = Send(0)
process b = Take
Send(x) = send right M(x); Send((x + 1) mod 4)
Take = recv left M(_); Take
`)
	m, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	events := make([]Event, 8)
	for i := range events {
		if events[i] = (Event{Process: 0, Do: "send", Message: "M", Args: []any{i / 2}}); i%2 == 1 {
			events[i] = Event{Process: 1, Do: "recv", Message: "M", Args: []any{i / 2}}
		}
	}
	heap := func(count int) uint64 {
		for i := range count {
			if err := m.Observe(events[i%len(events)]); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	count := 10_000
	if testlevel.Long() {
		count = 20_000_000
	}
	first := heap(count)
	if last := heap(4 * count); last > first+1<<20 {
		t.Errorf("%d bytes after %d events, %d after %d", first, count, last, 5*count)
	}
}

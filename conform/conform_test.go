package conform

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"ringcheck"
)

var specs = flag.Int("specs", 20, "how many specs TestOracle looks at")

// parse returns the system of a spec without parameters.
func parse(t testing.TB, text string) *ringcheck.System {
	t.Helper()
	spec, err := ringcheck.Parse("test.ring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// explain judges the lines of a log.
func explain(t testing.TB, sys *ringcheck.System, opt Options, lines ...string) *Report {
	t.Helper()
	log := &Log{Name: "log", Reader: strings.NewReader(strings.Join(lines, "\n") + "\n")}
	r, err := Explain(t.Context(), sys, []*Log{log}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHandler lets an election among goroutines log to a monitor: the program of Chang and Roberts.
func TestHandler(t *testing.T) {
	uids := []int{2, 3, 1}
	m, err := New(newSystem(t, "chang-roberts", ringcheck.Set{"n": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(m.Handler(slog.NewTextHandler(io.Discard, nil), nil))
	in := []chan int{make(chan int, 9), make(chan int, 9), make(chan int, 9)}
	var all sync.WaitGroup
	for p, uid := range uids {
		all.Go(func() {
			log := log.With("p", p)
			log.Info("begins", "assign", map[string]int{"uid": uid})
			send := func(id int) {
				log.Info("sends", "do", "send", "to", "right", "message", "Token", "args", []int{id})
				in[(p+1)%3] <- id
			}
			send(uid)
			for id := range in[p] {
				log.Info("receives", "do", "recv", "from", "left", "message", "Token", "args", []int{id})
				if id == uid {
					log.Info("leads", "do", "event", "name", "leader")
					for _, c := range in {
						close(c)
					}
					return
				}
				if id > uid {
					send(id)
				}
			}
		})
	}
	all.Wait()
	if err := m.Err(); err != nil {
		t.Fatal(err)
	}
	state, err := m.State()
	if err != nil || state[1].At != "Reign" {
		t.Errorf("the largest uid is at %q (%v), want Reign", state[1].At, err)
	}
	log.Info("leads", "p", 0, "do", "event", "name", "leader")
	wrong := (*Mismatch)(nil)
	if err := m.Err(); !errors.As(err, &wrong) || wrong.Event.Name != "leader" {
		t.Errorf("error %v for a second leader, want a mismatch", err)
	}
	if err := m.Observe(Event{Process: 1, Do: "recv"}); !errors.As(err, &wrong) {
		t.Errorf("error %v after a mismatch, want the mismatch", err)
	}
}

// Both processes may lead, and then rest; only while they lead there are two leaders.
const pair = `protocol pair "both may lead"
topology directed ring of 2
channel fifo
event leader
process p = Start
Start = leader; Leads
Leads = %s
Rests = stop
invariant unique "one leader" = (count p in node: p at Leads) <= 1
`

// TestProperties looks at invariants along a log in which both processes lead.
func TestProperties(t *testing.T) {
	both := []string{`{"p":0,"do":"event"}`, `{"p":1,"do":"event"}`}
	for _, test := range []struct {
		name, then     string
		log            []string
		holds, certain bool
	}{
		{"for ever", "stop", both, false, true},
		{"for a while", "skip; Rests", both, false, false},
		{"one of them", "skip; Rests", both[:1], true, true},
	} {
		sys := parse(t, fmt.Sprintf(pair, test.then))
		for _, order := range []Order{Total, ByProcess} {
			r := explain(t, sys, Options{Order: order}, test.log...)
			p := r.Properties[0]
			certain := test.certain && (order == Total || !test.holds)
			if !*r.Explained || *p.Holds != test.holds || p.Certain != certain {
				t.Errorf("%s, order %s: explained %v, %+v, want certain %v", test.name, order, *r.Explained, p, certain)
			}
		}
	}
}

// TestConflict names the lines that cannot be explained together.
func TestConflict(t *testing.T) {
	sys := newSystem(t, "chang-roberts", ringcheck.Set{"n": "4"})
	r := explain(t, sys, Options{Order: ByProcess}, `{"p":3,"at":"Active"}`, `{"p":1,"do":"event","name":"leader"}`,
		`{"p":2,"at":"Active"}`, `{"p":2,"do":"event","name":"leader"}`, `{"p":0,"at":"Active"}`)
	want := []Place{{"log", 2}}
	if *r.Explained || r.Line != 4 || !slices.Equal(r.Conflict, want) {
		t.Errorf("line %d with %v, want 4 with %v", r.Line, r.Conflict, want)
	}
}

// TestCut judges a log up to a last line without an end.
func TestCut(t *testing.T) {
	log := &Log{Name: "log", Reader: strings.NewReader(`{"p":0,"do":"send"}` + "\n" + `{"p":1,"do":"se`)}
	r, err := Explain(t.Context(), newSystem(t, "chang-roberts", ringcheck.Set{"n": "3"}), []*Log{log}, Options{})
	if err != nil || !*r.Explained || r.Events != 1 || !slices.Equal(r.Cut, []Place{{"log", 2}}) {
		t.Error(r, err)
	}
}

// TestLive judges lines while their writer goes on.
func TestLive(t *testing.T) {
	sys := newSystem(t, "chang-roberts", ringcheck.Set{"n": "3"})
	in, out := io.Pipe()
	go fmt.Fprintln(out, `{"p":0,"do":"event","name":"leader"}`)
	opt := Options{Live: true, Observe: []string{"send", "recv", "event"}}
	r, err := Explain(t.Context(), sys, []*Log{{Name: "pipe", Reader: in}}, opt)
	if err != nil || r.Explained == nil || *r.Explained || r.Line != 1 {
		t.Fatal(r, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	in, out = io.Pipe()
	go func() {
		fmt.Fprintln(out, `{"p":0,"do":"send","message":"Token"}`)
		stop()
	}()
	r, err = Explain(ctx, sys, []*Log{{Name: "pipe", Reader: in}}, opt)
	if err != nil || r.Explained != nil || r.Err() == nil {
		t.Fatal(r, err)
	}
}

// TestStamp orders the receipt of a message behind what its sender did before.
func TestStamp(t *testing.T) {
	a, b := WithClock(t.Context(), 0, 2), WithClock(t.Context(), 1, 2)
	Stamp(a)
	sent := Stamp(a)
	Stamp(b)
	Merge(b, sent)
	if got, want := Stamp(b), []int{2, 2}; !slices.Equal(got, want) {
		t.Errorf("clock %v of the receipt, want %v", got, want)
	}
	if got := Stamp(t.Context()); got != nil {
		t.Errorf("clock %v without one", got)
	}
}

// TestTests runs the tests that cover small systems.
func TestTests(t *testing.T) {
	for _, test := range []struct {
		cover Cover
		items int
	}{{Transitions, 1368}, {Actions, 66}, {Control, 22}} {
		sys := newSystem(t, "franklin", ringcheck.Set{"n": "2", "k": "2"})
		tests, err := NewTests(t.Context(), sys, test.cover)
		if err != nil {
			t.Fatal(err)
		}
		if tests.Covered != test.items {
			t.Errorf("%s: %d covered, want %d", test.cover, tests.Covered, test.items)
		}
		var log strings.Builder
		if err := tests.Write(&log); err != nil {
			t.Fatal(err)
		}
		r := explain(t, sys, Options{}, log.String())
		if !*r.Explained || r.Events != 2*tests.Steps {
			t.Errorf("%s: explained %v, %d events of %d steps", test.cover, *r.Explained, r.Events, tests.Steps)
		}
	}
}

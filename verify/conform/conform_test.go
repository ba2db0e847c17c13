package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

var specs = testlevel.Cases(20, 120) // how many specs TestOracle looks at

// parse returns the system of a spec without parameters.
func parse(t testing.TB, text string) *reduce.System {
	t.Helper()
	spec, err := loadtest.Parse("test.ring", []byte(text))
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
func explain(t testing.TB, sys *reduce.System, opt Options, lines ...string) *Report {
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
	m, err := New(newSystem(t, "chang-roberts", reduce.Set{"n": "3"}))
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

// TestUndefined reports an invariant that has no value in a state of a run, and judges the others, in networks of any
// size.
func TestUndefined(t *testing.T) {
	const spec = "protocol u\nparam n: 2..99 = %d\ntopology line of n\nevent e\nprocess p = e; stop\n" +
		"invariant i = 1 div (size(inbox(1, left)) - size(inbox(0, right))) = 1\n" +
		"invariant j = size(inbox(1, left)) > 0\ninvariant k = size(inbox(1, left)) = 0\n"
	for _, n := range []int{2, smallNetwork + 1} {
		r := explain(t, parse(t, fmt.Sprintf(spec, n)), Options{}, `{"p":0,"do":"event"}`)
		i, j, k := r.Properties[0], r.Properties[1], r.Properties[2]
		if r.Invalid() == nil || i.EvalError == nil || i.Holds != nil || *j.Holds || !*k.Holds {
			t.Errorf("n = %d: %v, verdicts %v; want a model error of the first", n, r.Invalid(), r.Properties)
		}
	}
}

// TestRegisters blames a philosopher who eats twice in a large log, whatever its neighbours have in their registers.
func TestRegisters(t *testing.T) {
	sys, err := loadtest.Load("../../examples/dining-philosophers.ring", reduce.Set{"n": 6})
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Order: ByProcess, Properties: []string{}, Memory: 1 << 27}
	var log strings.Builder
	if err := Sample(t.Context(), &log, sys, 100, rand.New(rand.NewPCG(1, 0)), opt); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	at := 50 + slices.IndexFunc(lines[50:], func(line string) bool { return strings.Contains(line, `"eat"`) })
	lines = slices.Insert(lines, at, lines[at])
	r := explain(t, sys, opt, lines...)
	if r.Explained == nil || *r.Explained || r.Line != at+2 || r.Conflict != nil {
		t.Errorf("explained %v, line %d with %v; want %d", r.Explained, r.Line, r.Conflict, at+2)
	}
}

// TestGrowth knows the verdict on a log, though the channel could hold more messages if it went on.
func TestGrowth(t *testing.T) {
	sys := parse(t, `protocol again "sends for ever"
topology line of 2
channel fifo, lossy at most 1
message M(x: 1..3)
process sender[p in 0..0] = Send
process receiver[p in 1..1] = Receive
Send = send right M(1); Send
Receive = recv left _; Receive
`)
	send, lose := `{"p":0,"do":"send","message":"M","args":[%d]}`, `{"do":"lose"%s}`
	for _, order := range orders {
		clock := func(i int) string {
			return strings.Replace(fmt.Sprintf(send, 1+i/2), "}", fmt.Sprintf(`,"clock":[%d,0]}`, i+1), 1)
		}
		r := explain(t, sys, Options{Order: order}, clock(0), fmt.Sprintf(lose, ""), clock(1), clock(2))
		if r.Explained == nil || *r.Explained || r.Line != 4 {
			t.Errorf("order %s: %v, line %d", order, r.Err(), r.Line)
		}
	}
}

// TestCut judges a log up to a last line without an end.
func TestCut(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	for _, last := range []string{`{"p":1,"do":"se`, "{\"p\":1,\"do\":\"s\xc3", `{"p":1,"do":nu`, `{"p":1`, `{`} {
		log := &Log{Name: "log", Reader: strings.NewReader(`{"p":0,"do":"send"}` + "\n" + last)}
		r, err := Explain(t.Context(), sys, []*Log{log}, Options{})
		if err != nil || !*r.Explained || r.Events != 1 || !slices.Equal(r.TruncatedLines, []Position{{"log", 2}}) {
			t.Error(last, r, err)
		}
	}
}

// TestClockOutOfOrder says of lines of one process that are not in order that they are in the wrong order.
func TestClockOutOfOrder(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	log := &Log{Name: "log", Reader: strings.NewReader(
		`{"p":1,"do":"skip","clock":[0,2,0]}` + "\n" + `{"p":1,"do":"skip","clock":[0,1,0]}`)}
	_, err := Explain(t.Context(), sys, []*Log{log}, Options{Order: ByClock})
	const want = "the clock has 1 for process 1, and 2 in line 1, which is an earlier line of this process"
	if wrong := (*LineError)(nil); !errors.As(err, &wrong) || wrong.Line != 2 || wrong.Err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestObserved passes over lines about what the log does not show.
func TestObserved(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	send, tick := `{"p":0,"do":"send"}`, `{"do":"tick"}`
	for _, test := range []struct {
		observe   string
		line      string
		explained bool
		events    int
	}{
		{"leader", send, true, 0}, {"recv", send, true, 0}, {"Token", send, true, 1}, {"send", send, true, 1},
		{"Token", tick, true, 0}, {"tick", tick, false, 1}, {"event", `{"p":0,"do":"event"}`, true, 1},
		{"leader", `{"p":0,"do":"event"}`, true, 1}, {"send", `{"p":0,"do":"event"}`, true, 0},
	} {
		r := explain(t, sys, Options{Observe: []string{test.observe}, AllowEmpty: true}, test.line)
		if *r.Explained != test.explained || r.Events != test.events {
			t.Errorf("%s, observing %s: explained %v, %d events", test.line, test.observe, *r.Explained, r.Events)
		}
	}
}

// TestEmpty checks that a log without an observed event is not judged unless that is allowed.
func TestEmpty(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	for _, order := range []Order{Total, ByProcess} {
		for _, line := range []string{"", `{"p":0,"do":"send"}`} {
			opt := Options{Order: order, Observe: []string{"leader"}}
			if r := explain(t, sys, opt, line); r.Explained != nil || r.Complete || r.Stopped != "empty" {
				t.Errorf("order %s, %q: explained %v, %+v", order, line, r.Explained, r.Ending)
			}
			opt.AllowEmpty = true
			if r := explain(t, sys, opt, line); r.Explained == nil || !*r.Explained || !r.Complete {
				t.Errorf("order %s, %q: allowed, explained %v, %+v", order, line, r.Explained, r.Ending)
			}
		}
	}
}

// TestContradiction names the line that contradicts what was assigned.
func TestContradiction(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	first, step := `{"p":0,"assign":{"uid":1}}`, `{"p":0,"do":"send"}`
	for _, second := range []string{`{"p":0,"assign":{"uid":2}}`, `{"p":1,"assign":{"uid":1}}`} {
		for _, order := range []Order{Total, ByProcess} {
			for _, all := range []Options{{Order: order}, {Order: order, allLimit: 1, hardLimit: 1}} {
				for i, lines := range [][]string{{first, second}, {first, step, second}, {step, first, second}} {
					r := explain(t, sys, all, lines...)
					if *r.Explained || r.Line != len(lines) {
						t.Errorf("%s, order %s, %d: explained %v, line %d", second, order, i, *r.Explained, r.Line)
					}
				}
				if r := explain(t, sys, all, first, `{"p":0,"assign":{"uid":null}}`, first, step); !*r.Explained {
					t.Errorf("order %s: line %d is not explained", order, r.Line)
				}
			}
		}
	}
}

// TestLive judges lines while their writer goes on.
func TestLive(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	in, out := io.Pipe()
	go fmt.Fprintln(out, `{"p":0,"do":"event","name":"leader"}`)
	opt := Options{Live: true, Observe: []string{"send", "recv", "event"}}
	r, err := Explain(t.Context(), sys, []*Log{{Name: "pipe", Reader: in}}, opt)
	if err != nil || r.Explained == nil || *r.Explained || r.Line != 1 {
		t.Fatal(r, err)
	}
	for _, opt.Live = range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		in, out = io.Pipe()
		go func() {
			fmt.Fprintln(out, `{"p":0,"do":"send","message":"Token"}`)
			stop()
		}()
		r, err = Explain(ctx, sys, []*Log{{Name: "pipe", Reader: in}}, opt)
		if err != nil || r.Explained != nil || r.Err() == nil || r.AllHypotheses && r.Hypotheses == 0 {
			t.Fatal(r, err)
		}
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
	for _, ctx := range []context.Context{t.Context(), WithClock(a, 2, 2), WithClock(a, -1, 2)} {
		if got := Stamp(ctx); got != nil {
			t.Errorf("clock %v without one", got)
		}
	}
}

// TestTests runs the tests that cover small systems.
func TestTests(t *testing.T) {
	for _, test := range []struct {
		cover Cover
		items int
	}{{Transitions, 1368}, {Actions, 66}, {Control, 22}} {
		sys := newSystem(t, "franklin", reduce.Set{"n": "2", "k": "2"})
		tests, err := NewTests(t.Context(), sys, TestOptions{Cover: test.cover, Undetermined: true}, reduce.Search{})
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		if err := tests.Write(t.Context(), &log); err != nil {
			t.Fatal(err)
		}
		if tests.Covered != test.items || !tests.Complete {
			t.Errorf("%s: %d covered, want %d", test.cover, tests.Covered, test.items)
		}
		roles := map[string]string{"recv": `"role":"input"`, "send": `"role":"output"`, "event": `"role":"output"`}
		for line := range strings.Lines(log.String()) {
			for do, role := range roles {
				if strings.Contains(line, `"do":"`+do+`"`) && !strings.Contains(line, role) {
					t.Fatalf("%s: %s has no %s", test.cover, line, role)
				}
			}
		}
		r := explain(t, sys, Options{}, log.String())
		if !*r.Explained || r.Events != 2*tests.Steps {
			t.Errorf("%s: explained %v, %d events of %d steps", test.cover, *r.Explained, r.Events, tests.Steps)
		}
	}
}

// TestTestsWrite checks that Write writes the events of Generate, the first of each run with its number.
func TestTestsWrite(t *testing.T) {
	for _, sys := range []*reduce.System{
		newSystem(t, "franklin", reduce.Set{"n": "2", "k": "2"}), newSystem(t, "chang-roberts", reduce.Set{"n": "3"}),
	} {
		var written, want strings.Builder
		for _, produce := range []func(*Tests) error{
			func(tests *Tests) error { return tests.Write(t.Context(), &written) },
			func(tests *Tests) error {
				return tests.Generate(t.Context(), func(run []Event) error {
					run[0].Run = uint(tests.Count)
					for _, e := range run {
						fmt.Fprintln(&want, e)
					}
					return nil
				})
			},
		} {
			tests, err := NewTests(t.Context(), sys, TestOptions{Undetermined: true}, reduce.Search{})
			if err != nil {
				t.Fatal(err)
			}
			if err := produce(tests); err != nil {
				t.Fatal(err)
			}
		}
		if written.String() != want.String() || written.Len() == 0 {
			t.Errorf("%s: Write and Generate differ", sys.Name)
		}
	}
}

// A limitedContext ends when it has been asked for its error some times.
type limitedContext struct {
	context.Context
	left int
}

func (c *limitedContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestTestsInterrupted ends the generation at each of its first steps. No run is empty.
func TestTestsInterrupted(t *testing.T) {
	sys := newSystem(t, "franklin", reduce.Set{"n": "2", "k": "2"})
	for left := range 200 {
		tests, err := NewTests(t.Context(), sys, TestOptions{Cover: Actions, Undetermined: true}, reduce.Search{})
		if err != nil {
			t.Fatal(err)
		}
		err = tests.Generate(&limitedContext{t.Context(), left}, func(run []Event) error {
			if len(run) == 0 {
				t.Fatalf("an empty run after %d questions", left)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTestsCut checks that what a generation that ends early reports as covered is in the runs that it wrote.
func TestTestsCut(t *testing.T) {
	sys := newSystem(t, "franklin", reduce.Set{"n": "2", "k": "2"})
	tests, err := NewTests(t.Context(), sys, TestOptions{Cover: Actions, Undetermined: true}, reduce.Search{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	covered, runs := make(map[string]bool), 0
	err = tests.Generate(ctx, func(run []Event) error {
		for _, e := range run {
			if e.Do != "" {
				covered[e.String()] = true
			}
		}
		if runs++; runs == 2 {
			cancel()
		}
		return nil
	})
	if err != nil || tests.Complete || tests.Stopped != "interrupt" {
		t.Fatalf("%v, %+v", err, tests.Ending)
	}
	if tests.Count != runs || tests.Covered == 0 || tests.Covered > len(covered) {
		t.Errorf("%d of %d runs, %d covered, %d different actions", tests.Count, runs, tests.Covered, len(covered))
	}
	full := errors.New("the disk is full")
	if err := tests.Generate(t.Context(), func([]Event) error { return full }); !errors.Is(err, full) {
		t.Errorf("a failed write: %v", err)
	}
}

// TestPassedOver passes over lines that say who acts, and not what.
func TestPassedOver(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	r := explain(t, sys, Options{},
		`{"p":0,"msg":"starts"}`, `{"p":0,"msg":"listens","addr":":80"}`, `{"p":1,"do":"send"}`)
	if !*r.Explained || r.Events != 1 {
		t.Errorf("explained %v, %d events; want 1", *r.Explained, r.Events)
	}
}

// TestBadMappings says what is wrong with mappings.
func TestBadMappings(t *testing.T) {
	unknown := `"x" is not a member of an event: use ` + strings.Join(eventMembers, ", ")
	path := "the path of p must be a string, or a list of strings"
	none := "it maps no member of an event"
	for _, test := range []struct{ mapping, want string }{
		{`{"fields":{"x":"a"}}`, unknown}, {`{"values":{"x":{"a":1}}}`, unknown}, {`{"constants":{"x":1}}`, unknown},
		{`{"values":{"args":{"RED":"red"}}}`, "the values in args cannot be replaced"},
		{`{}`, none}, {`null`, none}, {`{"fields":{}}`, none}, {`{"fields":{"p":1}}`, path}, {`{"fields":{"p":null}}`, path}, {`{"fields":{"p":["a",1]}}`, path},
	} {
		if _, err := ReadMapping(strings.NewReader(test.mapping)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.mapping, err, test.want)
		}
	}
}

// TestSpans maps spans in which one member is the receiver of what is sent and the sender of what is received, in which
// not all messages have a field, and which have attributes and numbers as OpenTelemetry writes them.
func TestSpans(t *testing.T) {
	sys, err := loadtest.Load("../../examples/two-phase-commit.ring", nil)
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := ReadMapping(strings.NewReader(`{"values":{"do":{"rpc.send":"send","rpc.receive":"recv"}},
		"fields":{"p":"node","do":"name","message":"type","to":"peer","from":"peer","args":["attributes.vote"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		span = `{"node":"%d","name":"rpc.%s","type":"%s","peer":%d}` + "\n"
		vote = `{"node":{"intValue":"1"},"name":"rpc.send","type":"Vote","peer":0,
			"attributes":[{"key":"vote","value":{"boolValue":true}}]}`
	)
	for _, test := range []struct {
		peer      int
		explained bool
	}{{0, true}, {2, false}} {
		log := fmt.Sprintf(span, 0, "send", "Ask", 1) + fmt.Sprintf(span, 1, "receive", "Ask", test.peer) +
			strings.ReplaceAll(vote, "\n", "") + "\n" + `{"node":1,"name":"query"}` + "\n"
		logs := []*Log{{Name: "log", Reader: strings.NewReader(log), Mapping: mapping}}
		r, err := Explain(t.Context(), sys, logs, Options{})
		if test.explained && (err != nil || !*r.Explained || r.Events != 3) {
			t.Errorf("%+v: %v", test, cmp.Or(err, r.Err()))
		}
		if wrong := (*LineError)(nil); !test.explained && (!errors.As(err, &wrong) || wrong.Line != 2) {
			t.Errorf("%+v: %v; want an error of line 2", test, err)
		}
	}
}

// TestStack explains the log of a receiver that takes the newest message first, which has to wait for the second one.
func TestStack(t *testing.T) {
	sys := parse(t, "protocol stack\ntopology line of 2\nchannel lifo\nmessage M(x: 1..2)\nvar x: 1..2\n"+
		"event got(x: 1..2)\nprocess p = if p = 0 then send right M(1); send right M(2); stop else Take\n"+
		"Take = recv left M(x); got(x); Take\n")
	for _, order := range []Order{Total, ByProcess} {
		for _, values := range [][2]int{{2, 1}, {1, 2}, {2, 2}} {
			const event = `{"p":1,"do":"event","name":"got","args":[%d]}`
			r := explain(t, sys, Options{Order: order}, fmt.Sprintf(event, values[0]), fmt.Sprintf(event, values[1]))
			if possible := values != [2]int{2, 2}; *r.Explained != possible {
				t.Errorf("order %s: values %v are explained: %t, want %t", order, values, *r.Explained, possible)
			}
		}
	}
}

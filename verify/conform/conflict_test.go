package conform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/reduce"
)

// TestConflict names the lines that cannot be explained together.
func TestConflict(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "4"})
	r := explain(t, sys, Options{Order: ByProcess}, `{"p":3,"at":"Active"}`, `{"p":1,"do":"event","name":"leader"}`,
		`{"p":2,"at":"Active"}`, `{"p":2,"do":"event","name":"leader"}`, `{"p":0,"at":"Active"}`)
	want := []Position{{"log", 2}}
	if *r.Explained || r.Line != 4 || !slices.Equal(r.Conflict, want) {
		t.Errorf("line %d with %v, want 4 with %v", r.Line, r.Conflict, want)
	}
}

// TestChanged blames a line of a large log in which a value was changed, and the neighbour who did not send it.
func TestChanged(t *testing.T) {
	sys := newSystem(t, "franklin", reduce.Set{"n": "50", "k": "4"})
	opt := Options{Order: ByProcess, Observe: []string{"send", "event"}, Properties: []string{}}
	var log strings.Builder
	if err := Sample(t.Context(), &log, sys, 1800, rand.New(rand.NewPCG(1, 0)), opt); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	lines[300] = strings.Replace(lines[300], "[1,2,false]", "[2,2,false]", 1)
	r := explain(t, sys, opt, lines...)
	want := []Position{{"log", 467}}
	if *r.Explained || r.Line != 301 || !slices.Equal(r.Conflict, want) {
		t.Errorf("explained %v, line %d with %v; want 301 with %v", *r.Explained, r.Line, r.Conflict, want)
	}
}

// TestCutShort explains most of a log that is refuted before a search has come to an end anywhere.
func TestCutShort(t *testing.T) {
	sys := newSystem(t, "dkr", reduce.Set{"n": "30", "k": "3"})
	opt := Options{Order: ByProcess, Observe: []string{"recv"}, Properties: []string{}}
	var log strings.Builder
	if err := Sample(t.Context(), &log, sys, 600, rand.New(rand.NewPCG(1, 0)), opt); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	lines[len(lines)-9] = lines[33]
	r := explain(t, sys, opt, lines...)
	if *r.Explained || r.EventsExplained < len(lines)*3/4 {
		t.Errorf("explained %v, %d of %d events", *r.Explained, r.EventsExplained, len(lines))
	}
}

// token is a ring round which a numbered token goes.
const token = `protocol token "a numbered token"
topology directed ring of 3
channel fifo
message Tok(r: 1..9)
event enter(r: 1..9)
var r: 1..9
initially Tok(1) in inbox(0, left)
process p = Idle
Idle = recv left Tok(r); enter(r); (if r = 9 then stop else send right Tok(r + 1); Idle)
`

// TestFirstWrong blames the first line that is wrong, whatever the order, though later ones of other processes are
// wrong by themselves.
func TestFirstWrong(t *testing.T) {
	sys := parse(t, token)
	var log []string
	for r, wrong := 1, false; r < 9; r++ {
		p := (r - 1) % 3
		if wrong {
			p = (r - 2) % 3
		}
		log = append(log, fmt.Sprintf(`{"p":%d,"do":"recv","args":[%d],"message":"Tok"}`, p, r),
			fmt.Sprintf(`{"p":%d,"do":"event","name":"enter","args":[%d]}`, p, r))
		if r == 4 {
			r, wrong = 5, true
		}
		log = append(log, fmt.Sprintf(`{"p":%d,"do":"send","args":[%d],"message":"Tok"}`, p, r+1))
	}
	for _, order := range []Order{Total, ByProcess} {
		r := explain(t, sys, Options{Order: order}, log...)
		if *r.Explained || r.Line != 12 || r.Conflict != nil || len(r.Expected) != 1 {
			t.Errorf("order %s: explained %v, line %d with %v, possible %v; want 12, one possible", order, *r.Explained,
				r.Line, r.Conflict, r.Expected)
		}
	}
}

// TestFirstWrongLate blames the first line that is wrong, though a search up to it takes more than the usual work.
func TestFirstWrongLate(t *testing.T) {
	sys := parse(t, `protocol late "process 0 counts on its own"
topology line of 100
channel fifo
var i: 0..1000
event a, b
process p = if p = 0 then Count(0) else stop
Count(i) = a; Count(i) | when i < 1000: skip; Count(i + 1) | when i < 0: b; stop
`)
	a, b := `{"p":0,"do":"event","name":"a"}`, `{"p":0,"do":"event","name":"b"}`
	for _, order := range []Order{Total, ByProcess} {
		r := explain(t, sys, Options{Order: order, allLimit: 1, hardLimit: 1}, a, a, a, a, a, b, a, a, a, a, a)
		if *r.Explained || r.Line != 6 || r.AtMost || r.EventsExplained != 5 || len(r.Expected) != 1 {
			t.Errorf("order %s: explained %v, line %d (at most: %v), %d events; want line 6, 5 events", order,
				*r.Explained, r.Line, r.AtMost, r.EventsExplained)
		}
	}
}

// TestFirstWrongUnknown does not name a line as the first wrong one if no search has shown that the lines before it
// are explained, and looks for it as long as there is memory.
func TestFirstWrongUnknown(t *testing.T) {
	const spec = `protocol free "after its last line, process 1 may go on for long"
param k: 0..1000000
topology line of 2
channel fifo, delay 1..1
var i: 0..1000000
event a, b
process p = if p = 0 then P else Q(0)
P = a; P | when k < 0: b; stop
Q(i) = a; if i < k then Q(i + 1) else stop
`
	for _, test := range []struct {
		k    int
		line int
		want string
	}{{50, 2, "[]"}, {1000000, 3, "[{log 2}]"}} {
		spec, err := loadtest.Parse("free.ring", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		sys, err := spec.System(reduce.Set{"k": test.k})
		if err != nil {
			t.Fatal(err)
		}
		r := explain(t, sys, Options{Order: ByProcess, Memory: 1 << 22}, `{"p":1,"do":"event","name":"a"}`,
			`{"p":0,"do":"event","name":"b"}`, `{"p":1,"do":"event","name":"a"}`)
		unknown := test.line > 2
		if *r.Explained || r.Line != test.line || r.AtMost != unknown || (r.Event == nil) != unknown ||
			fmt.Sprint(r.Conflict) != test.want || r.EventsExplained != 2 {
			t.Errorf("k = %d: explained %v, line %d with %v (at most: %v), %d events; want line %d with %s", test.k,
				*r.Explained, r.Line, r.Conflict, r.AtMost, r.EventsExplained, test.line, test.want)
		}
	}
}

// TestWrongSend blames the process that sends a message to a wrong receiver, though the line of the receiver comes
// first, and says what it may do instead at that moment.
func TestWrongSend(t *testing.T) {
	sys := parse(t, `protocol give "process 0 gives to 1, and then to 2 if it has asked"
topology complete graph of 3
channel fifo
message M, Ask
process p = if p = 0 then Give else if p = 1 then Take else Ask
Give = send 1 M; recv 2 Ask; send 2 M; stop
Take = recv 0 M; stop
Ask = send 0 Ask; Take
`)
	send := `{"p":0,"do":"send","to":2,"message":"M","clock":[1,0,0]}`
	for _, order := range []Order{ByProcess, ByClock} {
		for _, log := range [][]string{
			{`{"p":2,"do":"recv","from":0,"message":"M","clock":[1,0,1]}`, send},
			{`{"p":2,"do":"send","to":0,"message":"Ask","clock":[0,0,1]}`,
				`{"p":2,"do":"recv","from":0,"message":"M","clock":[1,0,2]}`, send},
		} {
			r := explain(t, sys, Options{Order: order}, log...)
			want := `[{"p":0,"do":"send","to":1,"message":"M"}]`
			if got := fmt.Sprint([]Event(r.Expected)); *r.Explained || r.Line != len(log) || got != want {
				t.Errorf("order %s: explained %v, line %d, possible %s; want line %d, possible %s", order, *r.Explained,
					r.Line, got, len(log), want)
			}
		}
	}
}

package conform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/reduce"
)

// TestTraffic judges logs of large rings that show the messages at one end of each channel. Without what these say of
// the other ends, the searches do not end.
func TestTraffic(t *testing.T) {
	for _, test := range []struct {
		spec    string
		set     reduce.Set
		observe []string
		drop    int // a line
	}{
		{"dkr", reduce.Set{"n": "30", "k": "3"}, []string{"recv", "event"}, 0},
		{"dkr", reduce.Set{"n": "30", "k": "3", "channel": "fifo"}, []string{"recv", "event"}, 0},
		{"franklin", reduce.Set{"n": "50", "k": "4"}, []string{"send", "event"}, 300},
	} {
		opt := Options{Order: ByProcess, Observe: test.observe, Properties: []string{}}
		sys := newSystem(t, test.spec, test.set)
		var log strings.Builder
		if err := Sample(t.Context(), &log, sys, 3000, rand.New(rand.NewPCG(1, 0)), opt); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if test.drop > 0 {
			lines = slices.Delete(lines, test.drop, test.drop+1)
		}
		r := explain(t, sys, opt, lines...)
		if *r.Explained != (test.drop == 0) {
			t.Errorf("%s %v: explained %v, line %d with %v", test.spec, test.set, *r.Explained, r.Line, r.Conflict)
		}
	}
}

// TestManyMessages names the line after a missing one of the same process, and no others, although the others may send
// many messages.
func TestManyMessages(t *testing.T) {
	sys := newSystem(t, "hirschberg-sinclair", reduce.Set{"n": "24"})
	opt := Options{Order: ByProcess, Observe: []string{"send", "event"}, Properties: []string{}}
	var log strings.Builder
	if err := Sample(t.Context(), &log, sys, 3000, rand.New(rand.NewPCG(4, 0)), opt); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	ofSecond := func(line string) bool { return strings.HasPrefix(line, `{"p":2,"do":"send"`) }
	missing := slices.IndexFunc(lines, ofSecond)
	lines = slices.Delete(lines, missing, missing+1)
	want := 1 + slices.IndexFunc(lines, ofSecond)
	r := explain(t, sys, opt, lines...)
	if *r.Explained || r.Line != want || r.Conflict != nil || len(r.Expected) != 1 {
		t.Errorf("line %d with %v, possible: %v; want line %d alone", r.Line, r.Conflict, r.Expected, want)
	}
}

// TestPendingCrash explains a log in which a process crashes before an assignment takes effect. In another run, in
// which it had taken effect, the process is at the same control point.
func TestPendingCrash(t *testing.T) {
	sys := parse(t, `protocol pending "a crash before an assignment"
topology directed ring of 2
register g: 0..1 = 0
event a
event b
event c
process p = when p = 0: Start | when p = 1: stop
Start = g := 1; a; Rest | a; let g = 1; Rest
Rest = b; stop
Again = when g = 0: c; stop | when g = 1: stop
crash at most 1 of p where p = 0 recover Again
`)
	for _, order := range []Order{Total, ByProcess} {
		r := explain(t, sys, Options{Order: order}, `{"p":0,"do":"event","name":"a"}`, `{"p":0,"do":"event","name":"c"}`)
		if !*r.Explained {
			t.Errorf("order %s: line %d is not explained", order, r.Line)
		}
	}
}

// TestConflictAlone names no line that is not needed, though each process may send what the lines show if it receives
// what others send in them.
func TestConflictAlone(t *testing.T) {
	sys := parse(t, `protocol pass "a token goes round, and some change it"
topology directed ring of 3
channel unordered
message Token(c: 0..2, d: 0..2)
var c, d: 0..2
process p = if p = 0 then Have(0, 0) else Idle
Have(c, d) = skip; send right Token((c + 1) mod 3, min(2, d + 1)); Idle | send right Token(c, d); Idle
Idle = recv left Token(c, d); Have(c, d)
`)
	var log []string
	for _, args := range []string{"1 0,0", "1 2,1", "0 0,0", "0 1,0", "2 1,0"} {
		log = append(log, fmt.Sprintf(`{"p":%s,"do":"send","args":[%s],"message":"Token"}`, args[:1], args[2:]))
	}
	if r := explain(t, sys, Options{Order: ByProcess}, log...); *r.Explained || r.Line != 2 || r.Conflict != nil {
		t.Errorf("explained %v, line %d with %v; want 2 alone", *r.Explained, r.Line, r.Conflict)
	}
}

// TestMissing names an action that a process has not logged after its last line.
func TestMissing(t *testing.T) {
	sys := parse(t, `protocol both "process 0 sends to both others, and then they answer"
topology complete graph of 3
channel fifo
message M, Go
process p = if p = 0 then Send else if p = 1 then Wait else Pass
Send = send 1 M; send 2 M; stop
Pass = recv 0 M; send 1 Go; stop
Wait = recv 2 Go; recv 0 M; stop
`)
	r := explain(t, sys, Options{Order: ByProcess}, `{"p":0,"do":"send","to":1}`, `{"p":2,"do":"send","to":1}`)
	want := `{"p":0,"do":"send","to":2,"message":"M"}`
	if *r.Explained || r.Missing == nil || r.Missing.String() != want {
		t.Errorf("explained %v, line %d, missing %v; want %s", *r.Explained, r.Line, r.Missing, want)
	}
	r = explain(t, sys, Options{Order: ByProcess}, `{"p":0,"do":"send","to":2}`, `{"p":2,"do":"send","to":1}`)
	if *r.Explained || r.Line != 1 || r.Missing != nil {
		t.Errorf("explained %v, line %d, missing %v; want line 1 alone", *r.Explained, r.Line, r.Missing)
	}
}

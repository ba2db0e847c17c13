package conform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

// TestFaults explains logs of every discipline of channels with every fault of messages: a line for the fault, more of
// them than the limit, and a log from which they are missing.
func TestFaults(t *testing.T) {
	const got = `{"p":1,"do":"event","name":"got"}`
	for c := range spectest.FaultyChannels() {
		if c.Fault == "" {
			continue
		}
		sys := parse(t, c.Text)
		fault := fmt.Sprintf(`{"do":%q,"message":"M"}`, c.Kind.Info().Verb)
		r := explain(t, sys, Options{}, fault, got, fault)
		if r.Explained == nil || !*r.Explained {
			t.Errorf("%v: two faults are not explained: %v", c, r.Err())
		}
		r = explain(t, sys, Options{}, fault, got, fault, fault)
		want := Bound{c.Kind.String(), 2, 3}
		if *r.Explained || !slices.Contains(r.Bounds, want) {
			t.Errorf("%v: three faults are explained: %t, bounds %v, want %v", c, *r.Explained, r.Bounds, want)
		}
	}
}

// faultyLogs is the number of seeds of logs that TestUnloggedFaults compares for each discipline.
var faultyLogs = testlevel.Cases[uint64](6, 10)

// TestUnloggedFaults compares, for every discipline of channels with every fault of messages, the logs of the receiver
// and of the sender that are explained with those of all runs.
func TestUnloggedFaults(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		verdicts := map[bool]int{}
		for seed := range faultyLogs() {
			compareVerdicts(t, seed, c.Text, nil, verdicts)
		}
		if verdicts[true] == 0 || verdicts[false] == 0 {
			t.Errorf("%v: %d logs are explained, %d not", c, verdicts[true], verdicts[false])
		}
	}
}

// TestDuplicateOfFirst explains three receipts of the first message of a queue, behind which an equal one is sent.
func TestDuplicateOfFirst(t *testing.T) {
	sys := parse(t, `protocol queue
topology line of 2
channel fifo, duplicating at most 2
message M(v: 1..2)
var v: 1..2
initially M(2), M(1) in inbox(1, left)
process p = if p = 0 then Send else Take
Send = send right M(2); stop
Take = recv left M(v); Take
`)
	receipt := func(v int) string { return fmt.Sprintf(`{"p":1,"do":"recv","message":"M","args":[%d]}`, v) }
	log := []string{`{"p":0,"do":"send","message":"M"}`, receipt(2), receipt(2), receipt(2), receipt(1)}
	opt := Options{Order: ByProcess, Observe: []string{"send", "recv"}}
	if r := explain(t, sys, opt, log...); r.Explained == nil || !*r.Explained {
		t.Errorf("line %d is not explained", r.Line)
	}
}

// TestCorruptedReceipts explains a log in which every message is received in another form than the sender gave it.
func TestCorruptedReceipts(t *testing.T) {
	sys := parse(t, `protocol corrupted
topology line of 2
channel fifo, corrupting
message M(x: 0..2)
process a = Send
process b = Take
Send = send right M(0); Send
Take = recv left M(_); Take
`)
	lines := slices.Repeat([]string{`{"p":1,"do":"recv","message":"M","args":[2]}`}, 1000)
	r := explain(t, sys, Options{Order: ByProcess}, lines...)
	if r.Explained == nil || !*r.Explained {
		t.Errorf("not explained: line %d, %v", r.Line, r.Err())
	}
}

// TestFewHypotheses follows a log of a thousand receipts among crashes and losses that are not in the log: few
// hypotheses are kept, because no other lines show who has crashed and what was lost.
func TestFewHypotheses(t *testing.T) {
	for _, discipline := range []string{"fifo, lossy", "fifo, lossy at most 900", "unordered, lossy"} {
		sys := parse(t, fmt.Sprintf(`protocol many
topology complete graph of 5
channel %s
crash at most 900 of p recover Work(0)
register last: 0..9 = 0
var q: node
var x, y: 0..9
message M(x: 0..9)
process p = Work(0)
Work(x) =
    choose q in {p in node where p != self}; send q M(x); Work((x + 1) mod 10)
  | recv q M(y) then last := y; Work(y)
invariant isSmall = forall p in node: p.last <= 9
`, discipline))
		prepared, err := reduce.Prepare(t.Context(), sys, reduce.Search{})
		if err != nil {
			t.Fatal(err)
		}
		n := newNetwork(prepared.Full, nil)
		_, path, err := n.randomRun(t.Context(), 4000, rand.New(rand.NewPCG(6, 6)))
		if err != nil {
			t.Fatal(err)
		}
		monitor, err := New(sys, "send", "recv")
		if err != nil {
			t.Fatal(err)
		}
		most, crashes := 0, 0
		for _, m := range path {
			e := n.eventOf(m.step.Label)
			if e.Do != "send" && e.Do != "recv" {
				crashes++
				continue
			}
			if err := monitor.Observe(e); err != nil {
				t.Fatalf("%s: %v", discipline, err)
			}
			most = max(most, len(monitor.tracker.hypotheses))
		}
		t.Logf("%s: %d events, %d faults, at most %d hypotheses", discipline, monitor.events, crashes, most)
		if monitor.events < 1000 || crashes < 300 || most >= 50 {
			t.Errorf("%s: %d events, %d faults, %d hypotheses", discipline, monitor.events, crashes, most)
		}
	}
}

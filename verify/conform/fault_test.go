package conform

import (
	"fmt"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
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

// TestUnloggedFaults compares, for every discipline of channels with every fault of messages, the logs of the receiver
// and of the sender that are explained with those of all runs.
func TestUnloggedFaults(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		verdicts := map[bool]int{}
		for seed := range uint64(4) {
			compareVerdicts(t, seed, c.Text, nil, verdicts)
		}
		if verdicts[true] == 0 || verdicts[false] == 0 {
			t.Errorf("%v: %d logs are explained, %d not", c, verdicts[true], verdicts[false])
		}
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

package conform

import "testing"

// TestRenew follows a program that visits ever new local states with tables that do not grow.
func TestRenew(t *testing.T) {
	sys := parse(t, `protocol counting
topology line of 2
channel fifo
var x: 0..1000000
message M(x: 0..1000000)
process a = Count(0)
process b = Take
Count(x) = send right M(x); Count(x + 1)
Take = recv left M(_); Take
invariant isSmall = forall p in node: p at Count => p.x <= 1000000
`)
	m, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	m.checker.maxTables = 1 << 20
	systems, before := 0, m.checker.sys
	for i := range 3 * checkpointEvents / 2 {
		for _, e := range []Event{
			{Process: 0, Do: "send", Message: "M", Args: []any{i}},
			{Process: 1, Do: "recv", Message: "M", Args: []any{i}},
		} {
			if err := m.Observe(e); err != nil {
				t.Fatal(err)
			}
		}
		if m.checker.sys != before {
			systems, before = systems+1, m.checker.sys
			if bytes := before.Bytes(); bytes > 1<<20 {
				t.Errorf("a new system has %d bytes", bytes)
			}
		}
	}
	if systems < 2 {
		t.Errorf("%d new systems", systems)
	}
	if s := m.Status(); s.Hypotheses != 1 || s.State[0].Vars["x"] != int64(3*checkpointEvents/2) {
		t.Errorf("%d hypotheses, state %v", s.Hypotheses, s.State)
	}
	if err := m.Observe(Event{Process: 0, Do: "send", Message: "M", Args: []any{0}}); err == nil {
		t.Error("a message of the beginning is explained")
	}
}

// TestRenewInvariants follows a program whose processes crash ever more often, so that only what the invariants cache
// grows.
func TestRenewInvariants(t *testing.T) {
	m, err := New(parse(t, `protocol crashing
topology line of 2
event up
crash at most 1000000 of p recover Run
process p = Run
Run = up; Run
invariant up = exists p in node: p at Run or p crashed
`), "event", "crash", "recover")
	if err != nil {
		t.Fatal(err)
	}
	m.checker.maxTables = 1 << 20
	before, systems := m.checker.sys, 0
	for range 2 * checkpointEvents {
		for _, do := range []string{"crash", "recover"} {
			if err := m.Observe(Event{Process: 0, Do: do}); err != nil {
				t.Fatal(err)
			}
		}
		if m.checker.sys != before {
			before, systems = m.checker.sys, systems+1
			if bytes := m.checker.invariants.bytes(); bytes > 1<<20 {
				t.Errorf("%d bytes are cached", bytes)
			}
		}
	}
	if systems < 2 {
		t.Errorf("%d new systems", systems)
	}
}

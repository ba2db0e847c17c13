package compile_test

import (
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// halted gives the stops that decisions lead to a name.
var halted = strings.NewReplacer("then stop", "then Halt", "else stop", "else Halt")

// TestStopByName checks that deciding for an equation A = stop is the same as deciding for stop.
func TestStopByName(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		want       counts
		holds      int // of the states: where the property does
	}{{
		// by what both have done; M is due after a tick, and gone after another one
		name: "what comes to who has stopped is lost",
		spec: `topology directed ring of 2
channel fifo, delay 1..1
message M
var x: 0..1
process a = send right M; stop
process b = B(0)
B(x) = skip; if x = 1 then recv left M; stop else stop
Halt = stop
reachable known = b.x = 0`,
		want:  counts{6, 6, 1, nil},
		holds: 2, // b has not decided yet
	}, {
		name: "who has stopped has no variables but those that are kept",
		spec: `topology directed ring of 2
channel fifo
var x, y: 0..1
register r: 0..1 = 1
process a = A(0, 1)
process b = stop
A(x, keep y) = skip; if x = 0 then stop else skip; A(x, y)
Halt = stop
reachable known = a.x = 0 and a.r = 1`,
		want:  counts{2, 1, 1, nil},
		holds: 1,
	}, {
		name: "who waits for a timer has not stopped",
		spec: `topology directed ring of 2
channel fifo, delay 0..2
message M
timer t: 0..2 = 1
event e
process a = send right M; stop
process b = B
B = if t = 0 then recv left M; e; stop else stop
Halt = stop
reachable known = b at B`,
		// Before M is sent, M of age 0, 1 or 2, which is taken after one tick or two, before e, and after it.
		want:  counts{1 + 3 + 1 + 1, 1 + 2 + 2 + 1, 1, nil},
		holds: 6,
	}, {
		name: "who has no alternative has not stopped",
		spec: `topology directed ring of 2
channel fifo, delay 1..1
message M
var x: 0..1
process a = send right M; stop
process b = B(0)
B(x) = skip; when x = 1: recv left M; stop
reachable known = b.x = 0`,
		want:  counts{5, 5, 0, nil}, // the last state is a timelock
		holds: 5,
	}, {
		// by what both have done; M is due after a tick, and gone after another one
		name: "who can only choose and stop has stopped",
		spec: `topology line of 2
channel fifo, delay 1..1
message M
var x: 0..1
process a = send right M; stop
process b = B
B = skip; choose x; if x = 0 then stop else (choose x; recv left M where false; stop | stop)
Halt = stop
reachable known = b at B`,
		want:  counts{6, 6, 1, nil},
		holds: 2 + 4, // where b is at different stops, it counts as where it chooses
	}, {
		name: "who waits for a timer to choose where to stop has stopped",
		spec: `topology line of 2
channel fifo, delay 1..1
message M
timer t: 0..3 = 3
var x: 0..1
process a = send right M; stop
process b = skip; choose x in {y in 0..1 where y <= t}; if t = 0 then stop else stop
Halt = stop
reachable known = b.t = 0`,
		// by what both have done, and the three ticks of t
		want:  counts{4 + 3, 4 + 3, 1, nil},
		holds: 1,
	}, {
		name: "who has an alternative to a stop has not stopped",
		spec: `topology line of 2
channel fifo, delay 1..1
message M
var x: 0..1
process a = send right M; stop
process b = B(0)
B(x) = skip; choose x; if x = 0 then stop else when x = 0: recv left M; stop
Halt = stop
reachable known = b at B`,
		want:  counts{5, 5, 0, nil}, // the last state is a timelock
		holds: 5,
	}} {
		t.Run(tt.name, func(t *testing.T) {
			for _, spec := range []string{tt.spec, halted.Replace(tt.spec)} {
				p := spectest.Instantiate(t, "protocol stops \"\"\n"+spec, nil)
				got := compare(t, p, compile.Options{}, 1000)
				if got.States != tt.want.States || got.Transitions != tt.want.Transitions ||
					got.TerminalStates != tt.want.TerminalStates {
					t.Errorf("%d states, %d transitions, %d terminal ones\n%s", got.States, got.Transitions,
						got.TerminalStates, spec)
				}
				if n := satisfying(t, p, 1000)[0]; n != tt.holds {
					t.Errorf("the property holds in %d states\n%s", n, spec)
				}
			}
		})
	}
}

// TestStopByNameRandom checks the same on random specs, for properties that do not name equations.
func TestStopByNameRandom(t *testing.T) {
	const limit = 2000
	tried, decided := 0, 0
	corpus := spectest.NewCorpus("fault: corrupting")
	for seed, src := range corpus.Specs(randomSpecs(), 13) {
		tried++
		src += "Halt = stop\nreachable x0 = exists p in node: p.x = 0\nreachable c0 = forall p in node: p.c = red or " +
			"not p.f\n"
		named := halted.Replace(src)
		if named == src {
			continue
		}
		decided++
		p, q := spectest.Instantiate(t, src, nil), spectest.Instantiate(t, named, nil)
		a, aerr := spectest.Explore(step.New(p, compile.Options{MaxMessages: 2}), limit)
		b, berr := spectest.Explore(step.New(q, compile.Options{MaxMessages: 2}), limit)
		if (aerr == nil) != (berr == nil) || aerr == nil && (len(a.States) != len(b.States) ||
			a.Transitions != b.Transitions) {
			t.Fatalf("seed %d: %d states, %d transitions, %v; by name %d, %d, %v\n%s",
				seed, len(a.States), a.Transitions, aerr, len(b.States), b.Transitions, berr, src)
		}
		if x, y := satisfying(t, p, limit), satisfying(t, q, limit); aerr == nil && (x[0] != y[0] || x[1] != y[1]) {
			t.Fatalf("seed %d: the properties hold in %v states; by name in %v\n%s", seed, x, y, src)
		}
		if aerr == nil {
			corpus.Use(t, src)
		}
	}
	if decided < tried/5 {
		t.Errorf("of %d specs %d decide to stop: the generator does not test what it should", tried, decided)
	}
	corpus.Check(t)
}

// satisfying returns in how many of the first states of p the last properties hold.
func satisfying(t *testing.T, p *ir.Protocol, limit int) []int {
	t.Helper()
	graph, err := spectest.Explore(step.New(p, compile.Options{MaxMessages: 2}), limit)
	if len(graph.States) == 0 {
		t.Fatal(err)
	}
	properties := p.Properties[max(0, len(p.Properties)-2):]
	n := make([]int, len(properties))
	for _, s := range graph.States {
		for i, property := range properties {
			if v, err := property.Body.Eval(p.NewEnv(s)); err == nil && v != 0 {
				n[i]++
			}
		}
	}
	return n
}

package compile_test

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// TestEnvironment compares faults and ticks with counts worked out by hand, with and without tables.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		want       counts
	}{{
		name: "one of two messages is lost", // by what was sent, received and lost
		spec: `topology directed ring of 2
channel fifo, lossy at most 1
message A
process p = if p = 0 then Send else Take
Send = send right A; Done
Take = recv left A; Done
Done = stop`,
		want: counts{4, 3, 2, nil}, // nothing, sent, received, lost
	}, {
		name: "a duplicate is received, too",
		spec: `topology directed ring of 2
channel unordered, duplicating at most 1
message A
process p = if p = 0 then Send else Take
Send = send right A; Done
Take = recv left A; Take
Done = stop`,
		// Before; then 0 or 1 duplicate: 1 or 0 messages left without it, 2, 1 or 0 with it.
		want: counts{1 + 2 + 3, 1 + 2 + 2, 2, nil},
	}, {
		name: "one of two processes crashes and begins again",
		spec: `topology directed ring of 2
crash at most 1 of p where p = 0 recover Again
process p = if p = 0 then Work else Done
Work = skip; Done
Again = skip; Done
Done = stop`,
		// Without a crash: Work and Done, where it can crash; then crashed, Again, Done.
		want: counts{5, 1 + 2 + 1 + 1, 1, nil},
	}, {
		name: "who begins again knows the own number",
		spec: `topology directed ring of 2
var me: node
event here(me: node)
crash at most 1 of p recover Again(p)
process p = Done
Again(me) = here(me); Done
Done = stop`,
		want: counts{1 + 2 + 2 + 1, 2 + 2 + 2, 1, nil}, // before the crash, crashed, recovered, and after the event
	}, {
		name: "both can crash, for good: nothing is counted",
		spec: `topology directed ring of 2
crash at most 2
process p = Work
Work = skip; Done
Done = stop`,
		want: counts{3 * 3, 2 * 3 * 3, 1, nil}, // a process works, is done or crashed: 3 ways to go on from the three
	}, {
		name: "a process crashes by chance, and begins again",
		spec: `topology directed ring of 2
var b: bool
register x: 0..2 = 1
timer t: 0..3 = 3
crash at most 0 recover Again
process p = if p = 0 then Work else Done
Work = draw b with 1/3; if b then crash else x := 2; Done
Again = skip; Done
Done = stop
reachable down = 0 crashed and 0.x = 1 and 0.t = 0`,
		// The clock of 0 runs only where it has not crashed, that of 1 always; 0 works and begins again at once. Work,
		// then Done with 2 and both clocks at 3, 2, 1, 0; or crashed, with the clock of 1 at 3, 2, 1, 0, and after each
		// of these Again, and Done until that clock has stopped.
		want: counts{1 + 4 + 4 + 4 + 4, 2 + 3 + 3 + 4 + 4 + 3, 2, nil},
	}, {
		name: "a timer rings",
		spec: `topology directed ring of 2
timer t: 0..3
event ring
process p = if p = 0 then Set else Done
Set = t := 3; Wait
Wait = when t = 0: ring; Done
Done = stop`,
		want: counts{1 + 4 + 1, 1 + 3 + 1, 1, nil},
	}, {
		name: "a message takes one or two ticks",
		spec: `topology directed ring of 2
channel fifo, delay 1..2
message A
process p = if p = 0 then Send else Take
Send = send right A; Done
Take = recv left A; Done
Done = stop`,
		want: counts{1 + 3 + 1, 1 + 2 + 2, 1, nil},
	}, {
		name: "what arrives at the deadline is taken first",
		spec: `topology directed ring of 2
channel fifo, delay 0..1
timer t: 0..1
message A
event late, timely
process p = if p = 0 then Send else Set
Send = send right A; Done
Set = t := 1; Take
Take = recv left A; timely; Done | when t = 0: late; Done
Done = stop`,
		want: counts{9, 10, 1, nil},
	}, {
		name: "or not",
		spec: `topology directed ring of 2
channel fifo, delay 0..1, racing
timer t: 0..1
message A
event late, timely
process p = if p = 0 then Send else Set
Send = send right A; Done
Set = t := 1; Take
Take = recv left A; timely; Done | when t = 0: late; Done
Done = stop`,
		want: counts{10, 12, 1, nil}, // a message that is not received in time is lost
	}} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, "protocol environment \"\"\n"+tt.spec, nil)
			got := compare(t, p, compile.Options{}, 1000)
			if got.States != tt.want.States || got.Transitions != tt.want.Transitions ||
				got.TerminalStates != tt.want.TerminalStates {
				t.Errorf("%d states, %d transitions, %d terminal ones; want %d, %d, %d", got.States, got.Transitions,
					got.TerminalStates,
					tt.want.States, tt.want.Transitions, tt.want.TerminalStates)
			}
		})
	}
}

// TestTimelock checks that time stops if a due message is not received and nothing else can happen.
func TestTimelock(t *testing.T) {
	p := spectest.Instantiate(t, `protocol lock ""
topology directed ring of 2
channel fifo, delay 1..2
message A, B
process p = if p = 0 then Send else Take
Send = send right A; Done
Take = recv left B; Done
Done = stop`, nil)
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = countCompiled(sys)
	var f *model.Error
	if !errors.As(err, &f) || !strings.Contains(f.Message, "timelock: the time of A in channel 0→1 (right) is up") {
		t.Errorf("got %v", err)
	}
}

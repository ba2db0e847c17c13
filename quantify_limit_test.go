package ringcheck_test

import (
	"fmt"
	"testing"

	"ringcheck"
)

// countedSpec counts in ghosts what rewards accumulate: messages, ticks, and the sum of what messages carry.
const countedSpec = `protocol counted "a message goes back and forth with a random delay, and may be lost"
topology complete graph of 2
channel fifo, lossy at most 1, delay 0..1
message M(v: 0..2)
event done
var v: 0..2
var again: bool
timer t: 0..2 = 0
ghost sent: 0..6 = 0
ghost carried: 0..6 = 0
process p = if p = 0 then Send else Echo
Send = draw v in 0..2; let sent = min(sent + 1, 6); let carried = min(carried + v, 6); send 1 M(v); let t = 2; Await
Await = recv 1 M(v); draw again with 1/4; if again then Send else done; Done
      | when t = 0: skip; Send
Echo = recv 0 M(v); let sent = min(sent + 1, 6); let carried = min(carried + v, 6); send 0 M(v); Echo
Done = stop
reward total = v per send M
define over = 0 at Done
`

// TestLimitedReward compares probabilities with a limit of a reward with those of goals that bound a ghost.
func TestLimitedReward(t *testing.T) {
	spec, err := ringcheck.Parse("counted.ring", []byte(countedSpec))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []ringcheck.Questions{{Unit: "messages"},
		{Quantities: []ringcheck.Quantity{{Until: "over", Unit: "messages", Scheduler: "max"}}}} {
		if _, err := ringcheck.Quantify(t.Context(), sys, ask, ringcheck.Search{}); err == nil {
			t.Errorf("%+v is answered", ask)
		}
	}
	between := 0
	for unit, count := range map[string]string{"messages": "0.sent + 1.sent", "total": "0.carried + 1.carried"} {
		for most := range 5 {
			limited, err := ringcheck.Quantify(t.Context(), sys, ringcheck.Questions{Until: "over", Within: []int{most},
				Unit: unit, Exact: true}, ringcheck.Search{})
			if err != nil {
				t.Fatal(err)
			}
			goal := fmt.Sprintf("over and %s <= %d", count, most)
			counted, err := ringcheck.Quantify(t.Context(), sys, ringcheck.Questions{Until: goal,
				Quantities: []ringcheck.Quantity{{Until: goal, Scheduler: "uniform"}, {Until: goal, Scheduler: "min"},
					{Until: goal, Scheduler: "max"}}, Exact: true}, ringcheck.Search{})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range limited.Results {
				if b := counted.Results[i]; a.Exact != b.Exact || a.Scheduler != b.Scheduler {
					t.Errorf("%d %s, %s: %s, want %s", most, unit, a.Scheduler, a.Exact, b.Exact)
				}
				if a.Low > 0 && a.High < 1 {
					between++
				}
			}
		}
	}
	if between < 10 {
		t.Errorf("only %d values between 0 and 1", between)
	}
}

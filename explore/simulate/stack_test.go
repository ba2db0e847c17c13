package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/step"
)

// piling has messages that cover older ones, while their receiver refuses some messages, or has ended.
const piling = `protocol piling
topology line of 2
channel lifo%s
%s
initially M(2), M(0) in inbox(1, left)
timer t: 0..2
message M(v: 0..2)
var i: 0..6
var x: 0..2
process p = if p = 0 then Source(0) else Sink
Source(i) = if i < 6 then draw x; send right M(x); Pause(i + 1) else stop
Pause(i) = draw x; let t = x; skip; when t = 0: Source(i)
Sink = recv left M(x); if x = 0 then Sink else if x = 1 then Busy else Last
Last = draw x; skip; if x = 0 then stop else Sink
Busy = let t = 2; skip; Rest
Rest = recv left M(0); Rest | when t = 0: Sink
`

// TestStacks checks the steps of many runs over stacks, which often end with a timelock.
func TestStacks(t *testing.T) {
	for _, channel := range []string{
		"", ", lossy at most 1, duplicating at most 1", ", delay 0..0", ", delay 0..1", ", delay 0..2", ", delay 1..2",
		", lossy at most 2, duplicating at most 2, delay 0..2", ", lossy, delay 0..2",
	} {
		for _, crash := range []string{"", "crash at most 2 of p where p = 1 recover Sink"} {
			p := spectest.Instantiate(t, fmt.Sprintf(piling, channel, crash), nil)
			m := step.New(p, step.Options{})
			for _, schedule := range []simulate.Schedule{simulate.Uniform, simulate.Timed} {
				sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{Schedule: schedule,
					FaultRate: 0.2})
				if err != nil {
					t.Fatal(err)
				}
				r := sys.NewRun()
				for seed := range uint64(100) {
					if err := r.Reset(rand.New(rand.NewPCG(seed, 1))); err != nil {
						t.Fatal(err)
					}
					follow(t, "random"+channel, m, r)
				}
			}
		}
	}
}

package export

import (
	"fmt"
	"os/exec"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
)

// Every item comes back from a server through two stacks. The counts of this and of a model in Promela that was written
// by hand, with arrays as stacks, agree.
const stacks = `protocol stacks
param n: 1..9
topology line of 2
channel lifo
var i: 0..n
var x: 1..n
message Item(x: 1..n)
process p = if p = 0 then Client(0) else Server
Client(i) = when i < n: send right Item(i + 1); Client(i + 1) | recv right Item(x); Client(i)
Server = recv left Item(x); send left Item(x); Server
`

const stackModel = `#define N %d
byte i, held, na, nb;
byte a[N], b[N];
active proctype client() {
end: do
  :: d_step { i < N -> i++; a[na] = i; na++ }
  :: d_step { nb > 0 -> nb--; b[nb] = 0 }
  od
}
active proctype server() {
end: do
  :: d_step { held == 0 && na > 0 -> na--; held = a[na]; a[na] = 0 }
  :: d_step { held > 0 -> b[nb] = held; nb++; held = 0 }
  od
}
`

// TestStacks compares counts over stacks with those of SPIN, if installed.
func TestStacks(t *testing.T) {
	spin, err := exec.LookPath("spin")
	largest := 2
	switch {
	case err != nil || testing.Short():
		largest = 0
	case testlevel.Gate():
		largest = 7
	}
	for _, want := range []struct{ n, states, transitions uint64 }{
		{1, 5, 4}, {2, 21, 27}, {3, 84, 135}, {4, 334, 605}, {5, 1345, 2600}, {6, 5520, 11046}, {7, 23096, 47048},
	} {
		r := count(t, spectest.Instantiate(t, stacks, map[string]string{"n": fmt.Sprint(want.n)}))
		if r.States != want.states || r.Transitions != want.transitions {
			t.Errorf("n = %d: %d states and %d transitions, want %d and %d", want.n, r.States, r.Transitions,
				want.states, want.transitions)
		}
		if want.n > uint64(largest) {
			continue
		}
		model := pan{t: t, dir: t.TempDir()}
		model.compile(spin, fmt.Sprintf(stackModel, want.n), "-DNOCLAIM")
		if states, transitions := model.count(); states != want.states || transitions != want.transitions {
			t.Errorf("n = %d: SPIN has %d states and %d transitions, want %d and %d", want.n, states, transitions,
				want.states, want.transitions)
		}
	}
}

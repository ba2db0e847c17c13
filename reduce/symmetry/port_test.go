package symmetry_test

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/symmetry"
)

// TestPorts compares specs in which processes name their neighbours by port with those in which they name them by
// number: they have the same counts, and only the latter have all permutations of the network.
func TestPorts(t *testing.T) {
	for _, test := range []struct {
		topology    string
		n, kept     int    // processes, and permutations that keep ports; 1 for none but the identity
		permutation int    // all permutations of the network that keep process 0
		process     string // the kinds of the processes
	}{
		{"star of n", 4, 1, 6, "process hub = Begin(X(0))\nprocess leaf[p in 1..n - 1] = Begin(X(p))"},
		{"complete graph of n", 4, 1, 6, "process hub = Ask(X(0))\nprocess leaf[p in 1..n - 1] = Wait(X(p))"},
		{"complete graph of n", 3, 3, 6, "process p = Begin(X(p))"},
		{"hypercube of 2", 4, 4, 8, "process p = Begin(X(p))"},
		{"graph of n with p -> q if p = 0", 4, 1, 6, "process p = if p = 0 then Ask(X(p)) else Wait(X(p))"},
	} {
		t.Run(test.topology, func(t *testing.T) {
			const text = `protocol names
param n: 2..4 = %d
topology %s
channel unordered of 1
message M
var i: %s
var s: set of %[3]s
event done
%s
Begin(s) = Ask(s) | Wait(s)
Ask(s) = choose i in s; send i M; if s = {i} then Wait({}) else Ask(s minus {i})
Wait(s) = recv i M; Got(s, i)
Got(s, i) = when i in s: done; Wait(s minus {i}) | when not i in s: Wait(s union {i})
`
			network := test.topology
			ports := fmt.Sprintf(text, test.n, "anonymous "+network, fmt.Sprintf("1..%d", test.n-1), test.process)
			if strings.HasPrefix(network, "hypercube") {
				ports = strings.ReplaceAll(ports, "1..3", "1..2")
			}
			byPort := compiled(t, strings.ReplaceAll(ports, "X(", "ports("), nil)
			numbers := fmt.Sprintf(text, test.n, network, "node", test.process)
			byNumber := compiled(t, strings.ReplaceAll(numbers, "X(", "neighbours("), nil)
			want := systemtest.Run(t, byPort, explore.Options{})
			q, err := symmetry.Permutation(t.Context(), byNumber)
			if err != nil {
				t.Fatal(err)
			}
			if q.Order() != test.permutation {
				t.Errorf("%d permutations by number, want %d", q.Order(), test.permutation)
			}
			got := systemtest.Run(t, q, explore.Options{})
			if got.States != want.States || got.Transitions != want.Transitions || got.Stored >= want.States {
				t.Errorf("by number %d states, %d transitions, %d orbits; by port %d, %d", got.States, got.Transitions,
					got.Stored, want.States, want.Transitions)
			}
			q, err = symmetry.Permutation(t.Context(), byPort)
			why := fmt.Sprint(err)
			if err == nil {
				why = fmt.Sprint(q.Breaks())
				if q.Order() != test.kept {
					t.Errorf("%d permutations by port, want %d", q.Order(), test.kept)
				}
			} else if test.kept > 1 {
				t.Error(err)
			}
			if !strings.Contains(why, "by port") {
				t.Errorf("ports are not mentioned: %s", why)
			}
		})
	}
}

package ringcheck_test

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck"
)

// TestGuardedBeginning checks that a process that begins with "when" waits until the condition is true, as one that
// begins with a call of an equation that does.
func TestGuardedBeginning(t *testing.T) {
	const text = `protocol guarded
topology undirected ring of 3
event done
timer t: 0..3 = 2
register r: bool = false
process p = BODY
`
	for _, body := range []string{
		"when t = 0: done; stop",
		"when not left.r: r := true; done; stop",
		"when not left.r: if t > 1 then r := true; stop else done; stop",
		"when self = 1: skip; when left.r: done; stop",
	} {
		var counts [2]string
		for i, declaration := range []string{body, "A\nA = " + body} {
			spec, err := ringcheck.Parse("guarded.ring", []byte(strings.Replace(text, "BODY", declaration, 1)))
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			sys, err := spec.System(nil)
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			r, err := ringcheck.Explore(t.Context(), sys, ringcheck.Search{})
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			counts[i] = fmt.Sprint(r.States, " ", r.Transitions)
		}
		if counts[0] != counts[1] || counts[0] == "1 0" {
			t.Errorf("%s: states and transitions are %s, with an equation %s", body, counts[0], counts[1])
		}
	}
}

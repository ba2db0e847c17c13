package symmetry_test

import (
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
)

// TestComposed checks that the orbits of a reduced system add up to the reduced system.
func TestComposed(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=2 order=left"},
		{"franklin", "n=3 k=2 order=left"},
		{"franklin", "n=4 k=2 order=left"},
		{"franklin", "n=3 k=2 announce=true"},
		{"dkr", "n=3 k=2"},
		{"itai-rodeh", "n=4 k=2"},
		{"chang-roberts", "n=4"},
	} {
		t.Run(tt.spec+","+strings.ReplaceAll(tt.settings, " ", ","), func(t *testing.T) {
			prioritized := confluence.Prioritize(open(t, tt.spec, tt.settings), confluence.Options{})
			skipLarge(t, prioritized)
			q := rotation(t, prioritized)
			compareCounts(t, prioritized, q)
			plain := systemtest.Run(t, representative.Reduce(prioritized, representative.Options{}), explore.Options{})
			orbits := systemtest.Run(t, representative.Reduce(q, representative.Options{}), explore.Options{})
			if orbits.States != plain.States || orbits.Transitions != plain.Transitions ||
				orbits.TerminalStates != plain.TerminalStates {
				t.Errorf("representatives by orbits: %d states, %d transitions, %d terminal states; plain: %d, %d, %d",
					orbits.States,
					orbits.Transitions, orbits.TerminalStates, plain.States, plain.Transitions, plain.TerminalStates)
			}
		})
	}
}

package symmetry_test

import (
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/symmetry"
)

// TestDihedral: orbits under rotation and reflection add up to the system, and are fewer than under rotation.
func TestDihedral(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=2"},
		{"franklin", "n=2 k=3"},
		{"franklin", "n=3 k=2"},
		{"franklin", "n=3 k=2 channel=fifo"},
		{"franklin", "n=3 k=2 bits=false"},
		{"franklin", "n=3 k=2 fresh=clash"},
		{"franklin", "n=4 k=2"},
	} {
		t.Run(strings.ReplaceAll(tt.spec+" "+tt.settings, " ", ","), func(t *testing.T) {
			sys := confluence.Prioritize(open(t, tt.spec, tt.settings), confluence.Options{})
			q, err := symmetry.Dihedral(t.Context(), sys)
			if err != nil {
				t.Fatal(err)
			}
			r := compareCounts(t, sys, q)
			turns, err := symmetry.Rotation(t.Context(), sys)
			if err != nil {
				t.Fatal(err)
			}
			rotated := run(t, turns, explore.Options{}).Stored
			t.Log(r.States, rotated, r.Stored)
			if r.Stored >= rotated {
				t.Errorf("%d states stored, by rotation alone %d", r.Stored, rotated)
			}
		})
	}
}

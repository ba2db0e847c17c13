package examples

import (
	"path/filepath"
	"testing"

	"ringcheck"
)

// TestDefaults: as they stand, the specs say where they are from and how to draw them, their properties hold, and say something.
func TestDefaults(t *testing.T) {
	paths, err := filepath.Glob("*.ring")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			spec, err := ringcheck.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Source == "" || spec.Doc == "" || len(spec.Warnings) > 0 {
				t.Errorf("source %q, description %q, warnings %v", spec.Source, spec.Doc, spec.Warnings)
			}
			sys, err := spec.System()
			if err != nil {
				t.Fatal(err)
			}
			report, err := ringcheck.Check(t.Context(), sys)
			if err != nil {
				t.Fatal(err)
			}
			if report.Holds == nil || !*report.Holds {
				t.Errorf("%v", report)
			}
			for _, p := range report.Properties {
				if len(p.Warnings) > 0 {
					t.Errorf("%s: %v", p.Name, p.Warnings)
				}
			}
		})
	}
}

// TestFacts: what is known of the protocols, and what becomes of them when something is changed.
func TestFacts(t *testing.T) {
	for _, tt := range []struct{ spec, settings, violated string }{
		// The smallest K of Dijkstra's ring is n - 1.
		{"dijkstra", "n=3 k=2", ""},
		{"dijkstra", "n=4 k=2", "stable"},
		{"dijkstra", "n=4 k=3", ""},
		{"dijkstra", "n=5 k=3", "stable"},
		{"dijkstra", "n=5 k=4", ""},

		// If all philosophers are alike, they can starve; one that is not is enough.
		{"dining-philosophers", "n=3 right_first=0", "no_deadlock somebody everybody"},
		{"dining-philosophers", "n=3 right_first=3", "no_deadlock somebody everybody"},
		{"dining-philosophers", "n=5", ""},

		// Without its disk a server votes twice.
		{"raft-election", "terms=1", ""},
		{"raft-election", "terms=1 disk=false", "safe"},
		{"raft-election", "terms=1 disk=false crashes=0", ""},

		{"bully", "crashes=0", ""},
		{"bully", "crashes=2", ""},
		{"bully", "n=2 tau=3", ""},

		// Peterson's algorithm needs queues, from four processes on.
		{"peterson", "n=4", ""},
		{"peterson", "n=3 channel=unordered", ""},
		{"peterson", "n=4 channel=unordered", "largest decided"},

		{"synchronous-ring", "n=2 smallest=4", ""},
		{"synchronous-ring", "n=5 smallest=1", ""},

		// Le Lann's lists are complete only if identities do not overtake each other.
		{"le-lann", "n=4", ""},
		{"le-lann", "channel=unordered", "least elected always_one"},

		// A sender that is too impatient is still right.
		{"alternating-bit", "patience=4 losses=2", ""},
		{"alternating-bit", "patience=3", "bounded"},

		{"token-ring", "losses=1", "no_deadlock served"},
		{"chang-roberts-crash", "crashes=3 channel=unordered", ""},
		{"itai-rodeh-rounds", "channel=fifo rounds=4", ""},
		{"paxos", "acceptors=2 ballots=4", ""},
		{"paxos", "proposers=1 acceptors=2", ""},
		{"two-phase-commit", "m=3", ""},
		{"ricart-agrawala", "n=3", ""},
		{"echo", "w=3", ""},
	} {
		if got := verdicts(t, tt.spec, tt.settings); got != tt.violated {
			t.Errorf("%s %s: violated: %q; want %q", tt.spec, tt.settings, got, tt.violated)
		}
	}
}

// Package examples holds specs of well-known protocols, and programs that use the checker as a library.
package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
)

func instance(t *testing.T, name, settings string) *ir.Protocol {
	t.Helper()
	src := filetest.Read(t, name+".ring")
	return spectest.Instantiate(t, string(src), spectest.Settings(settings))
}

// searched counts the states of a spec with the checker.
func searched(t *testing.T, name, settings string) count {
	t.Helper()
	r, err := explore.Run(t.Context(), spectest.Compile(t, instance(t, name, settings)), explore.Options{})
	if err != nil || !r.Complete() {
		t.Fatalf("%s %s: %v, fault %v, error %v", name, settings, r.Stop, r.ModelError, err)
	}
	return count{int(r.States), int(r.Transitions), int(r.TerminalStates)}
}

// TestCounts compares the specs with machines that were written by hand from their sources.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		spec, settings string
		machine        counted
	}{
		{"abd", "servers=2", abd(1, 2, 1, 1, true)},
		{"abd", "servers=2 reads=2", abd(1, 2, 1, 2, true)},
		{"abd", "servers=2 writes=2 back=false", abd(1, 2, 2, 1, false)},
		{"abd", "servers=1 readers=2", abd(2, 1, 1, 1, true)},
		{"alternating-bit", "", alternatingBit(2, 1, 1, 5)},
		{"alternating-bit", "losses=2 duplicates=0 patience=3", alternatingBit(2, 2, 0, 3)},
		{"buffer", "", buffer(1, 2)},
		{"buffer", "size=3 d=3", buffer(3, 3)},
		{"bully", "crashes=0", bully(3, 1, 0)},
		{"bully", "crashes=2", bully(3, 1, 2)},
		{"bully", "n=2 tau=2", bully(2, 2, 1)},
		{"chang-roberts-crash", "", changRoberts(3, 1, true)},
		{"chang-roberts-crash", "crashes=2 channel=unordered", changRoberts(3, 2, false)},
		{"dijkstra", "n=3 k=2", dijkstra(3, 2)},
		{"dijkstra", "n=4 k=3", dijkstra(4, 3)},
		{"dining-philosophers", "", philosophers(4, 1)},
		{"dining-philosophers", "n=3 right_first=0", philosophers(3, 0)},
		{"echo", "w=2 h=2", echo(2, 2)},
		{"echo", "w=3 h=1", echo(3, 1)},
		{"filter-lock", "n=2", filterLock(2)},
		{"filter-lock", "", filterLock(3)},
		{"franklin-unoriented", "", franklinUnoriented(3, 2)},
		{"franklin-unoriented", "k=3", franklinUnoriented(3, 3)},
		{"go-back-n", "", goBackN(1, 2, 2, 1, 5, true)},
		{"go-back-n", "w=2 numbers=3 patience=3", goBackN(2, 2, 3, 1, 3, true)},
		{"go-back-n", "w=3 d=1 numbers=4", goBackN(3, 1, 4, 1, 5, true)},
		{"go-back-n", "w=2 numbers=3 resend=false", goBackN(2, 2, 3, 1, 5, false)},
		{"itai-rodeh-rounds", "", itaiRodeh(3, 2, 2, false)},
		{"itai-rodeh-rounds", "k=3 channel=fifo rounds=3", itaiRodeh(3, 3, 3, true)},
		{"le-lann", "", leLann(3)},
		{"milner-scheduler", "n=3", milner(3)},
		{"milner-scheduler", "n=5", milner(5)},
		{"paxos", "acceptors=2 ballots=3", paxos(2, 2, 3)},
		{"../specs/peterson", "n=3", peterson(3, true)},
		{"../specs/peterson", "n=4", peterson(4, true)},
		{"../specs/peterson", "n=3 channel=unordered", peterson(3, false)},
		{"raft-election", "losses=0 crashes=0", raft(3, 2, 0, 0)},
		{"raft-election", "terms=1 losses=1 crashes=1", raft(3, 1, 1, 1)},
		{"raft-log", "n=2 length=2", raftLog(2, 2, 2, 0, false)},
		{"raft-log", "n=2 terms=3 earlier=true", raftLog(2, 3, 1, 0, true)},
		{"raft-log", "terms=1 crashes=1", raftLog(3, 1, 1, 1, false)},
		{"ricart-agrawala", "rounds=2", ricartAgrawala(2, 2)},
		{"ricart-agrawala", "n=3", ricartAgrawala(3, 1)},
		{"suzuki-kasami", "", suzukiKasami(2, 1)},
		{"suzuki-kasami", "rounds=2", suzukiKasami(2, 2)},
		{"suzuki-kasami", "n=3", suzukiKasami(3, 1)},
		{"synchronous-ring", "", synchronousRing(3, 2)},
		{"synchronous-ring", "n=4 smallest=1", synchronousRing(4, 1)},
		{"token-ring", "", tokenRing(3, 0)},
		{"token-ring", "n=4 losses=1", tokenRing(4, 1)},
		{"two-phase-commit", "", twoPhaseCommit(2, 1)},
		{"two-phase-commit", "m=3 crashes=0", twoPhaseCommit(3, 0)},
	} {
		t.Run(tt.spec+" "+tt.settings, func(t *testing.T) {
			if got, want := searched(t, tt.spec, tt.settings), tt.machine.count(); got != want {
				t.Errorf("%v, by hand %v", got, want)
			}
		})
	}
}

// TestAllAreCounted checks that every spec has a machine written by hand.
func TestAllAreCounted(t *testing.T) {
	paths, err := filepath.Glob("*.ring")
	if err != nil {
		t.Fatal(err)
	}
	text := filetest.Read(t, "ring_test.go")
	for _, path := range paths {
		if name := strings.TrimSuffix(path, ".ring"); !strings.Contains(string(text), `{"`+name+`", `) {
			t.Errorf("no hand-written model confirms the counts of %s", path)
		}
	}
}

package hunt_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"ringcheck"
	"ringcheck/internal/test/testlevel"
	"ringcheck/verify/hunt"
)

var (
	only = flag.String("kind", "", "hunt with this kind of strategy only")
	seed = flag.Uint64("seed", 1, "of the hunts")
	most = flag.Uint64("most", 100_000_000, "states of a hunt")
)

// A planted bug is a spec with some of its text replaced.
type planted struct {
	name     string
	spec     string
	edits    []string // old, new, …
	property string
	set      ringcheck.Set
}

var bugs = []planted{
	{"raft-commits-earlier", "../../examples/raft-log.ring", nil, "complete",
		ringcheck.Set{"n": 3, "terms": 4, "length": 2, "earlier": true}},
	{"raft-votes-for-shorter-log", "../../examples/raft-log.ring", []string{
		"last > term_at(l, entries_in(l)) or ",
		"last > term_at(l, entries_in(l)) or len < entries_in(l) or ",
	}, "complete", ringcheck.Set{"n": 5, "terms": 2, "length": 2}},
	{"raft-compares-length-only", "../../examples/raft-log.ring", []string{
		"last > term_at(l, entries_in(l)) or last = term_at(l, entries_in(l)) and ",
		"",
	}, "complete", ringcheck.Set{"n": 3, "terms": 3, "length": 2}},
	{"raft-no-check-of-previous", "../../examples/raft-log.ring", []string{
		"t >= term and term_at(entries, i - 1) = last",
		"t >= term",
	}, "", ringcheck.Set{"n": 3, "terms": 3, "length": 2}},
	{"raft-forgets-vote", "../../examples/raft-log.ring", []string{
		"recover Follower(p)",
		"recover Forget(p)",
		"Follower(me) =\n",
		"Forget(me) = voted := 0; Follower(me)\n\nFollower(me) =\n",
	}, "", ringcheck.Set{"n": 5, "terms": 2, "length": 1, "crashes": 1}},
	{"raft-counts-itself-twice", "../../examples/raft-log.ring", []string{
		"majority(1 + (count",
		"majority(min(n, 2 + (count",
		"match[q] >= i)):",
		"match[q] >= i))):",
	}, "complete", ringcheck.Set{"n": 5, "terms": 2, "length": 1}},
	{"raft-old-votes-count", "../../examples/raft-election.ring", []string{
		"recv q Vote(term)",
		"recv q Vote(_)",
	}, "safe", ringcheck.Set{"n": 5, "terms": 3, "losses": 0, "crashes": 0}},
	{"raft-no-disk", "../../examples/raft-election.ring", nil, "safe",
		ringcheck.Set{"n": 5, "terms": 2, "losses": 0, "crashes": 1, "disk": false}},
	{"paxos-breaks-promise", "../../examples/paxos.ring", []string{
		"recv q Accept(b, w) where b >= seen",
		"recv q Accept(b, w)",
	}, "agreement", ringcheck.Set{"proposers": 3, "acceptors": 5, "ballots": 3}},
	{"paxos-takes-any-value", "../../examples/paxos.ring", []string{
		"where last > best",
		"where last > 0",
		"where last <= best",
		"where last = 0",
	}, "agreement", ringcheck.Set{"proposers": 2, "acceptors": 5, "ballots": 4}},
	{"paxos-half-is-enough", "../../examples/paxos.ring", []string{
		"2 * size(s) > acceptors",
		"2 * size(s) >= acceptors",
	}, "agreement", ringcheck.Set{"proposers": 2, "acceptors": 4, "ballots": 2}},
	{"dkr-no-rounds", "dkr", nil, "",
		ringcheck.Set{"n": 8, "k": 2, "modulus": 1}},
	{"dkr-rounds-modulo-2", "dkr", nil, "",
		ringcheck.Set{"n": 5, "k": 3, "modulus": 2}},
	{"peterson-wrong-maximum", "peterson", []string{
		"i >= max(tid, j)",
		"i >= tid",
	}, "", ringcheck.Set{"n": 8, "ids": "any"}},
	{"peterson-unordered", "peterson", nil, "unique",
		ringcheck.Set{"n": 7, "channel": "unordered"}},
	{"franklin-no-bits", "franklin", nil, "",
		ringcheck.Set{"n": 8, "k": 2, "bits": false}},
	{"itai-rodeh-flag", "itai-rodeh", []string{
		"send right M(id, round, h + 1, false)",
		"send right M(id, round, h + 1, true)",
	}, "unique", ringcheck.Set{"n": 9, "k": 3}},
	{"itai-rodeh-rounds-late", "../../examples/itai-rodeh-rounds.ring", []string{
		"where r > round or r = round and i > id",
		"where r >= round and i > id",
	}, "", ringcheck.Set{"n": 7, "k": 2, "rounds": 3}},
	{"chang-roberts-lets-pass", "chang-roberts", []string{
		"where i < id; Active(id)",
		"where i < id; send right Token(i); Active(id)",
	}, "largest", ringcheck.Set{"n": 16, "ids": "descending"}},
	{"ricart-agrawala-slow-clock", "../../examples/ricart-agrawala.ring", []string{
		"send q Reply; Ask(max(clock, theirs), ours",
		"send q Reply; Ask(clock, ours",
		"Critical(max(clock, theirs)",
		"Critical(clock",
	}, "exclusive", ringcheck.Set{"n": 4, "rounds": 2}},
	{"bully-impatient", "../../examples/bully.ring", []string{
		"2 * tau + 1",
		"2 * tau - 1",
	}, "one", ringcheck.Set{"n": 5, "tau": 2, "crashes": 1}},
	{"randomized-two-leaders", "randomized", []string{
		"| recv q Potw where q != cur; send q Nak; Safe(cur, cp, w, wp)",
		"| recv q Potw where q != cur; Safe(cur, cp, w, wp)",
		"Safe(cur, cp, q, i)\n  | recv q Req(i) where i < cp or i < wp; send q Nak; Safe",
		"Safe(cur, cp, q, i)\n  | recv q Req(i) where i < cp or i < wp; send q Ack; Safe",
	}, "one", ringcheck.Set{"n": 3, "c": 3, "rounds": 0, "quorum": 2}},
}

// open returns the spec with the bug.
func (b *planted) open(t *testing.T) *ringcheck.Spec {
	t.Helper()
	spec, err := ringcheck.Open(b.spec)
	if err != nil {
		t.Fatal(err)
	}
	text := string(spec.Text)
	for i := 0; i < len(b.edits); i += 2 {
		if !strings.Contains(text, b.edits[i]) {
			t.Fatalf("%s: there is no %q", b.name, b.edits[i])
		}
		text = strings.ReplaceAll(text, b.edits[i], b.edits[i+1])
	}
	if spec, err = ringcheck.Parse(b.spec, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestHunts hunts all planted bugs.
func TestHunts(t *testing.T) {
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST")
	}
	defer hunt.Only(*only)()
	for _, b := range bugs {
		if strings.HasPrefix(b.name, "r") && !testlevel.Long() {
			continue // each of these takes minutes
		}
		t.Run(b.name, func(t *testing.T) {
			search := ringcheck.Search{Workers: 2, Memory: 1 << 30, MaxStates: *most}
			var names []string
			if b.property != "" {
				names = []string{b.property}
			}
			sys, err := b.open(t).System(b.set)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			run, r, err := ringcheck.Hunt(t.Context(), sys, names, *seed, search)
			if err != nil {
				t.Fatal(err)
			}
			if run == nil {
				fmt.Printf("%-28s nothing %8.1f s %d states, deepest %d\n",
					b.name, time.Since(begin).Seconds(), r.States, r.Deepest)
				t.Error("nothing found")
				return
			}
			fmt.Printf("%-28s %-12s %-10s %4d %4d %8.1f s %10d states\n", b.name, r.By, run.Property, r.Found,
				run.Length(), time.Since(begin).Seconds(), r.States)
		})
	}
}

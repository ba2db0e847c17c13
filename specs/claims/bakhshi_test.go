package claims

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/testlevel"
	"ringcheck/verify"
)

// Sect. 3: "Round Numbers Modulo 2 are Needed": a run in which no leader is elected, "for a ring of size three
// and three identities". It is so; but two identities suffice for a ring of three, and a ring of two fails with
// three identities. Two leaders there are never.
func TestSection3RoundNumbersAreNeeded(t *testing.T) {
	fails(t, "elected election", "franklin",
		"n=3 k=3 bits=false", "n=3 k=2 bits=false", "n=2 k=3 bits=false", "n=3 k=3 bits=false order=left")
	holds(t, "franklin", "n=2 k=2 bits=false")
}

// Sect. 3: how it fails: "all processes have become passive now". There are no messages any more then.
func TestSection3AllPassive(t *testing.T) {
	const property = `
terminal result "one leader, or nothing at all" =
    (count p in node: leads(p)) = 1
    or (forall p in node: not leads(p) and not p at A1 and not p at Round and not p at A2) and messages = 0
`
	r := instance{spec: "franklin", settings: "n=3 k=3 bits=false order=left", properties: property}.check(t, "result")
	if got := violated(r); got != "" {
		t.Errorf("violated: %s", got)
	}
}

// Sect. 4: "an execution of the algorithm has terminated if each process is either passive or elected as the
// leader, and there are no remaining messages in the channels". In no terminal state there is none: the leader's
// other own message is left. Everything else is as it says.
func TestSection4OneMessageRemains(t *testing.T) {
	const property = `
terminal silent "no messages remain" = messages = 0
`
	for _, settings := range grid(3, 3, "") {
		r := instance{spec: "franklin", settings: settings, properties: property}.check(t, "silent", "elected")
		if v := verdict(r); v.Count != r.Search.TerminalStates || v.Count == 0 {
			t.Errorf("%s: %d of %d terminal states have messages, want all", settings, v.Count, r.Search.TerminalStates)
		}
		if got := violated(r); got != "silent" {
			t.Errorf("%s: violated: %s", settings, got)
		}
	}
}

// Sect. 4, Proposition 1: with FIFO channels the algorithm is correct, with round numbers or without.
func TestProposition1(t *testing.T) {
	holds(t, "franklin", grid(3, 3, "channel=fifo bits=false")...)
	holds(t, "franklin", grid(3, 2, "channel=fifo bits=true")...)
	holds(t, "franklin", "n=3 k=2 channel=fifo bits=false order=left")
	if !testing.Short() {
		holds(t, "franklin", "n=4 k=2 channel=fifo bits=false", "n=4 k=2 channel=fifo")
	}
}

// Sect. 4, Lemma 1, read as the spec says that it must be read.
func TestLemma1(t *testing.T) {
	settings := grid(3, 3, "")
	if !testing.Short() {
		settings = append(settings, "n=4 k=2")
	}
	if testlevel.Gate() {
		settings = append(settings, "n=4 k=3", "n=5 k=2")
	}
	if testlevel.Long() {
		settings = append(settings, "n=5 k=3")
	}
	for _, s := range settings {
		t.Run(s, func(t *testing.T) {
			if got := violated(instance{spec: "franklin", settings: s}.check(t, "lemma1")); got != "" {
				t.Errorf("violated: %s", got)
			}
		})
	}
}

// Sect. 4, Lemma 1, to the letter: "between each pair of active processes there are exactly two messages". If a message
// is counted only while it is in a channel, this is violated as soon as one has been received. (There a step is a whole
// round of a process: to receive two messages and to send two, or none.)
func TestLemma1Literally(t *testing.T) {
	const property = `
define between(p, d: 1..n) =
    (count e in 1..d, m in inbox(after(p, e), left): m.hop > 0)
    + (count e in 0..d - 1, m in inbox(after(p, e), right): m.hop > 0)
invariant literally "two messages in the channels between adjacent active processes that have sent theirs" =
    forall p in node, d in 1..n:
        adjacent(p, d) and not p at A1 and not p at Round and not after(p, d) at A1 and not after(p, d) at Round
        => between(p, d) = 2
`
	i := instance{spec: "franklin", settings: "n=3 k=2", properties: property}
	sys := i.compile(t)
	p := find(t, sys, "literally")
	run, _, err := verify.Verifier{System: sys}.Counterexample(t.Context(), sys.Protocol().Properties,
		explore.Options{})
	if err != nil || run == nil || run.Property != p {
		t.Fatalf("run %v, error %v", run, err)
	}
	last := run.Moves[len(run.Moves)-1]
	if label := sys.Label(last.Step.Label).Text; label[:5] != "recv(" {
		t.Errorf("it is violated by %s, not by a receipt", label)
	}
}

// Sect. 4, Theorem 1: over channels that are not FIFO, "upon termination, exactly one leader has been elected";
// and Theorem 2: it "terminates with probability one": from every state a leader can still be elected, and draws
// are fair.
func TestTheorems1And2(t *testing.T) {
	holds(t, "franklin", grid(3, 3, "")...)
	if !testing.Short() {
		holds(t, "franklin", "n=4 k=2")
	}
	if testlevel.Long() {
		holds(t, "franklin", "n=4 k=3", "n=5 k=2", "n=5 k=3")
	}
}

// Sect. 5: to read always from the left first "does not really influence the behaviour of the algorithm".
func TestSection5ReadLeftFirst(t *testing.T) {
	holds(t, "franklin", grid(3, 3, "order=left")...)
}

// Sect. 6: Algorithm B, in which a process draws only after a clash, is correct too.
func TestSection6AlgorithmB(t *testing.T) {
	holds(t, "franklin", grid(3, 3, "fresh=clash")...)
	if !testing.Short() {
		holds(t, "franklin", "n=4 k=2 fresh=clash")
	}
}

// Sect. 8: round numbers modulo 2 do not suffice for the algorithm of Dolev, Klawe and Rodeh. The smallest ring
// that shows it has five processes and three identities.
func TestSection8Flaw(t *testing.T) {
	holds(t, "dkr", grid(4, 2, "")...)
	holds(t, "dkr", "n=3 k=3")
	if testing.Short() {
		return
	}
	holds(t, "dkr", "n=4 k=3")
	if !testlevel.Long() {
		return
	}
	holds(t, "dkr", "n=5 k=2")
	fails(t, "elected election", "dkr", "n=5 k=3")
}

// Sect. 8: FIFO channels repair it, and then round numbers are not needed at all.
func TestSection8FIFO(t *testing.T) {
	holds(t, "dkr", grid(4, 3, "channel=fifo")...)
	holds(t, "dkr", grid(4, 2, "channel=fifo modulus=1")...)
	if testlevel.Long() {
		holds(t, "dkr", "n=5 k=3 channel=fifo")
	}
}

// TestSection8SmallestModulus: the smallest modulus of round numbers with which the algorithm is correct, for
// three identities: 2 on rings of three and four, 3 on a ring of five.
func TestSection8SmallestModulus(t *testing.T) {
	want := map[string]string{"n=3": "2", "n=4": "2", "n=5": "3"}
	for n, modulus := range want {
		if n == "n=4" && testing.Short() || n == "n=5" && !testlevel.Long() {
			continue
		}
		if got := smallestModulus(t, n+" k=3"); got != modulus {
			t.Errorf("%s: %s, want %s", n, got, modulus)
		}
	}
}

func smallestModulus(t *testing.T, settings string) string {
	t.Helper()
	for _, modulus := range []string{"1", "2", "3", "4"} {
		if correct(t, instance{spec: "dkr", settings: settings + " modulus=" + modulus}) {
			return modulus
		}
	}
	return "none"
}

// correct reports whether there is no counterexample; a search ends with the first.
func correct(t *testing.T, i instance) bool {
	t.Helper()
	sys := i.compile(t)
	run, r, err := verify.Verifier{System: sys}.Counterexample(t.Context(), sys.Protocol().Properties,
		explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if run == nil && !r.Holds() {
		t.Fatalf("%s: %v", i.settings, r.Search.Stop)
	}
	return run == nil
}

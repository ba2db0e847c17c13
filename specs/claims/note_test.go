package claims

import "testing"

// Sect. 2, step 4 and Sect. 3, Theorem 1: with FIFO channels, and without round numbers, one process ends as
// leader, and all others as nonleader.
func TestNoteTheorem1(t *testing.T) {
	holds(t, "franklin", "n=2 k=2 announce=true channel=fifo bits=false",
		"n=2 k=3 announce=true channel=fifo bits=false",
		"n=3 k=2 announce=true channel=fifo bits=false")
}

// For Theorem 1 the leader must go on receiving after it has been elected, which the note does not say: over
// FIFO channels its announcement would get stuck behind the leader's other own message.
func TestNoteTheorem1LateMessages(t *testing.T) {
	r := instance{
		spec: "franklin", settings: "n=2 k=2 announce=true channel=fifo",
		without: "  | recv _ M(_, _, _); Herald\n",
	}.check(t, "announced")
	if got := violated(r); got != "announced" {
		t.Errorf("violated: %q, want announced", got)
	}
}

// Sect. 3, Theorem 2 is Lemma 1 of Bakhshi et al.: it holds with the announcement too.
func TestNoteTheorem2(t *testing.T) {
	for _, settings := range []string{"n=2 k=3 announce=true", "n=3 k=2 announce=true"} {
		if got := violated(instance{spec: "franklin", settings: settings}.check(t, "lemma1")); got != "" {
			t.Errorf("%s: violated: %s", settings, got)
		}
	}
}

// Sect. 3, Theorem 3: exactly one leader without FIFO channels, and Theorem 4: termination with probability 1.
func TestNoteTheorems3And4(t *testing.T) {
	holds(t, "franklin", "n=2 k=2 announce=true", "n=2 k=3 announce=true", "n=3 k=2 announce=true")
	if !testing.Short() {
		holds(t, "franklin", "n=3 k=3 announce=true")
	}
}

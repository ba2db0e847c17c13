package claims

import (
	"testing"

	"ringcheck/internal/test/testlevel"
)

// Sect. 2: "Only the processor with the maximum ID will declare itself as the leader, while all other candidates
// will eventually withdraw."
func TestHirschbergMaximum(t *testing.T) {
	holds(t, "hirschberg-sinclair", "n=2", "n=3", "n=3 channel=fifo", "n=4 ids=ascending channel=fifo")
	if testlevel.Long() {
		holds(t, "hirschberg-sinclair", "n=4 channel=fifo")
	}
}

// Sect. 4: "The maximum number of participants at this stage is approximately n/(2^i + 1)". At stage 1 of a ring of
// four there can be two, which is 4/(2^0 + 1) and more than 4/(2^1 + 1): the sum that follows in the note has one
// term for the stage before. The property "thinning" of the spec says what is true.
func TestHirschbergCandidates(t *testing.T) {
	const property = `
invariant literally "n / (2^s + 1) candidates at stage s" =
    forall s in 1..last: (count p in node: p.stage = s) * (2^s + 1) <= n
`
	r := instance{spec: "hirschberg-sinclair", settings: "n=4 ids=ascending channel=fifo",
		properties: property}.check(t, "literally", "thinning")
	if got := violated(r); got != "literally" {
		t.Errorf("violated: %q, want literally", got)
	}
}

package bisim

import "fmt"

// An Equivalence is a notion of when two states behave alike.
type Equivalence int

const (
	// Strong bisimilarity treats τ like every other label.
	Strong Equivalence = iota
	// Branching bisimilarity abstracts from τ's that change nothing (van Glabbeek and Weijland, 1996). A
	// state that can diverge, that is do τ for ever, is not told from one that cannot.
	Branching
	// Divergence is branching bisimilarity that keeps divergence: related states can do τ for ever within
	// their class either both or neither (branching bisimilarity with explicit divergence).
	Divergence
)

var equivalenceNames = [...]string{"strong", "branching", "divergence"}

func (e Equivalence) String() string {
	if e < 0 || int(e) >= len(equivalenceNames) {
		return fmt.Sprintf("Equivalence(%d)", int(e))
	}
	return equivalenceNames[e]
}

// ParseEquivalence is the inverse of String.
func ParseEquivalence(name string) (Equivalence, error) {
	for e, n := range equivalenceNames {
		if n == name {
			return Equivalence(e), nil
		}
	}
	return 0, fmt.Errorf("unknown equivalence %q; expected strong, branching or divergence", name)
}

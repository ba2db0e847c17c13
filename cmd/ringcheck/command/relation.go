package command

import (
	"github.com/spf13/cobra"

	"ringcheck/bisim"
)

// relation is an equivalence and how to compute it.
type relation struct {
	equivalence, algorithm string
}

// The values of --algorithm.
const (
	refinement = "refinement"
	signatures = "signatures"
)

func algorithms() []string { return []string{refinement, signatures} }

func equivalences() []string {
	return []string{bisim.Branching.String(), bisim.Strong.String(), bisim.Divergence.String()}
}

func (r *relation) register(cmd *cobra.Command) {
	choice(cmd, &r.equivalence, "equivalence", "KIND", equivalences(),
		"of bisimilarity, %s: branching abstracts from τ's that change nothing; divergence does too, but tells who can do τ for ever")
	choice(cmd, &r.algorithm, "algorithm", "NAME", algorithms(),
		"of the algorithm, %s: partition refinement in O(m log n), or parallel signature refinement; with the same result")
}

// parse returns what the flags say.
func (r *relation) parse(s *search) (bisim.Equivalence, bisim.Options, error) {
	if err := oneOf("equivalence", r.equivalence, equivalences()); err != nil {
		return 0, bisim.Options{}, err
	}
	if err := oneOf("algorithm", r.algorithm, algorithms()); err != nil {
		return 0, bisim.Options{}, err
	}
	e, err := bisim.ParseEquivalence(r.equivalence)
	o := bisim.Options{Workers: int(s.workers)}
	if r.algorithm == signatures {
		o.Algorithm = bisim.Signatures
	}
	return e, o, err
}

package ringcheck

import (
	"context"

	"ringcheck/verify/equivalence"
)

// An Equivalence is a kind of bisimilarity.
type Equivalence = equivalence.Equivalence

// The equivalences, see package bisim, and prob.Minimize for Probabilistic, by which Compare does not compare.
const (
	Strong        = equivalence.Strong
	Branching     = equivalence.Branching
	Divergence    = equivalence.Divergence
	Probabilistic = equivalence.Probabilistic
)

// An Explanation is the way in which Compare explains a difference. "" is ByFormula.
type Explanation = equivalence.Explanation

// The explanations.
const (
	ByFormula     = equivalence.ByFormula
	ByTrace       = equivalence.ByTrace
	NoExplanation = equivalence.NoExplanation
)

type (
	// GraphOptions say which states and labels of a system Minimize and Compare see.
	GraphOptions = equivalence.GraphOptions
	// A Comparison has the GraphOptions of two systems, and says how a difference is explained.
	Comparison = equivalence.Comparison
	// A Minimized is the report of Minimize.
	Minimized = equivalence.Minimized
	// A Compared is the report of Compare.
	Compared = equivalence.Compared
	// A Graph is a labelled transition system with the system that it was generated from.
	Graph = equivalence.Graph
	// A Size is the size of a transition system or of a Markov decision process.
	Size = equivalence.Size
)

// Minimize computes the quotient of a system by an equivalence, see equivalence.Minimize.
func Minimize(ctx context.Context, sys *System, e Equivalence, opt GraphOptions) (*Minimized, error) {
	return equivalence.Minimize(ctx, sys, e, opt)
}

// Compare decides whether two systems are equivalent, and explains a difference, see equivalence.Compare.
func Compare(ctx context.Context, a, b *System, e Equivalence, opt Comparison) (*Compared, error) {
	return equivalence.Compare(ctx, a, b, e, opt)
}

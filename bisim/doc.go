// Package bisim minimises and compares labelled transition systems modulo [Strong], [Branching] and
// divergence-preserving branching bisimilarity ([Divergence]).
//
//	Minimize   the classes and the quotient
//	Compare    whether two systems are equivalent; Explain says why not, by a Formula that holds in one of them only
//	           and, where there is one, a trace
//	Lump       the same refinement for probabilistic processes and Markov chains
//
// Minimize collapses τ-cycles and merges what is obviously equivalent in linear time (merge.go), then refines the
// partition by signatures (refiner.go). Explain refines the joint quotient of both systems until it tells the initial
// states apart, and makes a formula of least depth from the history of that (distinguish.go). A model checker that
// knows nothing of bisimilarity (formula.go) confirms whatever is returned.
//
// Computations respect a context and a memory limit ([Options]); Lump takes a context only. Tests compare the classes
// with the definitions, and the rounds with those of a refinement that looks at every state in each.
package bisim

// Package bisim minimises and compares labelled transition systems modulo [Strong], [Branching] and
// divergence-preserving branching bisimilarity ([Divergence]).
//
//	Minimize   computes the classes and the quotient
//	Compare    decides whether two systems are equivalent; Explain says why not, by a Formula that holds in only one
//	           of them and, if there is one, a trace
//	Lump       is the same refinement for probabilistic processes and Markov chains
//
// Minimize collapses τ-cycles and merges obviously equivalent states in linear time (merge.go), then refines the
// partition by signatures (refiner.go). Explain refines the joint quotient of both systems until it separates the
// initial states, and constructs a formula of minimal depth from the history of the refinement (distinguish.go). A
// model checker that is independent of bisimilarity (formula.go) confirms the result.
//
// Computations respect a context and a memory limit ([Options]); Lump takes a context only. Tests compare the classes
// with the definitions, and the rounds with the rounds of a refinement that examines every state in each round.
package bisim

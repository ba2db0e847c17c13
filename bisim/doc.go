// Package bisim minimises and compares labelled transition systems modulo [Strong], [Branching] and
// divergence-preserving branching bisimilarity ([Divergence]).
//
// [Minimize] computes the classes and the quotient. [Compare]
// decides whether two systems are equivalent, and [Comparison.Explain] says why not: by a [Formula] of
// Hennessy–Milner logic with until that holds in one of them and not in the other, and a trace where that is enough.
// [Holds] is an independent model checker of that logic; nothing is returned that it has not confirmed.
//
// The steps of Minimize:
//
//	merge.go        collapse τ-cycles (package components), merge what is obviously equivalent, in linear time
//	refiner.go      refine the partition by signatures, those of graph.go
//	minimize.go     the quotient
//
// and of Explain, for two that differ:
//
//	compare.go      a shortest trace of one of them only
//	history.go      how a refiner tells the states of their joint quotient apart, in as few rounds as can be
//	distinguish.go  a formula for that, of least depth
//
// [Lump] (lump.go) does for probabilistic processes and Markov chains, as package prob has them, what Minimize does
// here: the same refiner with other signatures.
//
// Everything takes a context and a memory limit ([Options]) and respects them; Lump takes a context only. Tests compare
// the classes with the definitions, and the rounds with those of a refinement that looks at every state in each.
package bisim

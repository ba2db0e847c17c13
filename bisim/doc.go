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
//	refiner.go      O(m log n) partition refinement (Groote, Jansen, Keiren, Wijs): split.go, separate.go,
//	                and the partition of the transitions, slices.go; or
//	signatures.go   parallel signature refinement (Blom, Orzan)
//	minimize.go     the quotient
//
// and of Explain, for two that differ:
//
//	compare.go      a shortest trace of one of them only
//	history.go      the steps by which the states of their joint quotient are told apart:
//	rounds.go       the rounds of signature refinement, as few as can be, or
//	split.go        the splits of the refiner, in O(m log n), where those would take long
//	distinguish.go  a formula for that, of least depth if by rounds
//
// [Lump] (lump.go) does for probabilistic processes and Markov chains, as package prob has them, what Minimize does here.
//
// Everything takes a context and a memory limit ([Options]) and respects them; Lump takes a context only.
//
// The two refinement algorithms share no code except the preceding steps, which can be left out; the tests compare both with the definitions.
package bisim

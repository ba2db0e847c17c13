// Package bisim minimises and compares labelled transition systems modulo [Strong], [Branching] and
// divergence-preserving branching bisimilarity ([Divergence]).
//
// [Minimize] computes the classes and the quotient; [Classes] and [Quotient] are its halves. [Compare]
// decides whether two systems are equivalent and, if not, says why: with a [Formula] of Hennessy–Milner
// logic with until that holds in one of them and not in the other, and a trace where that is enough. [Holds]
// is an independent model checker of that logic; Compare returns nothing that it has not confirmed.
//
// The way of a system through Minimize:
//
//	components.go   collapse τ-cycles (Tarjan)                    unless Strong
//	bottomup.go     merge what is obviously equivalent, linear    unless Strong
//	refiner.go      O(m log n) partition refinement (Groote, Jansen, Keiren, Wijs), or
//	signatures.go   parallel signature refinement (Blom, Orzan)
//	quotient.go     the quotient
//
// The two refinement algorithms have no code in common but for the steps before, which can be left out
// ([Options]); the tests compare both with the definitions.
package bisim

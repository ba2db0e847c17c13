// Package equivalence minimizes and compares systems by the bisimilarities of packages bisim and prob.
//
// A system is a reduce.System: an instance of a spec, Go values, or a file with a transition system or a process.
//
//	GraphOptions    which states and labels count
//	Graph, Size     a transition system and what it was generated from
//	Equivalence     the kinds of bisimilarity
//	MinimizeReport  the report of Minimize
//	CompareReport   the report of Compare; a Comparison says how a difference is explained
package equivalence

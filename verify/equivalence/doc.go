// Package equivalence minimizes and compares systems by the bisimilarities of packages bisim and prob, and by the
// models of package refinement.
//
// A system is a reduce.System: an instance of a spec, Go values, or a file with a transition system or a process.
//
//	GraphOptions    which states and labels count
//	Graph, Size     a transition system and what it was generated from
//	Equivalence     the kinds of bisimilarity
//	MinimizeReport  the report of Minimize
//	CompareReport   the report of Compare; a Comparison says how a difference is explained
//	Model           what Refines, and Compare, compare beside bisimilarity, see package refinement
//	Violation       what only one of the systems does, in the report of Refines, a RefinementReport
package equivalence

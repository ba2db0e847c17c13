// Package experiment runs one experiment: an instance of a spec, made smaller by a reduction and a symmetry, is
// explored, and the questions that were asked about it are answered.
//
//	Build                   the transition system of a protocol under a reduction and a symmetry
//	Experiment.Instantiate  an Instance: the spec opened, its settings checked
//	Instance.Run            an Outcome: counts, and the size of the quotient
//
// Build is the one place where reductions are applied, so that tables, regressions and the command line mean the same by
// "--reduce confelm".
package experiment

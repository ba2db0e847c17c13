// Package experiment runs one experiment: an instance of a spec, made smaller by a reduction and a symmetry, is
// explored, and the questions that were asked about it are answered.
//
//	Experiment              what to explore, as regression files and records hold it
//	Experiment.Instantiate  an Instance: the spec opened, its settings checked
//	Instance.Run            an Outcome: counts, verdicts on the properties, the size of the quotient
package experiment

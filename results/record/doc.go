// Package record stores the outcomes of experiments, and makes results/README.md of them.
//
//	Record           one experiment with its outcome, the machine, the version and the date: a JSON file
//	Archive          a directory with the records of all runs
//	Archive.Page     README.md: the tables and claims of the papers with their status, and pictures of how each
//	                 protocol grows
//	Archive.Measure  runs experiments and records their outcomes
//
// Every number on the page and in the pictures comes from a record, so that it can be traced to a run.
// go run ./results/make writes the page, and the records.
package record

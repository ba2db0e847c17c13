// Package record keeps what was measured, and writes results/README.md about it. Only tests use it.
//
//	Record           one experiment with its outcome, the machine, the version and the date: a JSON file
//	Archive          a directory with the records of all runs
//	Archive.Publish  writes README.md: the tables and claims of the papers with their status, and pictures of how
//	                 each protocol grows
//
//	go test ./results/record -run OurPage -update                    writes the page and its pictures again
//	go test ./results/record -run OurPage -update -only 'franklin'   runs these entries of regression.json first
//	go test ./results/record -run OurPage -update -only . -full      runs all of them, which takes hours
//
// The page and the pictures say nothing that is not in a record, so that every figure can be traced to a run.
package record

// Package record stores the outcomes of experiments, and writes results/README.md from them. Only tests use it.
//
//	Record           one experiment with its outcome, the machine, the version and the date: a JSON file
//	Archive          a directory with the records of all runs
//	Archive.Publish  writes README.md: the tables and claims of the papers with their status, and pictures of how
//	                 each protocol grows
//
//	go test ./results/record -run OurPage -update                    rewrites the page and its pictures
//	go test ./results/record -run OurPage -update -only 'franklin'   first runs these entries of regression.json
//	go test ./results/record -run OurPage -update -only . -full      first runs all of them, which takes hours
//
// Every number on the page and in the pictures comes from a record, so that it can be traced to a run.
package record

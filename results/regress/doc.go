// Package regress re-runs experiments and compares what they find with what is expected.
//
//	Parse     a regression file, with every entry checked; docs/regression.md describes the format
//	File.Run  runs the entries: a Report with a Result for each
//	Report    as text, for programs, or as JUnit XML
//	Update    replaces expectations by what was found
//	Initial   a file to begin with
package regress

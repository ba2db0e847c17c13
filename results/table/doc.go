// Package table sets our counts beside those that the papers report.
//
//	New          a published table, with the experiment that each of its rows is
//	Table.Run    runs the rows
//	Write        tables for people, or as Markdown or CSV
//
// A row that was not run, or did not come to its end, says so, and is never equal to anything.
package table

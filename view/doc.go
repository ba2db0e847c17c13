// Package view draws runs: message sequence charts, and a page to step through a run.
//
//	New      returns the Trace of a run: its actions, messages and changes of state
//	Formats  lists the formats in which a Trace can be written; see Lookup
//
// A run is a sequence of states and labels. A Trace adds which send belongs to which receive, and which message
// overtakes which; the formats only draw it:
//
//	msc      message sequence chart in Unicode, for terminals
//	mermaid  sequence diagram for documents that render Mermaid
//	svg      message sequence chart with slanted arrows, for slides and papers
//	pdf      the same chart as a page with its letters, for papers
//	html     one page on which to step through the run, self-contained
//	json     everything above, for programs
//
// In charts time runs downward, and the line of a message leads from its sending to its receipt. Two lines of a link
// cross exactly where one message overtakes another.
package view

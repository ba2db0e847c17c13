// Package view draws runs: message sequence charts, and a page to step through a run.
//
//	New      makes a Trace of a run: who does what, which message is which, what changes
//	Formats  lists the formats in which a Trace can be written; see Lookup
//
// A run is a sequence of states and labels. What people want to know is which send belongs to which receive, and
// above all which message overtook which; a Trace answers that, once, and the formats only draw:
//
//	msc      message sequence chart in Unicode, for terminals
//	mermaid  sequence diagram for documents that render Mermaid
//	svg      message sequence chart with slanted arrows, for slides and papers
//	html     one page on which to step through the run, self-contained
//	json     everything above, for programs
//
// In charts time runs downward and a message takes from its sending to its receipt. On a link two lines
// cross exactly where a message overtakes another one.
package view

package command

import (
	"fmt"
	"io"
	"unicode/utf8"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/internal/tabular"
	"ringcheck/lts"
)

// comma writes a number with thousands separators.
func comma[T ~uint64 | ~int](n T) string { return ringcheck.Count(n).Comma() }

// countOf writes a number with its noun.
func countOf[T ~uint64 | ~int](n T, noun string) string {
	return comma(n) + " " + printable.Noun(n, noun)
}

// numberOf is countOf for a number of any size.
func numberOf(n ringcheck.Number, noun string) string {
	if n.IsUint64() {
		return countOf(n.Uint64(), noun)
	}
	return n.Comma() + " " + noun + "s"
}

// writeHead begins a report: what it is about and, if a search did not come to its end, what that means.
func writeHead(w io.Writer, title string, e *ringcheck.Ending, means string) {
	fmt.Fprintln(w, title)
	if !e.Complete {
		fmt.Fprintf(w, "incomplete (%s): %s\n", e.Stopped, means)
	}
	fmt.Fprintln(w)
}

// lowerBounds is what it means for counts.
const lowerBounds = "the numbers are lower bounds"

// A row of a table: a number with its unit.
type row struct{ name, value, unit string }

// writeRows aligns the names on the left and the values on the right.
func writeRows(w io.Writer, rows []row) {
	width := 0
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.value))
	}
	var t tabular.Table
	for _, r := range rows {
		t.Add(r.name, fmt.Sprintf("%*s %s", width, r.value, r.unit))
	}
	fmt.Fprint(w, t.Text(2, 2))
}

// countRows are the rows of the counts of a search.
func countRows(c *ringcheck.Counts) []row {
	rows := []row{{"states", c.States.Comma(), ""}}
	if c.Enumeration != nil && c.StatesWithoutGhosts != nil {
		rows = append(rows, row{"without ghosts", comma(*c.StatesWithoutGhosts), ""})
	}
	rows = append(rows, row{"transitions", c.Transitions.Comma(), ""},
		row{"terminal states", c.TerminalStates.Comma(), ""})
	if c.EnvironmentOnlyStates.Sign() > 0 {
		rows = append(rows, row{"environment only", c.EnvironmentOnlyStates.Comma(), ""})
	}
	if c.Enumeration != nil {
		rows = append(rows, row{"levels", comma(c.Levels), ""})
	}
	if d := c.Diagram; d != nil {
		rows = append(rows, row{"nodes", comma(uint64(d.Nodes)), ""}, row{"arcs", comma(uint64(d.Arcs)), ""},
			row{"peak nodes", comma(uint64(d.PeakNodes)), ""})
	}
	return rows
}

// spentRows are the rows of what the work has taken.
func spentRows(seconds float64, rss uint64) []row {
	return []row{
		{"time", fmt.Sprintf("%.3f", seconds), "s"},
		{"peak memory", comma(rss >> 20), "MiB"},
	}
}

// writeReduction says of which system the counts are, and how they were found.
func writeReduction(w io.Writer, r *ringcheck.Report) {
	s := &r.Subject
	of := "full"
	if s.Reduction != none {
		of = "reduced"
		fmt.Fprintf(w, "reduced by %s: branching bisimilar to the full system", s.Reduction)
		if s.Assumption != "" {
			fmt.Fprintf(w, " if the assumption %s holds there", s.Assumption)
		}
		fmt.Fprint(w, "\n\n")
	}
	if s.Symmetry == string(ringcheck.Rotation) {
		fmt.Fprintf(w, "counts of the %s system, from %s %s stored: one of those that differ by rotation\n\n",
			of, comma(r.StoredStates), printable.Noun(r.StoredStates, "state"))
	}
}

// labelName returns a label for people.
func labelName(label string) string {
	if label == lts.TauName {
		return "τ"
	}
	return printable.Text(label)
}

package command

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/lts"
)

// comma writes a number with thousands separators.
func comma[T ~uint64 | ~int](n T) string { return ringcheck.Count(n).Comma() }

// countOf writes a number with its noun.
func countOf[T ~uint64 | ~int](n T, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return comma(n) + " " + noun
}

// A row of a table: a number with its unit.
type row struct{ name, value, unit string }

// writeRows aligns the names on the left and the values on the right.
func writeRows(w io.Writer, rows []row) {
	var name, value int
	for _, r := range rows {
		name, value = max(name, utf8.RuneCountInString(r.name)), max(value, utf8.RuneCountInString(r.value))
	}
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s  %*s %s", name, r.name, value, r.value, r.unit)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// countRows are the rows of the counts that all searches have.
func countRows(c *ringcheck.Counts) []row {
	rows := []row{
		{"transitions", comma(c.Transitions), ""},
		{"terminal states", comma(c.TerminalStates), ""},
		{"levels", comma(c.Levels), ""},
	}
	if c.StatesWithoutGhosts != nil {
		rows = append([]row{{"without ghosts", comma(*c.StatesWithoutGhosts), ""}}, rows...)
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
func writeReduction(w io.Writer, s *ringcheck.Subject, stored ringcheck.Count) {
	of := "full"
	if s.Reduction != none {
		of = "reduced"
		fmt.Fprintf(w, "reduced by %s: branching bisimilar to the full system", s.Reduction)
		if s.Assumption != "" {
			fmt.Fprintf(w, " if the assumption %s holds there", s.Assumption)
		}
		fmt.Fprint(w, "\n\n")
	}
	by := map[string]string{string(ringcheck.Rotation): "rotation", string(ringcheck.Dihedral): "rotation or reflection"}[s.Symmetry]
	if by != "" {
		fmt.Fprintf(w, "counts of the %s system, from %s states stored: one of those that differ by %s\n\n", of, comma(stored), by)
	}
}

// trimLines takes the spaces away with which a table fills its last column.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// labelName returns a label for people.
func labelName(label string) string {
	if label == lts.TauName {
		return "τ"
	}
	return printable.Text(label)
}

// Package tabular writes tables: in columns for a terminal, as Markdown and as CSV.
package tabular

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is rows of cells, which callers have made printable.
type Table struct {
	Head []string // names of the columns; nil for a table without a heading
	// Align has a letter for each column, l for words or r for numbers. The last letter stands for all further columns.
	Align string
	Rows  [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// right reports whether a column is aligned on the right.
func (t *Table) right(column int) bool {
	return t.Align != "" && t.Align[min(column, len(t.Align)-1)] == 'r'
}

// Text returns the table in columns with a gap between them, each line indented. A rule is below the heading.
func (t *Table) Text(indent, gap int) string {
	lines := t.Rows
	if t.Head != nil {
		lines = append([][]string{t.Head}, lines...)
	}
	var widths []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		text := strings.Repeat(" ", indent)
		for i, cell := range line {
			if i > 0 {
				text += strings.Repeat(" ", gap)
			}
			width := widths[i]
			if !t.right(i) {
				width = -width
			}
			text += fmt.Sprintf("%*s", width, cell)
		}
		fmt.Fprintln(&b, strings.TrimRight(text, " "))
		if n == 0 && t.Head != nil {
			fmt.Fprintln(&b, strings.Repeat("-", utf8.RuneCountInString(text)+indent))
		}
	}
	return b.String()
}

// Markdown returns the table as Markdown has it.
func (t *Table) Markdown() string {
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
		if t.right(i) {
			rule[i] = "--:"
		}
	}
	var b strings.Builder
	for _, line := range append([][]string{t.Head, rule}, t.Rows...) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
	}
	return b.String()
}

// CSV writes the table with its heading. The error is that of w.
func (t *Table) CSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{t.Head}, t.Rows...))
}

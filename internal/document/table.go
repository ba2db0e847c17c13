package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ringcheck/internal/printable"
)

// A Table is rows of cells. Markdown makes them printable, Text leaves that to callers.
type Table struct {
	Head []string // names of the columns; nil for a table without a heading
	// Align has a letter for each column, l for words or r for numbers. The last letter holds for all further columns.
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
		lines = append([][]string{t.heading()}, lines...)
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

// heading returns the names of the columns for people, with blanks instead of underscores.
func (t *Table) heading() []string {
	head := make([]string, len(t.Head))
	for i, name := range t.Head {
		head[i] = strings.ReplaceAll(name, "_", " ")
	}
	return head
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
	for _, line := range append([][]string{t.heading(), rule}, t.Rows...) {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = printable.Cell(cell)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

// CSV writes the table with its heading. An error comes from w.
func (t *Table) CSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{t.Head}, t.Rows...))
}

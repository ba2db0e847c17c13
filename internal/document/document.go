// Package document writes reports: as text for a terminal, as Markdown, JSON and CSV, and as JUnit XML.
package document

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ringcheck/internal/printable"
)

// A Document is a report in blocks, which are separated by blank lines in text: lines, rows of numbers, and tables.
type Document struct {
	Data any // the report for programs, as JSON
	// Other writes further formats, by the endings of file names.
	Other  map[string]func(io.Writer) error
	blocks []*block
}

// A block is lines, with a table below them if there is one, or numbers, each with its name and unit.
type block struct {
	lines       []string
	heading     bool // the lines are one
	numbers     [][3]string
	table       *Table
	indent, gap int
}

// last returns the block to add to: the last one if it suits, otherwise a new one.
func (d *Document) last(suits func(*block) bool) *block {
	if n := len(d.blocks); n > 0 && suits(d.blocks[n-1]) {
		return d.blocks[n-1]
	}
	d.Gap()
	return d.blocks[len(d.blocks)-1]
}

// Gap ends a block.
func (d *Document) Gap() { d.blocks = append(d.blocks, new(block)) }

// Line adds a line.
func (d *Document) Line(format string, args ...any) {
	b := d.last(func(b *block) bool { return b.numbers == nil && b.table == nil })
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// Heading adds a line of its own, which is a heading in Markdown.
func (d *Document) Heading(line string) {
	d.blocks = append(d.blocks, &block{lines: []string{line}, heading: true}, new(block))
}

// Row adds a number with its name and its unit, if it has one.
func (d *Document) Row(name, value string, unit ...string) {
	b := d.last(func(b *block) bool { return b.lines == nil && b.table == nil })
	b.numbers = append(b.numbers, [3]string{name, value, strings.Join(unit, "")})
}

// Table adds a table, below the lines that were added last. Text has an indentation, and a gap between columns.
func (d *Document) Table(t *Table, indent, gap int) {
	b := d.last(func(b *block) bool { return b.numbers == nil && b.table == nil })
	b.table, b.indent, b.gap = t, indent, gap
}

// Text returns the document for people at a terminal.
func (d *Document) Text() string {
	return d.join(func(b *block) string {
		text := ""
		for _, line := range b.lines {
			text += line + "\n"
		}
		if b.table != nil {
			text += b.table.Text(b.indent, b.gap)
		}
		return text + b.rows()
	})
}

// join joins the blocks that are not empty.
func (d *Document) join(write func(*block) string) string {
	var texts []string
	for _, b := range d.blocks {
		if text := write(b); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// rows returns the numbers, aligned on the right.
func (b *block) rows() string {
	width := 0
	for _, n := range b.numbers {
		width = max(width, utf8.RuneCountInString(n[1]))
	}
	var t Table
	for _, n := range b.numbers {
		t.Add(n[0], fmt.Sprintf("%*s %s", width, n[1], n[2]))
	}
	return t.Text(2, 2)
}

// markdown returns the headings, lines and tables of the document, each line as a paragraph.
func (d *Document) markdown() string {
	return d.join(func(b *block) string {
		var parts []string
		for _, line := range b.lines {
			if b.heading {
				line = "### " + line
			}
			parts = append(parts, printable.Cell(line)+"\n")
		}
		if b.table != nil {
			parts = append(parts, b.table.Markdown())
		}
		return strings.Join(parts, "\n")
	})
}

// Write writes the document in the format that the ending of a file name asks for: .json, .md, one of Other, otherwise
// as text. An error comes from w.
func (d *Document) Write(w io.Writer, ending string) error {
	if write, ok := d.Other[ending]; ok {
		return write(w)
	}
	text := ""
	switch ending {
	case ".json":
		return json.NewEncoder(w).Encode(d.Data)
	case ".md":
		text = d.markdown()
	default:
		text = d.Text()
	}
	_, err := io.WriteString(w, text)
	return err
}

package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ringcheck"
)

// A Format is a way to write tables.
type Format int

// The formats.
const (
	Text Format = iota // for people, at a terminal
	Markdown
	CSV  // one header and one line for each row, with plain numbers
	JSON // one line: an object with the tables and a summary
)

// Write writes tables.
func Write(w io.Writer, tables []*Table, f Format) error {
	switch f {
	case CSV:
		return writeCSV(w, tables)
	case JSON:
		return json.NewEncoder(w).Encode(document{Tables: tables, Summary: Summarize(tables)})
	}
	var b strings.Builder
	for _, t := range tables {
		heading := ""
		if f == Markdown {
			heading = "### "
		}
		fmt.Fprintf(&b, "%s%s\n\n%s\n\n", heading, t.Source, t.grid(f))
	}
	fmt.Fprintln(&b, Summarize(tables))
	_, err := io.WriteString(w, b.String())
	return err
}

// A document is the JSON format.
type document struct {
	Tables  []*Table `json:"tables"`
	Summary Summary  `json:"summary"`
}

// grid returns the rows of t, with a column for each kind of number.
func (t *Table) grid(f Format) string {
	g := pretty.NewWriter()
	names := t.names()
	header := pretty.Row{"n", "k", "strategy"}
	for _, name := range names {
		header = append(header, strings.ReplaceAll(name, "_", " "), "paper", "")
	}
	g.AppendHeader(append(header, "time", "transitions/s", "memory"))
	for _, r := range t.Rows {
		g.AppendRow(r.line(names))
	}
	var columns []pretty.ColumnConfig
	for i := range 6 + 3*len(names) {
		if i != 2 {
			columns = append(columns, pretty.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	g.SetColumnConfigs(columns)
	if f == Markdown {
		return g.RenderMarkdown()
	}
	g.SetStyle(plain())
	return g.Render()
}

// plain is a style without boxes.
func plain() pretty.Style {
	s := pretty.StyleDefault
	s.Options = pretty.Options{SeparateHeader: true}
	s.Format.Header = text.FormatDefault
	s.Box.PaddingLeft, s.Box.PaddingRight = " ", " "
	return s
}

// names returns the names of the numbers in t, in the order of their columns.
func (t *Table) names() []string {
	var names []string
	for _, name := range []string{"states", "internal_states", "transitions"} {
		for _, r := range t.Rows {
			if r.cell(name) != nil {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// line returns the fields of a row.
func (r *Row) line(names []string) pretty.Row {
	line := pretty.Row{r.N, r.K, r.Strategy}
	for _, name := range names {
		c := r.cell(name)
		switch {
		case c == nil:
			line = append(line, "", "", "")
		case c.Measured == nil:
			line = append(line, string(r.Status), c.Published.Comma(), "")
		default:
			line = append(line, c.Measured.Comma(), c.Published.Comma(), c.verdict())
		}
	}
	if r.Outcome == nil {
		return append(line, "", "", "")
	}
	o := r.Outcome
	return append(line, fmt.Sprintf("%.2f s", o.Seconds), ringcheck.Count(o.TransitionsPerSecond).Comma(), humanize.IBytes(o.Bytes))
}

// verdict is "=" or the difference.
func (c *Cell) verdict() string {
	if c.difference() == 0 {
		return "="
	}
	sign := ""
	if c.difference() > 0 {
		sign = "+"
	}
	return sign + humanize.Comma(c.difference())
}

// counted are the numbers of a row in the CSV format.
var counted = [...]string{"states", "internal_states", "transitions"}

// writeCSV writes all rows of all tables; what is not known is empty.
func writeCSV(w io.Writer, tables []*Table) error {
	out := csv.NewWriter(w)
	header := []string{"table", "n", "k", "strategy", "status"}
	for _, name := range counted {
		header = append(header, "published_"+name, name, name+"_difference")
	}
	header = append(header, "seconds", "transitions_per_second", "bytes")
	if err := out.Write(header); err != nil {
		return err
	}
	for _, t := range tables {
		for _, r := range t.Rows {
			if err := out.Write(r.record(t.Number)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (r *Row) record(table int) []string {
	record := []string{strconv.Itoa(table), strconv.Itoa(r.N), strconv.Itoa(r.K), r.Strategy, string(r.Status)}
	for _, name := range counted {
		c := r.cell(name)
		switch {
		case c == nil:
			record = append(record, "", "", "")
		case c.Measured == nil:
			record = append(record, digits(c.Published), "", "")
		default:
			record = append(record, digits(c.Published), digits(*c.Measured), strconv.FormatInt(c.difference(), 10))
		}
	}
	if r.Outcome == nil {
		return append(record, "", "", "")
	}
	o := r.Outcome
	return append(record, strconv.FormatFloat(o.Seconds, 'f', 3, 64), digits(o.TransitionsPerSecond), digits(o.Bytes))
}

func digits[T ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

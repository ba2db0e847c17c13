package table

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"ringcheck"
	"ringcheck/internal/document"
)

// Document returns tables as a document. Its JSON is an object with the tables and a summary.
func Document(tables []*Table) *document.Document {
	summary := Summarize(tables)
	d := &document.Document{Other: map[string]func(io.Writer) error{".csv": csvOf(tables).CSV}}
	d.Data = struct {
		Tables  []*Table `json:"tables"`
		Summary Summary  `json:"summary"`
	}{tables, summary}
	for _, t := range tables {
		d.Heading(t.Source)
		d.Table(t.grid(), 1, 2)
	}
	d.Gap()
	d.Line("%v", summary)
	return d
}

// counted lists the names of the numbers of a row, in the order of their columns.
var counted = [...]string{"states", "internal_states", "transitions"}

// grid returns the rows as text, with columns for each kind of number in the paper.
func (t *Table) grid() *document.Table {
	g := &document.Table{Head: []string{"n", "k", "strategy"}, Align: "rrlr"}
	var names []string
	for _, name := range counted {
		for _, r := range t.Rows {
			if r.cell(name) != nil {
				names = append(names, name)
				g.Head = append(g.Head, name, "paper", "")
				break
			}
		}
	}
	g.Head = append(g.Head, "time", "transitions/s", "memory")
	for _, r := range t.Rows {
		g.Rows = append(g.Rows, r.line(names))
	}
	return g
}

// line returns the fields of a row of grid.
func (r *Row) line(names []string) []string {
	line := []string{fmt.Sprint(r.N), fmt.Sprint(r.K), r.Strategy}
	for _, name := range names {
		c := r.cell(name)
		switch {
		case c == nil:
			line = append(line, "", "", "")
		case c.MeasuredCount == nil:
			line = append(line, string(r.Status), c.PublishedCount.Comma(), "")
		case c.difference() == 0:
			line = append(line, c.MeasuredCount.Comma(), c.PublishedCount.Comma(), "=")
		default:
			line = append(line, c.MeasuredCount.Comma(), c.PublishedCount.Comma(), signed(c.difference()))
		}
	}
	if o := r.Outcome; o != nil {
		rate := ringcheck.Count(o.TransitionsPerSecond).Comma()
		return append(line, fmt.Sprintf("%.2f s", o.Seconds), rate, humanize.IBytes(o.Bytes))
	}
	return append(line, "", "", "")
}

func signed(n int64) string {
	if n > 0 {
		return "+" + humanize.Comma(n)
	}
	return humanize.Comma(n)
}

// csvOf returns the rows of all tables with plain numbers; unknown fields are empty.
func csvOf(tables []*Table) *document.Table {
	g := &document.Table{Head: []string{"table", "n", "k", "strategy", "status"}}
	for _, name := range counted {
		g.Head = append(g.Head, "published_"+name, name, name+"_difference")
	}
	g.Head = append(g.Head, "seconds", "transitions_per_second", "bytes")
	for _, t := range tables {
		for _, r := range t.Rows {
			line := []string{fmt.Sprint(t.Number), fmt.Sprint(r.N), fmt.Sprint(r.K), r.Strategy, string(r.Status)}
			for _, name := range counted {
				cells := make([]string, 3)
				if c := r.cell(name); c != nil {
					cells[0] = fmt.Sprint(c.PublishedCount)
					if c.MeasuredCount != nil {
						cells[1], cells[2] = fmt.Sprint(*c.MeasuredCount), fmt.Sprint(c.difference())
					}
				}
				line = append(line, cells...)
			}
			cost := make([]string, 3)
			if o := r.Outcome; o != nil {
				cost = []string{fmt.Sprintf("%.3f", o.Seconds), fmt.Sprint(o.TransitionsPerSecond), fmt.Sprint(o.Bytes)}
			}
			g.Rows = append(g.Rows, append(line, cost...))
		}
	}
	return g
}

// Package table compares our counts with the counts that the papers report.
//
//	All       the published tables, each row with its entry of a regression file
//	Run       runs rows
//	Document  the tables as text, Markdown, CSV or JSON
//
// A row that was not run or is incomplete says so, and never agrees with the paper.
package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ringcheck"
	"ringcheck/results/experiment"
	"ringcheck/results/published"
	"ringcheck/results/regress"
)

// A Table is a published table with our counts.
type Table struct {
	Number int    `json:"table"`
	Source string `json:"source"`
	Rows   []*Row `json:"rows"`
}

// A Row is one instance, searched with one strategy.
type Row struct {
	N        int    `json:"n"`
	K        int    `json:"k"`
	Strategy string `json:"strategy"`
	Cells    []Cell `json:"cells"`
	*regress.Result

	entry *regress.Entry
}

// A Cell is one number that the paper reports.
type Cell struct {
	Name           string           `json:"name"` // "states", "internal_states", "transitions"
	PublishedCount ringcheck.Count  `json:"published"`
	MeasuredCount  *ringcheck.Count `json:"measured,omitempty"` // nil if the row is incomplete
}

// difference returns the measured minus the published number, 0 if nothing was measured.
func (c *Cell) difference() int64 {
	if c.MeasuredCount == nil {
		return 0
	}
	return int64(*c.MeasuredCount) - int64(c.PublishedCount)
}

// protocol is the built-in spec that the tables are about.
const protocol = "franklin"

// All returns the published tables with no row run yet.
func All() ([]*Table, error) {
	all, err := published.Tables()
	if err != nil {
		return nil, err
	}
	var tables []*Table
	for _, p := range all {
		t := &Table{Number: p.Number, Source: p.Source}
		for _, r := range p.Rows {
			entry, err := entryOf(p.Number, &r)
			if err != nil {
				return nil, fmt.Errorf("table %d: %w", p.Number, err)
			}
			row := &Row{N: r.N, K: r.K, Strategy: r.Strategy, entry: entry}
			row.Judge(nil)
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// entryOf returns the experiment and the expected counts of a row of a published table. Table 1 has the full algorithm,
// Tables 2 and 3 the simplified one of Sect. 5.
func entryOf(table int, r *published.Row) (*regress.Entry, error) {
	e := experiment.Experiment{
		Spec:    protocol,
		Params:  ringcheck.Set{"n": r.N, "k": r.K},
		Options: ringcheck.Set{"order": "left"},
	}
	if table == 1 {
		e.Options = ringcheck.Set{"order": "any"}
	}
	if r.Strategy != "normal" {
		e.Reduction = ringcheck.Reduction(r.Strategy)
	}
	return regress.NewEntry(e, regress.Expectation{
		States:         (*ringcheck.Count)(r.States),
		InternalStates: (*ringcheck.Count)(r.Internal),
		Transitions:    (*ringcheck.Count)(r.Transitions),
	})
}

// Run runs the rows of tables one after the other: those with at most maxStates published states, or all if that is 0.
// It sets None, Wanted and Finished of opt.
func Run(ctx context.Context, tables []*Table, maxStates ringcheck.Count, opt regress.Options) (*regress.Report,
	error) {
	rows := make(map[*regress.Entry]*Row)
	file := new(regress.File)
	for _, t := range tables {
		for _, r := range t.Rows {
			rows[r.entry] = r
			file.Entries = append(file.Entries, r.entry)
		}
	}
	opt.None = true
	opt.Select = func(e *regress.Entry) bool { return maxStates == 0 || *e.Expect.States <= maxStates }
	opt.OnFinish = func(e *regress.Entry, o *experiment.Result) error {
		rows[e].Judge(o)
		return nil
	}
	return file.Run(ctx, opt)
}

// Judge compares an outcome, nil if the row was not run, with the published counts.
func (r *Row) Judge(o *experiment.Result) {
	r.Result, r.Cells = r.entry.Judge(o), nil
	for _, name := range counted {
		for _, c := range r.entry.Expect.Counts(o) {
			if c.Name == name && c.Expected != nil {
				r.Cells = append(r.Cells, Cell{name, *c.Expected, c.Actual})
			}
		}
	}
}

// cell returns the cell of a name, nil if the paper does not give that number.
func (r *Row) cell(name string) *Cell {
	if i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Name == name }); i >= 0 {
		return &r.Cells[i]
	}
	return nil
}

// A Summary counts the cells of tables.
type Summary struct {
	Equal      int     `json:"equal"`
	Different  int     `json:"different"`
	Incomplete int     `json:"incomplete"` // those in rows that stopped early
	NotRun     int     `json:"not_run"`
	Seconds    float64 `json:"seconds"` // of all searches
}

// Summarize counts the cells of tables.
func Summarize(tables []*Table) Summary {
	var s Summary
	for _, t := range tables {
		for _, r := range t.Rows {
			if r.Outcome != nil {
				s.Seconds += r.Outcome.Seconds
			}
			for _, c := range r.Cells {
				switch {
				case r.Status == regress.NotRun:
					s.NotRun++
				case r.Status == regress.Incomplete:
					s.Incomplete++
				case c.difference() == 0:
					s.Equal++
				default:
					s.Different++
				}
			}
		}
	}
	return s
}

// String returns the summary in one line.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d cells equal", s.Equal, s.Equal+s.Different+s.Incomplete+s.NotRun)
	for _, part := range []struct {
		count int
		what  string
	}{{s.Different, "different"}, {s.Incomplete, "incomplete"}, {s.NotRun, "not run"}} {
		if part.count > 0 {
			fmt.Fprintf(&b, ", %d %s", part.count, part.what)
		}
	}
	fmt.Fprintf(&b, "; %v", time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond))
	return b.String()
}

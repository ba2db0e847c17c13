// Package table sets our counts beside those that the papers report.
//
//	New          a published table, with the experiment that each of its rows is
//	Table.Run    runs the rows
//	Write        tables for people, or as Markdown or CSV
//
// A row that was not run, or did not come to its end, says so, and is never equal to anything.
package table

import (
	"context"
	"fmt"
	"time"

	"ringcheck"
	"ringcheck/results/experiment"
	"ringcheck/results/published"
)

// A Table is a published table with our counts.
type Table struct {
	Number int    `json:"table"`
	Source string `json:"source"`
	Rows   []*Row `json:"rows"`
}

// A Row is one instance, searched with one strategy.
type Row struct {
	N          int                   `json:"n"`
	K          int                   `json:"k"`
	Strategy   string                `json:"strategy"`
	Experiment experiment.Experiment `json:"experiment"`
	Status     Status                `json:"status"`
	Cells      []Cell                `json:"cells"`
	Outcome    *experiment.Outcome   `json:"outcome,omitempty"` // nil if the row was not run
}

// A Cell is one number that the paper reports.
type Cell struct {
	Name      string           `json:"name"` // "states", "internal_states", "transitions"
	Published ringcheck.Count  `json:"published"`
	Measured  *ringcheck.Count `json:"measured,omitempty"` // nil if the row did not come to its end
}

// difference returns the measured less the published number, 0 if nothing was measured.
func (c *Cell) difference() int64 {
	if c.Measured == nil {
		return 0
	}
	return int64(*c.Measured) - int64(c.Published)
}

// A Status says how a row compares.
type Status string

// What becomes of a row.
const (
	NotRun     Status = "not run"
	Incomplete Status = "incomplete"
	Equal      Status = "equal"
	Different  Status = "different"
)

// protocol is the built-in spec that the tables are about.
const protocol = "franklin"

// New returns a table with no row run yet.
func New(t *published.Table) (*Table, error) {
	table := &Table{Number: t.Number, Source: t.Source}
	for _, r := range t.Rows {
		row := &Row{N: r.N, K: r.K, Strategy: r.Strategy, Status: NotRun}
		var err error
		if row.Experiment, err = experimentOf(t.Number, &r); err != nil {
			return nil, fmt.Errorf("table %d: %w", t.Number, err)
		}
		row.add("states", r.States)
		row.add("internal_states", r.Internal)
		row.add("transitions", r.Transitions)
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// experimentOf returns what a row of a published table counts. Table 1 is about the full algorithm, Tables 2 and 3 are
// about the simplified one of Sect. 5.
func experimentOf(table int, r *published.Row) (experiment.Experiment, error) {
	e := experiment.Experiment{
		Spec:    protocol,
		Params:  ringcheck.Set{"n": r.N, "k": r.K},
		Options: ringcheck.Set{"order": "left"},
	}
	if table == 1 {
		e.Options = ringcheck.Set{"order": "any"}
	}
	if r.Strategy == "normal" {
		return e, nil
	}
	return e, e.Reduction.UnmarshalText([]byte(r.Strategy))
}

func (r *Row) add(name string, count *uint64) {
	if count != nil {
		r.Cells = append(r.Cells, Cell{Name: name, Published: ringcheck.Count(*count)})
	}
}

// Options say how to run tables.
type Options struct {
	Search ringcheck.Options
	// MaxStates bounds which rows are run: those with more published states are not. 0 means all.
	MaxStates ringcheck.Count
	// Started, if not nil, is called before a row is run.
	Started func(*Row)
}

// Run runs the rows of t one after the other. An error, but for those of the context, means that the row it names
// could not be run; rows before it have their outcomes.
func (t *Table) Run(ctx context.Context, opt Options) error {
	for _, r := range t.Rows {
		if ctx.Err() != nil {
			return nil
		}
		if opt.MaxStates != 0 && r.Cells[0].Published > opt.MaxStates {
			continue
		}
		if opt.Started != nil {
			opt.Started(r)
		}
		if err := r.run(ctx, opt.Search); err != nil {
			return fmt.Errorf("table %d: %w", t.Number, err)
		}
	}
	return nil
}

func (r *Row) run(ctx context.Context, opt ringcheck.Options) error {
	i, err := r.Experiment.Instantiate()
	if err != nil {
		return err
	}
	outcome, err := i.Run(ctx, opt, experiment.Question{})
	if err != nil {
		return err
	}
	r.Record(outcome)
	return nil
}

// Record makes o the outcome of the row.
func (r *Row) Record(o *experiment.Outcome) {
	r.Outcome = o
	if !o.Complete {
		r.Status = Incomplete
		return
	}
	r.Status = Equal
	for i := range r.Cells {
		c := &r.Cells[i]
		measured := c.of(o)
		if c.Measured = &measured; c.difference() != 0 {
			r.Status = Different
		}
	}
}

func (c *Cell) of(o *experiment.Outcome) ringcheck.Count {
	switch c.Name {
	case "states":
		return o.States
	case "internal_states":
		return o.InternalStates
	}
	return o.Transitions
}

// cell returns the cell of a name, nil if the paper does not give that number.
func (r *Row) cell(name string) *Cell {
	for i := range r.Cells {
		if r.Cells[i].Name == name {
			return &r.Cells[i]
		}
	}
	return nil
}

// A Summary counts the cells of tables.
type Summary struct {
	Equal     int `json:"equal"`
	Different int `json:"different"`
	// Incomplete are the cells of rows that stopped before their end.
	Incomplete int     `json:"incomplete"`
	NotRun     int     `json:"not_run"`
	Seconds    float64 `json:"seconds"` // the searches took
}

// Summarize counts the cells of tables.
func Summarize(tables []*Table) Summary {
	var s Summary
	for _, t := range tables {
		for _, r := range t.Rows {
			s.add(r)
		}
	}
	return s
}

func (s *Summary) add(r *Row) {
	if r.Outcome != nil {
		s.Seconds += r.Outcome.Seconds
	}
	switch r.Status {
	case NotRun:
		s.NotRun += len(r.Cells)
		return
	case Incomplete:
		s.Incomplete += len(r.Cells)
		return
	}
	for _, c := range r.Cells {
		if c.difference() == 0 {
			s.Equal++
		} else {
			s.Different++
		}
	}
}

// String says it in one line.
func (s Summary) String() string {
	text := fmt.Sprintf("%d of %d cells equal", s.Equal, s.Equal+s.Different+s.Incomplete+s.NotRun)
	for _, part := range []struct {
		count int
		what  string
	}{{s.Different, "different"}, {s.Incomplete, "incomplete"}, {s.NotRun, "not run"}} {
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.what)
		}
	}
	return fmt.Sprintf("%s; %v", text, seconds(s.Seconds))
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

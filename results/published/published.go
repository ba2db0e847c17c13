// Package published holds the numbers that the papers report, as printed there, one CSV file per table.
//
//	Tables   all tables, in the order of the paper
//
// The first line of a file is a comment that names the source. A row gives the ring size n, the number of identities k,
// the search strategy and its counts; a field is empty if the paper does not give the number.
package published

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
)

//go:embed *.csv
var files embed.FS

// A Table is one table of a paper.
type Table struct {
	Number int
	Source string // the paper and the subject of the table
	Rows   []Row
}

// A Row is one instance, searched with one strategy. A count that the paper does not give is nil.
type Row struct {
	N, K        int
	Strategy    string // "normal", "confelm" or "onthefly"; "normal" in a table without that column
	States      *uint64
	Internal    *uint64 // states for which a representative was computed
	Transitions *uint64
}

// Tables returns all tables.
func Tables() ([]*Table, error) {
	var tables []*Table
	for number := 1; number <= 3; number++ {
		name := fmt.Sprintf("table%d.csv", number)
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("published numbers: %w", err)
		}
		t, err := parse(name, text)
		if err != nil {
			return nil, err
		}
		t.Number = number
		tables = append(tables, t)
	}
	return tables, nil
}

// parse parses the file of a table.
func parse(name string, text []byte) (*Table, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	records, err := r.ReadAll()
	comment, _, _ := bytes.Cut(text, []byte("\n"))
	source, ok := bytes.CutPrefix(comment, []byte("#"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !ok || len(records) == 0:
		return nil, fmt.Errorf("%s: expected a comment that names the source, and a line of column names", name)
	}
	t := &Table{Source: string(bytes.TrimSpace(source))}
	for i, fields := range records[1:] {
		row := Row{Strategy: "normal"}
		for column, field := range fields {
			if err := row.set(records[0][column], field); err != nil {
				return nil, fmt.Errorf("%s: row %d: %s: %w", name, i+1, records[0][column], err)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// set sets the field of a row in a column.
func (r *Row) set(column, field string) error {
	if column == "strategy" {
		r.Strategy = field
		return nil
	}
	if field == "" {
		return nil
	}
	n, err := strconv.ParseUint(field, 10, 63)
	switch column {
	case "n":
		r.N = int(n)
	case "k":
		r.K = int(n)
	case "states":
		r.States = &n
	case "internal_states":
		r.Internal = &n
	case "transitions":
		r.Transitions = &n
	default:
		return errors.New("unknown column")
	}
	return err
}

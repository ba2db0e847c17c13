// Package published holds the numbers that the papers report, one CSV file per table, as they are printed
// there.
//
//	Tables   all tables, in the order of the paper
//
// The first line of a file is a comment that names the source. A row gives the ring size n, the number of
// identities k, the strategy of the search and its counts; an empty field is a number that the paper does not
// give.
package published

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.csv
var files embed.FS

// A Table is one table of a paper.
type Table struct {
	Number int
	Source string // the paper, and what the table is about
	Rows   []Row
}

// A Row is one instance, searched with one strategy. A count that the paper does not give is nil.
type Row struct {
	N, K     int
	Strategy string // "normal", "confelm" or "onthefly"; "normal" in a table that knows no other
	States   *uint64
	Internal *uint64 // states for which a representative was computed
	// Transitions between the states.
	Transitions *uint64
}

// Count is the number of tables.
const Count = 3

// Tables returns all tables.
func Tables() ([]*Table, error) {
	var tables []*Table
	for number := 1; number <= Count; number++ {
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

// parse reads the file of one table.
func parse(name string, text []byte) (*Table, error) {
	comment, _, _ := bytes.Cut(text, []byte("\n"))
	source, ok := strings.CutPrefix(string(comment), "#")
	if !ok {
		return nil, fmt.Errorf("%s:1: want a comment that names the source", name)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: want a line of column names", name)
	}
	t := &Table{Source: strings.TrimSpace(source)}
	for i, record := range records[1:] {
		row, err := parseRow(records[0], record)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
		}
		t.Rows = append(t.Rows, *row)
	}
	return t, nil
}

// parseRow reads the fields of a row by the names of their columns.
func parseRow(columns, fields []string) (*Row, error) {
	row := &Row{Strategy: "normal"}
	for i, name := range columns {
		var err error
		switch name {
		case "n":
			row.N, err = strconv.Atoi(fields[i])
		case "k":
			row.K, err = strconv.Atoi(fields[i])
		case "strategy":
			row.Strategy = fields[i]
		case "states":
			row.States, err = parseCount(fields[i])
		case "internal_states":
			row.Internal, err = parseCount(fields[i])
		case "transitions":
			row.Transitions, err = parseCount(fields[i])
		default:
			err = fmt.Errorf("unknown column")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return row, nil
}

func parseCount(text string) (*uint64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return &n, err
}

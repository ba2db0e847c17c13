package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/results/experiment"
	"ringcheck/results/published"
)

// load returns all tables, none of their rows run.
func load(t *testing.T) []*Table {
	t.Helper()
	all, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var tables []*Table
	for _, p := range all {
		table, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	return tables
}

// TestPublished reproduces the smaller rows of all tables.
func TestPublished(t *testing.T) {
	for _, table := range load(t) {
		if err := table.Run(t.Context(), Options{MaxStates: 100_000}); err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			want := Equal
			if r.Cells[0].Published > 100_000 {
				want = NotRun
			}
			if r.Status != want {
				t.Errorf("table %d, n = %d, k = %d, %s: %s, want %s: %+v", table.Number, r.N, r.K, r.Strategy, r.Status, want, r.Cells)
			}
		}
	}
}

// TestDifferent: a number that is not the published one is reported, with its sign.
func TestDifferent(t *testing.T) {
	table := load(t)[0]
	table.Rows = table.Rows[:3]
	table.Rows[0].Record(&experiment.Outcome{Complete: true, States: 657, Transitions: 1369})
	table.Rows[1].Record(&experiment.Outcome{Complete: true, States: 14445, Transitions: 43968})
	table.Rows[2].Record(&experiment.Outcome{States: 380609, Transitions: 1396512})
	for i, want := range []Status{Different, Different, Incomplete} {
		if got := table.Rows[i].Status; got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
	s := Summarize([]*Table{table})
	if want := (Summary{Equal: 2, Different: 2, Incomplete: 2}); s != want {
		t.Errorf("summary %+v, want %+v", s, want)
	}
	var b bytes.Buffer
	if err := Write(&b, []*Table{table}, Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" 1,369      1,368  +1 ", " 14,445   15,445  -1,000 ", " incomplete  380,609", "2 of 6 cells equal, 2 different, 2 incomplete; 0s\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// TestStopped: a search that is stopped is incomplete, and the rows after it are not run.
func TestStopped(t *testing.T) {
	table := load(t)[0]
	ctx, cancel := context.WithCancel(t.Context())
	opt := Options{Search: ringcheck.Options{MaxStates: 100}, Started: func(r *Row) {
		if r.N == 3 {
			cancel()
		}
	}}
	if err := table.Run(ctx, opt); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Status{Incomplete, Incomplete, NotRun} {
		if got := table.Rows[i].Status; got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	tables := load(t)
	tables[2].Rows[8].Record(&experiment.Outcome{Complete: true, States: 385, InternalStates: 432, Transitions: 732, Seconds: 0.5, Bytes: 1 << 20})
	var b bytes.Buffer
	if err := Write(&b, tables, CSV); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 9 + 15 + 12; len(records) != want {
		t.Errorf("%d lines, want %d", len(records), want)
	}
	want := "3,2,3,onthefly,different,385,385,0,433,432,-1,732,732,0,0.500,0,1048576"
	if got := strings.Join(records[1+9+15+8], ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	tables := load(t)[:1]
	tables[0].Rows = tables[0].Rows[:1]
	tables[0].Rows[0].Record(&experiment.Outcome{Complete: true, States: 657, Transitions: 1368, Seconds: 0.5, TransitionsPerSecond: 2736, Bytes: 1 << 20})
	var b bytes.Buffer
	if err := Write(&b, tables, Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### Bakhshi", "| 2 | 2 | normal | 657 | 657 | = | 1,368 | 1,368 | = | 0.50 s | 2,736 | 1.0 MiB |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func ExampleTable_Run() {
	all, err := published.Tables()
	if err != nil {
		panic(err)
	}
	t, err := New(all[0])
	if err != nil {
		panic(err)
	}
	if err := t.Run(context.Background(), Options{MaxStates: 20_000}); err != nil {
		panic(err)
	}
	for _, r := range t.Rows[:3] {
		fmt.Println(r.N, r.K, r.Status)
	}
	// Output:
	// 2 2 equal
	// 3 2 equal
	// 4 2 not run
}

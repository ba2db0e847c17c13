package table_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/results/experiment"
	"ringcheck/results/published"
	"ringcheck/results/regress"
	"ringcheck/results/table"
)

// load returns all tables with no row run.
func load(t *testing.T) []*table.Table {
	t.Helper()
	tables, err := table.All()
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func write(t *testing.T, tables []*table.Table, ending string) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.Document(tables).Write(&b, ending); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOursIsPublished: for the rows of the tables our regression file expects the published numbers and no others.
func TestOursIsPublished(t *testing.T) {
	const ours = "../regression.json"
	f, err := regress.Parse(ours, filetest.Read(t, ours))
	if err != nil {
		t.Fatal(err)
	}
	entries := make(map[string]*regress.Entry)
	for _, e := range f.Entries {
		entries[e.Name()] = e
	}
	tables, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	for i, ours := range load(t) {
		for j, r := range ours.Rows {
			e := entries[r.Name]
			if e == nil || !slices.Contains(e.Claims, fmt.Sprintf("table-%d", ours.Number)) {
				t.Errorf("table %d: no entry for %s", ours.Number, r.Name)
				continue
			}
			p := tables[i].Rows[j]
			same(t, r.Name+": states", e.Expect.States, p.States)
			same(t, r.Name+": internal states", e.Expect.InternalStates, p.Internal)
			same(t, r.Name+": transitions", e.Expect.Transitions, p.Transitions)
		}
	}
}

func same(t *testing.T, what string, got *ringcheck.Count, want *uint64) {
	t.Helper()
	if (got == nil) != (want == nil) || got != nil && uint64(*got) != *want {
		t.Errorf("%s: the entry expects %v, but the paper reports %v", what, got, want)
	}
}

// TestPublished reproduces the smaller rows of all tables.
func TestPublished(t *testing.T) {
	tables := load(t)
	if _, err := table.Run(t.Context(), tables, 100_000, regress.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, r := range table.Rows {
			want := regress.Same
			if r.Cells[0].PublishedCount > 100_000 {
				want = regress.NotRun
			}
			if r.Status != want {
				t.Errorf("table %d, %s: got %s, want %s: %+v", table.Number, r.Name, r.Status, want, r.Cells)
			}
		}
	}
}

// TestDifferent: a difference from a published number is reported with its sign.
func TestDifferent(t *testing.T) {
	first := load(t)[0]
	first.Rows = first.Rows[:3]
	first.Rows[0].Judge(&experiment.Result{Complete: true, States: 657, Transitions: 1369})
	first.Rows[1].Judge(&experiment.Result{Complete: true, States: 14445, Transitions: 43968})
	first.Rows[2].Judge(&experiment.Result{States: 380609, Transitions: 1396512})
	for i, want := range []regress.Status{regress.Differs, regress.Differs, regress.Incomplete} {
		if got := first.Rows[i].Status; got != want {
			t.Errorf("row %d: got %s, want %s", i, got, want)
		}
	}
	s := table.Summarize([]*table.Table{first})
	if want := (table.Summary{Equal: 2, Different: 2, Incomplete: 2}); s != want {
		t.Errorf("summary: got %+v, want %+v", s, want)
	}
	text := write(t, []*table.Table{first}, "")
	for _, want := range []string{
		" 1,369      1,368  +1 ", " 14,445   15,445  -1,000 ", " incomplete  380,609",
		"2 of 6 cells equal, 2 different, 2 incomplete; 0s\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestStopped: a stopped search is incomplete, and the rows after it are not run.
func TestStopped(t *testing.T) {
	tables := load(t)[:1]
	ctx, cancel := context.WithCancel(t.Context())
	opt := regress.Options{Search: ringcheck.Search{MaxStates: 100},
		OnStart: func(e *regress.Entry) {
			if fmt.Sprint(e.Params["n"]) == "3" {
				cancel()
			}
		}}
	if r, err := table.Run(ctx, tables, 0, opt); err != nil || !r.Interrupted {
		t.Fatal(r, err)
	}
	for i, want := range []regress.Status{regress.Incomplete, regress.Incomplete, regress.NotRun} {
		if got := tables[0].Rows[i].Status; got != want {
			t.Errorf("row %d: got %s, want %s", i, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	tables := load(t)
	tables[2].Rows[8].Judge(&experiment.Result{Complete: true, States: 385, InternalStates: 432, Transitions: 732,
		Seconds: 0.5, Bytes: 1 << 20})
	records, err := csv.NewReader(strings.NewReader(write(t, tables, ".csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 9 + 15 + 12; len(records) != want {
		t.Errorf("got %d lines, want %d", len(records), want)
	}
	want := "3,2,3,onthefly,differs,385,385,0,433,432,-1,732,732,0,0.500,0,1048576"
	if got := strings.Join(records[1+9+15+8], ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	tables := load(t)[:1]
	tables[0].Rows = tables[0].Rows[:1]
	tables[0].Rows[0].Judge(&experiment.Result{Complete: true, States: 657, Transitions: 1368, Seconds: 0.5,
		TransitionsPerSecond: 2736, Bytes: 1 << 20})
	text := write(t, tables, ".md")
	for _, want := range []string{"### Bakhshi",
		"| 2 | 2 | normal | 657 | 657 | = | 1,368 | 1,368 | = | 0.50 s | 2,736 | 1.0 MiB |\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func ExampleRun() {
	tables, err := table.All()
	if err != nil {
		panic(err)
	}
	if _, err := table.Run(context.Background(), tables[:1], 20_000, regress.Options{}); err != nil {
		panic(err)
	}
	for _, r := range tables[0].Rows[:3] {
		fmt.Println(r.N, r.K, r.Status)
	}
	// Output:
	// 2 2 ok
	// 3 2 ok
	// 4 2 not run
}

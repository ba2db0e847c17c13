// Package cluster_test checks runs.csv, the results of searches on a cluster. The script cmd/ringcheck-beam/record
// wrote its lines. Two searches were interrupted and resumed several times, franklin n=5 k=3 without symmetry and
// n=6 k=2 by rotation: their lines have the sums of what the parts took.
package cluster_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

// A run is a line: its columns by name.
type run map[string]string

func (r run) number(t *testing.T, column string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatal(column, err)
	}
	return n
}

func runs(t *testing.T) (list []run) {
	t.Helper()
	f, err := os.Open("runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		r := make(run)
		for i, column := range lines[0] {
			r[column] = line[i]
		}
		list = append(list, r)
	}
	return list
}

// TestCounts: they are those of the search in memory, of which there is a record.
func TestCounts(t *testing.T) {
	for _, r := range runs(t) {
		name := fmt.Sprintf("%s_n=%s_k=%s.json", r["spec"], r["n"], r["k"])
		if r["symmetry"] != "none" {
			name = strings.TrimSuffix(name, ".json") + "_symmetry=" + r["symmetry"] + ".json"
		}
		data, err := os.ReadFile(filepath.Join("..", "runs", name))
		var want struct {
			States, Transitions, Levels int
			Stored                      int `json:"stored_states"`
			Terminal                    int `json:"terminal_states"`
		}
		if err == nil {
			err = json.Unmarshal(data, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		for column, want := range map[string]int{
			"states": want.States, "transitions": want.Transitions, "terminal": want.Terminal, "levels": want.Levels,
			"stored": want.Stored,
		} {
			if r[column] != strconv.Itoa(want) {
				t.Errorf("%s: %s %s, want %d", name, r[column], column, want)
			}
		}
	}
}

// TestTable: docs/scale.md says of each run what it took.
func TestTable(t *testing.T) {
	data := filetest.Read(t, filepath.Join("..", "..", "docs", "scale.md"))
	for _, r := range runs(t) {
		transitions := r.number(t, "transitions")
		line := fmt.Sprintf("| %s (%s,%s) | %s | %s | %.1f | %.2f | %.2f | %.2f |", r["spec"], r["n"], r["k"],
			r["symmetry"], r["shards"],
			r.number(t, "worker_seconds"), 1e6*r.number(t, "worker_seconds")/transitions,
			r.number(t, "shuffled_bytes")/transitions, r.number(t, "kept_bytes")/r.number(t, "stored"))
		if !strings.Contains(string(data), "\n"+line+"\n") {
			t.Errorf("docs/scale.md has no line\n%s", line)
		}
		if sent := r.number(t, "shuffled_bytes") / transitions; sent > 1 {
			t.Errorf("%s: %.2f bytes are shuffled for each transition", line, sent)
		}
	}
}

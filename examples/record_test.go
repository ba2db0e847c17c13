package examples

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/results/regress"
)

// TestDefaults checks that specs say where they are from and how to draw them, and that with their default settings
// their properties hold and are not vacuous.
func TestDefaults(t *testing.T) {
	paths, err := filepath.Glob("*.ring")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			spec, err := ringcheck.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if s := spec.Declarations; s.Source == "" || s.Doc == "" || len(s.Warnings) > 0 {
				t.Errorf("source %q, description %q, warnings %v", s.Source, s.Doc, s.Warnings)
			}
			sys, err := spec.System()
			if err != nil {
				t.Fatal(err)
			}
			report, err := ringcheck.Check(t.Context(), sys, ringcheck.Checks{}, ringcheck.Search{})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdicts.Holds == nil || !*report.Verdicts.Holds {
				t.Errorf("%v", report)
			}
			for _, p := range report.Verdicts.Properties {
				if len(p.Warnings) > 0 {
					t.Errorf("%s: %v", p.Name, p.Warnings)
				}
			}
		})
	}
}

// record returns the entries of regression.json.
func record(t *testing.T) *regress.File {
	t.Helper()
	text := filetest.Read(t, "regression.json")
	f, err := regress.Parse("regression.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRecord checks the protocols against regression.json; CI runs its largest entries, too.
func TestRecord(t *testing.T) {
	f := record(t)
	small := func(e *regress.Entry) bool { return *e.Expect.States <= 5_000 }
	r, err := f.Run(t.Context(), regress.Options{Select: small})
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range r.Results {
		if small(f.Entries[i]) && result.Status != regress.Same {
			t.Errorf("%s %v: %v", result.Name, result.Status, result.Differences)
		}
	}
}

// TestTable checks that docs/examples.md has a row for each entry of regression.json, in the same order, with its
// numbers.
func TestTable(t *testing.T) {
	page := filetest.Read(t, "../docs/examples.md")
	var rows []string
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, " | "); len(cells) == 6 && strings.ContainsAny(cells[2], "0123456789") {
			rows = append(rows, strings.Join(cells[:5], " | "))
		}
	}
	entries := record(t).Entries
	if len(rows) != len(entries) {
		t.Fatalf("%d rows for %d entries", len(rows), len(entries))
	}
	last := ""
	for i, e := range entries {
		var settings []string
		for _, values := range []ringcheck.Set{e.Params, e.Options} {
			for name, value := range values {
				settings = append(settings, fmt.Sprint(name, "=", value))
			}
		}
		row := strings.Split(rows[i], " | ")
		link := "](../examples/" + e.Spec + ")"
		if !strings.HasSuffix(e.Spec, ".ring") {
			link = "](../specs/" + e.Spec + ".ring)"
		}
		written := strings.Fields(row[1])
		slices.Sort(settings)
		slices.Sort(written)
		if first := e.Spec != last; first != strings.Contains(row[0], link) || !slices.Equal(settings, written) {
			t.Errorf("a row begins with %q, its entry is %s", rows[i], e.Name())
		}
		last = e.Spec
		numbers := fmt.Sprint(*e.Expect.States, " ", *e.Expect.Transitions, " ", *e.Expect.TerminalStates)
		if got := strings.ReplaceAll(strings.Join(row[2:], " "), ",", ""); got != numbers {
			t.Errorf("%s: the table has %s, the entry %s", e.Name(), got, numbers)
		}
	}
}

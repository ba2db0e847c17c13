package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/verify"
)

// TestRecipes checks every spec in docs/recipes.md: a property holds unless the page says that it is violated.
func TestRecipes(t *testing.T) {
	page := filetest.Read(t, "docs/recipes.md")
	blocks := strings.Split(string(page), "```ring\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no recipes")
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		spec, err := ringcheck.Parse("recipes.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(spec.Name, func(t *testing.T) {
			sys, err := spec.System()
			if err != nil {
				t.Fatal(err)
			}
			report, err := ringcheck.Check(t.Context(), sys, ringcheck.Checks{}, ringcheck.Search{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range report.Verdicts.Properties {
				want := verify.Holds
				for line := range strings.Lines(text) {
					if strings.Contains(line, " "+p.Name+" ") && strings.HasSuffix(line, "// is violated\n") {
						want = verify.Violated
					}
				}
				if p.Outcome() != want {
					t.Errorf("%s %v, want %v", p.Name, p.Outcome(), want)
				}
				if len(p.Warnings) > 0 {
					t.Errorf("%s: %v", p.Name, p.Warnings)
				}
			}
		})
	}
}

// TestBeforeAndAfter compares the lines, states and transitions of the specs that docs/recipes.md shows twice with its
// table: first those of the longer one, then those of the shorter one.
func TestBeforeAndAfter(t *testing.T) {
	_, section, ok := strings.Cut(string(filetest.Read(t, "docs/recipes.md")), "\n## Before and after\n")
	if !ok {
		t.Fatal("there is no such section")
	}
	blocks := strings.Split(section, "```ring\n")[1:]
	rows := regexp.MustCompile(`(?m)^\| \[(\w+)\].*\|$`).FindAllStringSubmatch(section, -1)
	if len(rows) != 3 || len(blocks) != 2*len(rows) {
		t.Fatalf("%d rows, %d specs", len(rows), len(blocks))
	}
	for i, row := range rows {
		var got []string
		for _, block := range blocks[2*i : 2*i+2] {
			text, _, _ := strings.Cut(block, "```")
			spec, err := ringcheck.Parse("recipes.md", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if spec.Name != row[1] {
				t.Errorf("%s in the place of %s", spec.Name, row[1])
			}
			sys, err := spec.System()
			if err != nil {
				t.Fatal(err)
			}
			r, err := ringcheck.Explore(t.Context(), sys, ringcheck.Search{})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d | %d | %d", strings.Count(text, "\n"), r.States, r.Transitions))
		}
		if want := strings.Join(got, " | ") + " |"; !strings.HasSuffix(row[0], " | "+want) {
			t.Errorf("%s, but counted %s", row[0], want)
		}
	}
}

// TestLinks checks that the targets of links in pages exist.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text := filetest.Read(t, page)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

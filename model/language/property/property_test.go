package property_test

import (
	"regexp"
	"slices"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/property"
)

// TestDocs compares the kinds of property in the reference of the language with the table, in both directions.
func TestDocs(t *testing.T) {
	section := regexp.MustCompile(`(?s)\n## Properties\n.*?\n## `).Find(filetest.Read(t, "../../../docs/language.md"))
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllSubmatch(section, -1) {
		rows = append(rows, string(m[1]))
	}
	for _, k := range property.Kinds {
		if !k.OfRuns() && !slices.Contains(rows, k.Keyword) {
			t.Errorf("the table of properties in the page has no row for %s", k.Keyword)
		}
	}
	for _, row := range rows {
		if property.Find(row) == nil {
			t.Errorf("the page has the property %s, which is not in the table", row)
		}
	}
}

// TestDecides compares Decides with the definition of a quantifier over the states of the scope: if one state with a
// value decides, the claim has the same answer whatever the values in the other states are.
func TestDecides(t *testing.T) {
	for _, k := range property.Kinds {
		if k.OfRuns() || k.OfFutures() {
			if k.Decides(true) || k.Decides(false) {
				t.Errorf("a state decides %s", k)
			}
			continue
		}
		claim := func(values ...bool) bool {
			if k.Quantifier == property.Some {
				return slices.Contains(values, true)
			}
			return !slices.Contains(values, false)
		}
		for _, value := range []bool{true, false} {
			if decided := claim(value, true) == claim(value, false); k.Decides(value) != decided {
				t.Errorf("%s: the body is %t, Decides returns %t", k, value, !decided)
			}
		}
	}
}

// TestKinds checks that every entry of the table is filled in.
func TestKinds(t *testing.T) {
	for _, k := range property.Kinds {
		if k.Keyword == "" || k.Finding == "" || property.Find(k.Keyword) != k {
			t.Errorf("%+v lacks a finding or a keyword of its own", *k)
		}
		if k.Negated && !k.Statewise() {
			t.Errorf("%s: only a body about states can be negated", k)
		}
	}
}

package lsp

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// large returns a spec of 5,000 lines: the equations of franklin, many times.
func large(t testing.TB) string {
	head, rest, _ := strings.Cut(franklin(t), "// The start of a round.")
	equations, properties, _ := strings.Cut(rest, "// Properties.")
	name := regexp.MustCompile(`\b(A[1-5]|Round|P|Nonleader|Leader|Herald)\b`)
	equations = "//" + equations
	text := head + equations
	for i := 0; strings.Count(text, "\n") < 4900; i++ {
		text += name.ReplaceAllString(equations, fmt.Sprintf("${1}_%d", i))
	}
	return text + properties
}

// BenchmarkKey measures the time from a key to the diagnostics that follow it, in a spec of 5,000 lines.
func BenchmarkKey(b *testing.B) {
	text := large(b)
	d := newDocument(uri, 0, text)
	if found := d.reading().Errors; found != nil {
		b.Fatal(found[:1])
	}
	place := position{2500, 0}
	for i := 0; b.Loop(); i++ {
		key, r := "x", textRange{place, place}
		if i%2 == 1 {
			key, r.End.Character = "", 1
		}
		d = d.withEdit(i, &r, key)
		d.problems()
	}
}

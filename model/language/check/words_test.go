package check

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ringcheck/model/language/syntax"
)

// TestWords checks that the words of some clauses have a meaning here.
func TestWords(t *testing.T) {
	compare := func(clause syntax.Clause, known []string) {
		t.Helper()
		words := syntax.Words(clause)
		slices.Sort(words)
		slices.Sort(known)
		if !slices.Equal(words, known) {
			t.Errorf("the words are %q, of which the checker knows %q", words, known)
		}
	}
	compare(syntax.VariableClause, slices.Collect(maps.Keys(variableKinds)))
	compare(syntax.PerClause, slices.Collect(maps.Keys(rewardKinds)))
	for _, w := range syntax.Words(syntax.FunctionClause) {
		text := "protocol p\ntopology line of 2\nchannel fifo\nprocess p = stop\ninvariant i = " + w + "(1, 2, 3) = 1"
		file, err := syntax.Parse("", []byte(text))
		if w == "all" { // it has its own syntax
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", w, err)
			continue
		}
		if _, err := File(file); err != nil && strings.Contains(err.Error(), "unknown function") {
			t.Errorf("the checker does not know the function %s", w)
		}
	}
}

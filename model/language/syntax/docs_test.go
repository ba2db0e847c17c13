package syntax_test

import (
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/syntax"
)

// TestDocs parses and prints the specs of docs/language.md.
func TestDocs(t *testing.T) {
	specs := snippets(t)
	if len(specs) < 4 {
		t.Fatalf("%d specs in the tutorial", len(specs))
	}
	for _, src := range specs {
		checkRoundTrip(t, []byte(src))
	}
}

// snippets returns the text of the code blocks marked "ring".
func snippets(t *testing.T) []string {
	t.Helper()
	page := filetest.Read(t, "../../../docs/language.md")
	var found []string
	for _, part := range strings.Split(string(page), "```ring\n")[1:] {
		src, _, closed := strings.Cut(part, "```")
		if !closed {
			t.Fatal("a code block does not end")
		}
		found = append(found, src)
	}
	return found
}

// TestDocsListReservedWords compares the reserved words on the page with those of the lexer.
func TestDocsListReservedWords(t *testing.T) {
	page := filetest.Read(t, "../../../docs/language.md")
	_, after, found := strings.Cut(string(page), "words are reserved:\n\n")
	if !found {
		t.Fatal("the page does not list the reserved words")
	}
	list, _, _ := strings.Cut(after, "\n\n")
	words := strings.Fields(list)
	for _, w := range words {
		_, err := syntax.Parse("", []byte("protocol p\nconst "+w+" = 1"))
		if err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("%s is not reserved", w)
		}
	}
	if want := syntax.ReservedWords(); len(words) != want {
		t.Errorf("the page lists %d reserved words, there are %d", len(words), want)
	}
}

package syntax

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const repository = "../../.."

// A highlighter applies the patterns of the TextMate grammar as an editor does: the first one that matches at a place.
type highlighter struct {
	Patterns []struct {
		Name, Match string
		re          *regexp.Regexp
	}
}

// readGrammar compiles the patterns. Go has no look-ahead, which they have only at their end: it becomes a group.
func readGrammar(t *testing.T) *highlighter {
	data, err := os.ReadFile(filepath.Join(repository, "view/editors/ring.tmLanguage.json"))
	if err != nil {
		t.Fatal(err)
	}
	var h highlighter
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	for i := range h.Patterns {
		p := &h.Patterns[i]
		match, ahead, ok := strings.Cut(p.Match, "(?=")
		if ok {
			ahead = "(?:" + ahead
		}
		p.re = regexp.MustCompile("^(" + match + ")" + ahead)
	}
	return &h
}

// kinds has the lexical class of the tokens of each scope; comments have none.
var kinds = map[string]tokenKind{
	"string.quoted.double.ring": text, "constant.numeric.ring": integer,
	"keyword.declaration.ring": keyword, "storage.type.ring": keyword, "constant.language.ring": keyword,
	"keyword.control.ring": keyword, "keyword.operator.word.ring": keyword,
	"keyword.declaration.contextual.ring": name, "keyword.control.contextual.ring": name,
	"support.function.ring": name, "entity.name.function.ring": name, "variable.other.ring": name,
	"keyword.operator.ring": punctuation, "punctuation.ring": punctuation,
}

// A piece is a coloured range of a line.
type piece struct {
	kind       tokenKind
	line       int
	start, end int // columns
}

// scan returns the pieces of a text but comments; what no pattern matches is skipped.
func (h *highlighter) scan(src string) (pieces []piece) {
	for i, line := range strings.Split(src, "\n") {
		for at := 0; at < len(line); {
			_, size := utf8.DecodeRuneInString(line[at:])
			for _, p := range h.Patterns {
				m := p.re.FindStringSubmatchIndex(line[at:])
				if m == nil || p.re.String()[1:4] == `(\b` && at > 0 && isNamePart(line[at-1]) {
					continue
				}
				size = m[3]
				if kind, ok := kinds[p.Name]; ok {
					column := 1 + utf8.RuneCountInString(line[:at])
					end := column + utf8.RuneCountInString(line[at:at+size])
					pieces = append(pieces, piece{kind, i + 1, column, end})
				}
				break
			}
			at += size
		}
	}
	return pieces
}

// TestGrammar compares the colours of editors with the lexer, for every spec of the repository.
func TestGrammar(t *testing.T) {
	h := readGrammar(t)
	specs := 0
	err := filepath.WalkDir(repository, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".ring" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		specs++
		l := lex(path, src)
		if len(l.errors) > 0 {
			return nil
		}
		var want []piece
		for _, tok := range l.tokens[:len(l.tokens)-1] {
			if tok.kind == decimal {
				tok.kind = integer
			}
			want = append(want, piece{tok.kind, tok.Pos.Line, tok.Pos.Column, tok.End.Column})
		}
		got := h.scan(strings.TrimPrefix(string(src), "\ufeff"))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: the grammar has %+v, the lexer %+v", path, got[i], want[i])
				return nil
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: the grammar has %d tokens, the lexer %d", path, len(got), len(want))
		}
		return nil
	})
	if err != nil || specs < 25 {
		t.Errorf("%d specs, error %v", specs, err)
	}
}

// TestGrammarWords checks that exactly the reserved words are coloured as such, and every sign as a sign.
func TestGrammarWords(t *testing.T) {
	h := readGrammar(t)
	check := func(word string, want tokenKind) {
		t.Helper()
		if got := h.scan(word + " x"); len(got) != 2 || got[0].kind != want || got[0].end != 1+len(word) {
			t.Errorf("%s: the grammar has %+v, want kind %d", word, got, want)
		}
	}
	for _, w := range slices.Concat(declarationWords, otherWords) {
		check(w, keyword)
		check(w+"s_", name)
		check(strings.ToUpper(w), name)
	}
	for _, w := range unreservedWords {
		check(w, name)
	}
	for _, p := range punctuations {
		check(p, punctuation)
	}
}

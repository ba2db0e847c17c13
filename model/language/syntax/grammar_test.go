package syntax

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ringcheck/internal/test/filetest"
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
	var h highlighter
	if err := json.Unmarshal(filetest.Read(t, grammarPath), &h); err != nil {
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

// A paint is how the grammar colours some words.
type paint struct {
	scope   string
	follows string // a pattern that must follow
}

// The paints, in the order of their patterns. A word that is not reserved has a colour only where it is hardly a name.
var (
	plain            = paint{} // no colour
	declarationPaint = paint{"keyword.declaration", ""}
	startPaint       = paint{"keyword.declaration.contextual", `[ \t]+[A-Za-z]`}
	conditionPaint   = paint{"keyword.declaration.contextual", `[ \t]+[A-Za-z0-9({]`} // or before a condition
	typePaint        = paint{"storage.type", ""}
	constantPaint    = paint{"constant.language", ""}
	controlPaint     = paint{"keyword.control", ""}
	operatorPaint    = paint{"keyword.operator.word", ""}
	contextualPaint  = paint{"keyword.control.contextual", ""}
	networkPaint     = paint{"keyword.control.contextual", `[ \t]+(?:of|graph|ring|tree)\b`}
	particlePaint    = paint{"keyword.control.contextual", `[ \t]+[A-Za-z0-9]`}
	functionPaint    = paint{"support.function", `\(`}

	allPaints = []paint{declarationPaint, startPaint, conditionPaint, typePaint, constantPaint, controlPaint,
		operatorPaint, contextualPaint, networkPaint, particlePaint, functionPaint}
)

// paints has the paint of the words of each clause: first of those that are reserved, then of the others.
var paints = map[Clause][2]paint{
	SettingClause:     {declarationPaint, startPaint},
	VariableClause:    {declarationPaint, startPaint},
	SignatureClause:   {declarationPaint, startPaint},
	PropertyClause:    {declarationPaint, startPaint},
	BoundClause:       {declarationPaint, startPaint},
	OtherDeclaration:  {declarationPaint, startPaint},
	TopologyClause:    {plain, networkPaint},
	ChannelKindClause: {plain, contextualPaint},
	ChannelClauses:    {plain, contextualPaint},
	PerClause:         {plain, plain},
	ColourClause:      {plain, plain},
	UnderClause:       {plain, contextualPaint},
	TypeClause:        {typePaint, particlePaint},
	StepClause:        {controlPaint, plain},
	OtherStep:         {controlPaint, particlePaint},
	OperatorClause:    {operatorPaint, plain},
	PredicateClause:   {controlPaint, contextualPaint},
	ValueClause:       {constantPaint, plain},
	QuantifierClause:  {controlPaint, plain},
	FunctionClause:    {controlPaint, functionPaint},
	SubsetsClause:     {plain, functionPaint},
	TemporalClause:    {plain, contextualPaint},
	LetterClause:      {plain, plain},
	HappeningClause:   {plain, contextualPaint},
	JointClause:       {controlPaint, particlePaint},
}

// exceptions has the paints of words that are more often names than the others of their clause.
var exceptions = map[string]paint{
	"delay": particlePaint, "leads": particlePaint, "positive": particlePaint, "racing": particlePaint,
	"initially": conditionPaint, "next": plain, "one": plain, "to": plain, "uniform": plain, "P": plain, "E": plain,
}

// paintedWords returns the words of each paint.
func paintedWords(t *testing.T) map[paint][]string {
	all, done := make(map[paint][]string), make(map[string]bool)
	for c := range JointClause + 1 {
		both, ok := paints[c]
		if !ok {
			t.Errorf("clause %d, with the words %s, has no paint", c, Words(c))
		}
		for _, w := range Words(c) {
			look := both[1]
			if reservedWords[w] {
				look = both[0]
			}
			if other, ok := exceptions[w]; ok {
				look = other
			}
			if look != plain && !done[w] {
				done[w] = true
				all[look] = append(all[look], w)
			}
		}
	}
	return all
}

// TestGrammarFile makes the TextMate grammar from the words of the language and compares it with the file.
func TestGrammarFile(t *testing.T) {
	var wordPatterns strings.Builder
	words := paintedWords(t)
	for _, look := range allPaints {
		slices.Sort(words[look])
		match := `\b(?:` + strings.Join(words[look], "|") + ")"
		if look.follows == "" {
			match += `\b`
		} else {
			match += "(?=" + look.follows + ")"
		}
		quoted, err := json.Marshal(match)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&wordPatterns, grammarPattern, look.scope, quoted)
	}
	want := strings.Replace(grammarFrame, "WORDS\n", wordPatterns.String(), 1)
	if *Update {
		filetest.Write(t, grammarPath, want)
	}
	if got := string(filetest.Read(t, grammarPath)); got != want {
		t.Errorf("the grammar is out of date: run go test ./model/language/syntax -run TestGrammarFile -update")
	}
}

const grammarPath = repository + "/view/editors/ring.tmLanguage.json"

const grammarPattern = `    {
      "name": "%s.ring",
      "match": %s
    },
`

const grammarFrame = `{
  "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
  "name": "ring",
  "scopeName": "source.ring",
  "fileTypes": ["ring"],
  "patterns": [
    { "name": "comment.line.double-slash.ring", "match": "//[^\\n]*" },
    { "name": "string.quoted.double.ring", "match": "\"(?:[^\"\\\\\\n]|\\\\.)*\"?" },
    { "name": "constant.numeric.ring", "match": "\\b[0-9]+(?:\\.[0-9]+)?\\b" },
WORDS
    { "name": "entity.name.function.ring", "match": "[A-Z][A-Za-z0-9_]*" },
    { "name": "variable.other.ring", "match": "[a-z][A-Za-z0-9_]*" },
    { "name": "keyword.operator.ring", "match": "\\.\\.|!=|<=|>=|=>|:=|->|[=<>+\\-*/^|]" },
    { "name": "punctuation.ring", "match": "[:;,(){}\\[\\]._]" }
  ]
}
`

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
	for c := range JointClause + 1 {
		for _, w := range Words(c) {
			if !reservedWords[w] {
				check(w, name)
				continue
			}
			check(w, keyword)
			check(w+"s_", name)
			check(strings.ToUpper(w), name)
		}
	}
	for _, p := range punctuations {
		check(p, punctuation)
	}
}

// TestInitiallyIsColoured: the word begins a declaration before a condition, too, and is a name elsewhere.
func TestInitiallyIsColoured(t *testing.T) {
	h := readGrammar(t)
	for line, want := range map[string]string{
		"initially M in inbox(0, left)": "keyword.declaration.contextual.ring",
		"initially (token = 1)":         "keyword.declaration.contextual.ring",
		"initially {1} = set":           "keyword.declaration.contextual.ring",
		"initially 1 = x":               "keyword.declaration.contextual.ring",
		"initially = stop":              "variable.other.ring",
		"initially(x) = stop":           "variable.other.ring",
	} {
		got := ""
		for _, p := range h.Patterns {
			if p.re.MatchString(line) {
				got = p.Name
				break
			}
		}
		if got != want {
			t.Errorf("%s: the first word is %s, want %s", line, got, want)
		}
	}
}

package syntax

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/topology"
)

// A rule is a production of the grammar in docs/language.md.
type rule struct{ name, body string }

var (
	quoted  = regexp.MustCompile(`"([^"]+)"`)
	aWord   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	ruleEnd = regexp.MustCompile(`(?m) \.(?:\s+//.*)?$`)
)

// readGrammarRules returns the productions of the grammar in docs/language.md.
func readGrammarRules(t *testing.T) (rules []rule) {
	page := string(filetest.Read(t, repository+"/docs/language.md"))
	_, after, _ := strings.Cut(page, "\n## Grammar\n")
	_, after, _ = strings.Cut(after, "\n    File ")
	section, _, found := strings.Cut("File "+after, "\n- ")
	if !found {
		t.Fatal("the page has no grammar")
	}
	section = regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(section, "")
	for _, text := range ruleEnd.Split(section, -1) {
		name, body, ok := strings.Cut(text, "=")
		if ok {
			rules = append(rules, rule{strings.TrimSpace(name), body})
		}
	}
	return rules
}

// words returns the quoted words of a production.
func (r rule) words() (words []string) {
	for _, m := range quoted.FindAllStringSubmatch(r.body, -1) {
		if aWord.MatchString(m[1]) && m[1] != "_" {
			words = append(words, m[1])
		}
	}
	return words
}

// allWords returns the words of all clauses with names of clauses for messages.
func allWords() map[string]bool {
	set := make(map[string]bool)
	for c := range JointClause + 1 {
		for _, w := range Words(c) {
			set[w] = true
		}
	}
	return set
}

// TestWordsOfGrammar compares the words of the language with the grammar in the documents, in both directions: all
// words together, and for the productions that choose a word, those of its clause.
func TestWordsOfGrammar(t *testing.T) {
	clauses := map[string][]Clause{
		"Kind": {ChannelKindClause}, "Feature": {ChannelClauses}, "Colour": {ColourClause},
		"Assumption": {UnderClause}, "Network": {TopologyClause}, "Type": {TypeClause},
		"Sequence": {StepClause, OtherStep}, "Temporal": {TemporalClause, LetterClause},
	}
	inGrammar := make(map[string]bool)
	joints := Words(JointClause, StepClause, OperatorClause, PredicateClause)
	for _, r := range readGrammarRules(t) {
		for _, w := range r.words() {
			inGrammar[w] = true
			if c, ok := clauses[r.name]; ok && !slices.Contains(Words(c...), w) && !slices.Contains(joints, w) {
				t.Errorf("%q in %s is not a word of the clause: add it to vocabularies", w, r.name)
			}
		}
		if r.name == "Clause" {
			checkDeclarations(t, r)
		}
		if r.name == "Network" {
			checkNetworks(t, r)
		}
		delete(clauses, r.name)
	}
	for name := range clauses {
		t.Errorf("the grammar has no production %s", name)
	}
	page := filetest.Read(t, repository+"/docs/language.md")
	for _, w := range Words(FunctionClause, SubsetsClause) { // they are NAME [ Args ] in the grammar
		if !regexp.MustCompile(`\b` + w + `\(`).Match(page) {
			t.Errorf("the page does not describe the function %s", w)
		}
		inGrammar[w] = true
	}
	for w := range allWords() {
		if !inGrammar[w] {
			t.Errorf("%q is in no production of the grammar in docs/language.md", w)
		}
	}
	for w := range inGrammar {
		if !allWords()[w] {
			t.Errorf("%q in the grammar is not a word of the language: add it to vocabularies", w)
		}
	}
}

// checkDeclarations compares the words that begin a declaration with the first words of the production of clauses.
func checkDeclarations(t *testing.T, r rule) {
	var first []string
	for _, alternative := range strings.Split(r.body, "\n                |") {
		if group, _, ok := strings.Cut(alternative, ")"); ok && strings.HasPrefix(strings.TrimSpace(group), "(") {
			first = append(first, rule{body: group}.words()...)
		} else if words := (rule{body: alternative}).words(); strings.HasPrefix(strings.TrimSpace(alternative), `"`) {
			first = append(first, words[0])
		}
	}
	for _, w := range declarationWords {
		if w != "protocol" && !slices.Contains(first, w) {
			t.Errorf("no alternative of Clause in the grammar begins with %q", w)
		}
	}
	for _, w := range first {
		if !slices.Contains(declarationWords, w) {
			t.Errorf("%q begins a clause of the grammar, but is not a word that begins a declaration", w)
		}
	}
}

// checkNetworks compares the keywords of networks with the production for them.
func checkNetworks(t *testing.T, r rule) {
	var keywords []string
	for _, alternative := range strings.Split(r.body, "|") {
		before, _, _ := strings.Cut(alternative, `"of"`)
		keywords = append(keywords, strings.Join(rule{body: before}.words(), " "))
	}
	want := topology.Keywords()
	slices.Sort(keywords)
	slices.Sort(want)
	if !slices.Equal(keywords, want) {
		t.Errorf("the grammar has the networks %q, the table %q", keywords, want)
	}
}

// TestDeclarers checks that the parser knows every word that begins a declaration, and no other.
func TestDeclarers(t *testing.T) {
	want := slices.Sorted(slices.Values(declarationWords))
	if got := slices.Sorted(maps.Keys(declarations)); !slices.Equal(got, want) {
		t.Errorf("the parser has declarers for %q, the words are %q", got, want)
	}
	operators := slices.Sorted(maps.Keys(temporalWords))
	if want := slices.Sorted(slices.Values(Words(TemporalClause, LetterClause))); !slices.Equal(operators, want) {
		t.Errorf("the parser has the temporal operators %q, the words are %q", operators, want)
	}
}

// readers are the methods of the parser that look for a word.
var readers = []string{"is", "accept", "expect", "need", "oneOf", "optional", "exprAfter", "exprBefore", "rangeAfter",
	"close", "withinNext"}

// TestWordsOfParser checks that the parser looks for words of the language only.
func TestWordsOfParser(t *testing.T) {
	all, found := allWords(), 0
	for _, name := range []string{"parser.go", "parse_decl.go", "parse_expr.go", "parse_term.go"} {
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(readers, f.Sel.Name) {
				return true
			}
			for i, arg := range call.Args {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || i > 0 && slices.Contains([]string{"need", "close"}, f.Sel.Name) { // the rest is for messages
					continue
				}
				if w, _ := strconv.Unquote(lit.Value); aWord.MatchString(w) && w != "_" {
					if found++; !all[w] && !slices.Contains(misspelt, w) {
						t.Errorf("%s looks for %q, which is no word of the language: add it to vocabularies", name, w)
					}
				}
			}
			return true
		})
	}
	if found < 50 {
		t.Errorf("the parser looks for %d words", found)
	}
}

// misspelt are words that the parser looks for to explain an error.
var misspelt = []string{"leadsto", "leads_to"}

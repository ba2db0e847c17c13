package lsp

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ringcheck"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

var (
	edits = testlevel.Cases(60, 5000) // how many random edits TestEdits makes
)

// specs returns the texts of all specs of the repository that have no mistakes, by their paths.
func specs(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, pattern := range []string{"../../../specs/*.ring", "../../../examples/*.ring",
		"../../../examples/*/*.ring"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if check.Text("", text).Errors == nil {
				found[path] = string(text)
			}
		}
	}
	if len(found) < 20 {
		t.Fatalf("only %d specs", len(found))
	}
	return found
}

// TestEdits makes random edits, and compares the diagnostics with those of a fresh check of the same text.
func TestEdits(t *testing.T) {
	texts := specs(t)
	paths := slices.Sorted(func(yield func(string) bool) {
		for path := range texts {
			yield(path)
		}
	})
	const session = 60 // edits of one text
	for seed := range max(1, edits()/session) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		e := start(t, Options{})
		var ignored any
		e.ask("initialize", map[string]any{"capabilities": map[string]any{}}, &ignored)
		text := utf16.Encode([]rune(texts[paths[seed%len(paths)]]))
		e.open(string(utf16.Decode(text)))
		version := 1
		for range min(edits(), session) {
			version++
			var change textRange
			var written string
			text, change, written = randomEdit(r, text)
			e.edit(version, &change, written)
			if r.IntN(5) == 0 {
				e.probe(r, text)
			}
		}
		got := e.diagnostics(version)
		final := string(utf16.Decode(text))
		want := newDocument(uri, version, final).problems()
		if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			t.Fatalf("seed %d: the diagnostics are\n%+v\nthose of a fresh check\n%+v\n%s", seed, got, want, final)
		}
		e.Close()
		<-e.ended
	}
}

// randomEdit replaces a part of a text, in UTF-16, by another part of it or by something that is typed.
func randomEdit(r *rand.Rand, text []uint16) (after []uint16, change textRange, written string) {
	whole := func(i int) int { // not within a character or the end of a line
		if 0 < i && i < len(text) && (0xdc00 <= text[i] && text[i] <= 0xdfff || text[i-1] == '\r' && text[i] == '\n') {
			return i - 1
		}
		return i
	}
	start := whole(r.IntN(len(text) + 1))
	end := whole(min(len(text), start+r.IntN(1+r.IntN(12))))
	typed := []string{"", "", " ", "\n", ";", "(", ")", "|", "é", "🙂", "\t", "\"", "//", "if x then ", "A = ", "\r\n"}
	put := utf16.Encode([]rune(typed[r.IntN(len(typed))]))
	if from := whole(r.IntN(len(text) + 1)); r.IntN(3) == 0 {
		put = text[from:whole(min(len(text), from+r.IntN(20)))]
	}
	change = textRange{positionOf(text, start), positionOf(text, end)}
	return slices.Concat(text[:start], put, text[end:]), change, string(utf16.Decode(put))
}

func positionOf(text []uint16, at int) (p position) {
	for _, u := range text[:at] {
		if p.Character++; u == '\n' {
			p = position{Line: p.Line + 1}
		}
	}
	return p
}

// probe sends requests about a random place, which must be answered, if only by a refusal.
func (e *editor) probe(r *rand.Rand, text []uint16) {
	for _, m := range []string{"hover", "definition", "references", "completion", "documentSymbol", "foldingRange",
		"codeLens", "formatting", "rename", "codeAction"} {
		p := positionOf(text, r.IntN(len(text)+1))
		_, err := e.Call(e.Context(), "textDocument/"+m, map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": p, "newName": "fresh_name", "range": textRange{p, p}})
		if err != nil && !(m == "rename" && strings.Contains(err.Error(), "renamed")) &&
			!(m == "rename" && strings.Contains(err.Error(), "something else")) {
			e.Fatalf("%s at %v: %v", m, p, err)
		}
	}
}

// TestRename renames every name of every spec and back.
func TestRename(t *testing.T) {
	for path, src := range specs(t) {
		d := newDocument(uri, 0, src)
		names, _ := d.names()
		for i, n := range names {
			if len(n.Declarations) == 0 || n.Text == "channel" || i%10 != 0 && !testlevel.Gate() {
				continue
			}
			fresh := "fresh_name"
			if n.Kind == "equation" || n.Kind == "message" {
				fresh = "Fresh_name"
			}
			there := renamed(t, d, n.At[len(n.At)-1], fresh)
			if there.text == src || there.reading().Errors != nil {
				t.Errorf("%s: %s %s is not renamed: %v", path, n.Kind, n.Text, there.reading().Errors)
			}
			if back := renamed(t, there, n.At[0], n.Text); back.text != src {
				t.Errorf("%s: %s %s is not renamed back", path, n.Kind, n.Text)
			}
			if testlevel.Gate() {
				set, _ := d.usual()
				if n.Kind == "parameter" && set[n.Text] != nil {
					set[fresh] = set[n.Text]
					delete(set, n.Text)
				}
				if got, want := explored(t, there.text, set), explored(t, src, nil); got != want {
					t.Errorf("%s: with %s %s renamed: %s, else %s", path, n.Kind, n.Text, got, want)
				}
			}
		}
	}
}

func renamed(t *testing.T, d *document, pos syntax.Pos, name string) *document {
	t.Helper()
	answer, err := (&server{}).rename(d, &params{Position: d.position(pos), NewName: name})
	if err != nil {
		t.Fatalf("renaming at %v to %s: %v", pos, name, err)
	}
	return newDocument(uri, 0, apply(d.text, answer.(workspaceEdit).Changes[uri]))
}

var known = map[string]string{} // what has been explored, by text

// explored returns the counts of the usual instance of a spec, or as far as they are found quickly.
func explored(t *testing.T, text string, set ringcheck.Set) string {
	if found, ok := known[text]; ok {
		return found
	}
	spec, err := ringcheck.Parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if set == nil {
		set, _ = newDocument(uri, 0, text).usual()
	}
	sys, err := spec.System(set)
	if err != nil {
		return err.Error()
	}
	r, err := ringcheck.Explore(t.Context(), sys, ringcheck.Search{Workers: 1,
		MaxStates: 3000})
	if err != nil {
		t.Fatal(err)
	}
	known[text] = fmt.Sprint(r.Complete, r.States, r.Transitions, r.ModelError != nil, cmp.Or(r.Stopped, "complete"))
	return known[text]
}

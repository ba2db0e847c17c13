//go:build !js

package lsp

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ringcheck/model/language/syntax"
)

// format lays out a document, or the parts of it that touch a range, as ringcheck fmt does. A text that cannot be read
// stays as it is.
func (s *server) format(d *document, p *params) (any, error) {
	edits := []textEdit{}
	f, err := syntax.Parse("", []byte(d.text))
	if err != nil {
		return edits, nil
	}
	for _, e := range changes(d.text, string(syntax.Print(f))) {
		if p.Range == nil || e.Range.Start.Line <= p.Range.End.Line && p.Range.Start.Line <= e.Range.End.Line {
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// changes returns edits of whole lines that turn one text into another.
func changes(before, after string) (edits []textEdit) {
	var e *textEdit
	line := -1 // of before, while in a part that differs
	for text := range strings.Lines(string(diff.Diff("a", []byte(before), "b", []byte(after)))) {
		sign, rest := text[0], text[1:]
		switch {
		case strings.HasPrefix(text, "@@ -"):
			from, _, _ := strings.Cut(text[len("@@ -"):], " ")
			number, count, _ := strings.Cut(from, ",")
			line, _ = strconv.Atoi(number)
			if count != "0" { // it counts from 1, but is 0 in front of an insertion at the beginning
				line--
			}
			e = nil
			continue
		case line < 0 || sign != ' ' && sign != '-' && sign != '+':
			continue
		case sign == ' ':
			line++
			e = nil
			continue
		case e == nil:
			edits = append(edits, textEdit{Range: textRange{position{line, 0}, position{line, 0}}})
			e = &edits[len(edits)-1]
		}
		if sign == '+' {
			e.NewText += rest
		} else {
			line++
			e.Range.End.Line = line
		}
	}
	return edits
}

// actions offers what hints say about the errors in a range.
func (s *server) actions(d *document, p *params) (any, error) {
	list := []codeAction{}
	for _, e := range d.reading().Errors {
		found := d.problem(e, severityError)
		if p.Range == nil || d.offset(p.Range.End) < d.offset(found.Range.Start) ||
			d.offset(found.Range.End) < d.offset(p.Range.Start) {
			continue
		}
		offers := e.Replacements()
		for _, text := range offers {
			edit := workspaceEdit{map[string][]textEdit{d.uri: {{found.Range, text}}}}
			list = append(list, codeAction{
				"Replace by " + text, "quickfix", []diagnostic{found}, len(offers) == 1, edit})
		}
	}
	return list, nil
}

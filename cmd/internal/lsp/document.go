package lsp

import (
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

// A document is one version of an open text. It is immutable, and what is known about it is found when it is asked for.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // where each line begins, in bytes
	reading func() *check.Reading
	names   func() ([]*check.Name, map[syntax.Pos]*check.Name)
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	d.reading = sync.OnceValue(func() *check.Reading { return check.Text("", []byte(text)) })
	d.names = sync.OnceValues(func() ([]*check.Name, map[syntax.Pos]*check.Name) { return d.reading().Names() })
	return d
}

// withEdit returns the document with a part replaced, or the whole of it.
func (d *document) withEdit(version int, r *textRange, text string) *document {
	if r != nil {
		start := d.offset(r.Start)
		text = d.text[:start] + text + d.text[max(start, d.offset(r.End)):]
	}
	return newDocument(d.uri, version, text)
}

// line returns a line without its end, and the mark that says that the file is UTF-8; lines count from 0.
func (d *document) line(i int) string {
	if i >= len(d.lines) {
		return ""
	}
	end := len(d.text)
	if i+1 < len(d.lines) {
		end = d.lines[i+1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(d.text[d.lines[i]:end], "\n"), "\r")
}

// offset returns the byte at a position, which is brought into the text.
func (d *document) offset(p position) int {
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	line := d.line(max(0, p.Line))
	at, units := 0, 0
	for at < len(line) && units < p.Character {
		r, size := utf8.DecodeRuneInString(line[at:])
		at, units = at+size, units+utf16.RuneLen(r)
	}
	return d.lines[max(0, p.Line)] + at
}

// pos returns the place of a position in the syntax tree, where columns count characters.
func (d *document) pos(p position) syntax.Pos {
	p.Line = max(0, p.Line)
	if p.Line >= len(d.lines) {
		return syntax.Pos{Line: p.Line + 1, Column: 1}
	}
	before := d.text[d.lines[p.Line]:d.offset(p)]
	if p.Line == 0 {
		before = strings.TrimPrefix(before, "\ufeff")
	}
	return syntax.Pos{Line: p.Line + 1, Column: 1 + utf8.RuneCountInString(before)}
}

// position is the inverse of pos.
func (d *document) position(pos syntax.Pos) position {
	p := position{Line: max(0, pos.Line-1)}
	line := d.line(p.Line)
	if rest, ok := strings.CutPrefix(line, "\ufeff"); ok && p.Line == 0 { // the mark of UTF-8 has no column
		line, p.Character = rest, 1
	}
	column := 1
	for _, r := range line {
		if column >= pos.Column {
			break
		}
		column, p.Character = column+1, p.Character+max(1, utf16.RuneLen(r))
	}
	return p
}

func (d *document) span(start, end syntax.Pos) textRange {
	return textRange{d.position(start), d.position(end)}
}

// nameAt returns the name at a position, or else the name that ends there, and its token. The name is nil at other
// tokens.
func (d *document) nameAt(p position) (*check.Name, syntax.Token) {
	f, pos := d.reading().File, d.pos(p)
	i := f.TokenAt(pos)
	t := f.Token(i)
	if last := f.Token(max(0, i-1)); last.End == pos && (!t.Name() || t.Pos != pos) {
		t = last
	}
	if syntax.ComparePos(t.Pos, pos) > 0 {
		return nil, t
	}
	_, at := d.names()
	return at[t.Pos], t
}

// locations returns some of the places of the name that a request is about.
func (d *document) locations(p *params, some func(*check.Name) []syntax.Pos) []location {
	list := []location{}
	if n, _ := d.nameAt(p.Position); n != nil {
		for _, r := range d.ranges(some(n)) {
			list = append(list, location{d.uri, r})
		}
	}
	return list
}

func (d *document) ranges(places []syntax.Pos) (list []textRange) {
	for _, pos := range places {
		list = append(list, d.span(pos, d.tokenEnd(pos)))
	}
	return list
}

// tokenEnd returns the end of the token at a place.
func (d *document) tokenEnd(pos syntax.Pos) syntax.Pos {
	f := d.reading().File
	return f.Token(f.TokenAt(pos)).End
}

// problem returns an error or a warning as a diagnostic.
func (d *document) problem(e *syntax.Error, severity int) diagnostic {
	text := e.Message
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return diagnostic{d.span(e.Pos, e.End), severity, e.Code, "ringcheck", text}
}

// problems returns the errors and warnings about the text.
func (d *document) problems() []diagnostic {
	list := []diagnostic{}
	r := d.reading()
	for _, e := range r.Errors {
		list = append(list, d.problem(e, severityError))
	}
	for _, w := range r.Warnings {
		list = append(list, d.problem(w, severityWarning))
	}
	return list
}

package syntax

import (
	"cmp"
	"slices"
)

// A Token is a word, a punctuation mark or a literal. Text is its spelling; for a string literal, its content.
type Token struct {
	Pos, End Pos // End is the position after it
	Text     string
	Name     bool // it is a name
	Word     bool // it is a name or a reserved word
	First    bool // it is the first token of its line
}

// TokenAt returns the index of the first token that ends after a position. The last token, at the end of the text, is
// empty.
func (f *File) TokenAt(place Pos) int {
	at, _ := slices.BinarySearchFunc(f.tokens, place, func(t token, place Pos) int {
		if t.pos.Line == place.Line && t.end <= place.Column && t.kind != endOfFile {
			return -1
		}
		return cmp.Or(cmp.Compare(t.pos.Line, place.Line), 1)
	})
	return min(at, len(f.tokens)-1)
}

// Token returns the token with the given index.
func (f *File) Token(i int) Token {
	t := f.tokens[i]
	end := t.pos
	end.Column = max(t.end, t.pos.Column)
	return Token{Pos: t.pos, End: end, Text: t.str, Name: t.kind == name,
		Word: t.kind == name || t.kind == keyword, First: t.first}
}

// Locate completes errors: it sets End to the end of the token at Pos, and Code to code unless it is set.
func (f *File) Locate(errors ErrorList, code string) {
	for _, e := range errors {
		e.Code = cmp.Or(e.Code, code)
		e.End = e.Pos
		if t := f.Token(f.TokenAt(e.Pos)); t.Pos == e.Pos {
			e.End = t.End
		}
		e.End.Column = max(e.End.Column, e.Pos.Column+1)
	}
}

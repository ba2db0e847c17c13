package syntax

import (
	"cmp"
	"slices"
)

// A Token is a word, a punctuation mark or a literal. Text is its spelling; for a string literal, its content.
type Token struct {
	Pos, End Pos // End is the position after it
	Text     string
	First    bool // it is the first token of its line
	kind     tokenKind
}

// Name reports whether t is a name.
func (t Token) Name() bool { return t.kind == name }

// Word reports whether t is a name or a reserved word.
func (t Token) Word() bool { return t.kind == name || t.kind == keyword }

// nesting returns 1 for a bracket that opens, -1 for one that closes, and otherwise 0.
func (t Token) nesting() int {
	switch {
	case t.is("("), t.is("{"), t.is("["):
		return 1
	case t.is(")"), t.is("}"), t.is("]"):
		return -1
	}
	return 0
}

// TokenAt returns the index of the first token that ends after a position. The last token, at the end of the text, is
// empty.
func (f *File) TokenAt(place Pos) int {
	at, _ := slices.BinarySearchFunc(f.tokens, place, func(t Token, place Pos) int {
		if t.Pos.Line == place.Line && t.End.Column <= place.Column && t.kind != endOfFile {
			return -1
		}
		return cmp.Or(cmp.Compare(t.Pos.Line, place.Line), 1)
	})
	return min(at, len(f.tokens)-1)
}

// Token returns the token with the given index.
func (f *File) Token(i int) Token { return f.tokens[i] }

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

// Package printable makes text from elsewhere safe to show: what comes from a file must not drive a terminal, reorder
// a line of a log, or hide in it.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything that is not a graphic character or an ordinary blank written as a Go escape, such
// as \x1b or \u202e: control characters, line breaks, marks that turn the direction of writing, characters that show
// nothing, and bytes that are not UTF-8.
func Text(s string) string {
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if part := s[:size]; unsafe(r) {
			quoted := strconv.QuoteToASCII(part)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(part)
		}
		s = s[size:]
	}
	return b.String()
}

// unsafe reports whether a character is to be escaped. A byte that is not UTF-8 reads as utf8.RuneError.
func unsafe(r rune) bool {
	return r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r)
}

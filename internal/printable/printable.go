// Package printable makes text from elsewhere safe to show: what comes from a file must not drive a terminal, reorder
// a line of a log, or hide in it.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s with everything that is not a graphic character or an ordinary blank written as an escape: control
// characters, line breaks, marks that turn the direction of writing and characters that show nothing as \u001b, and
// bytes that are not UTF-8 as \xff. JSON that is escaped so is still the same JSON.
func Text(s string) string { return escape(s, func(r rune) bool { return r == ' ' }) }

// Lines is Text for what is meant to have several lines: it keeps line feeds and tabs.
func Lines(s string) string {
	return escape(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
}

// Cell is Text for a cell of a table in Markdown, where it is neither markup nor the end of the cell.
func Cell(s string) string {
	return strings.NewReplacer("|", `\|`, "&", "&amp;", "<", "&lt;").Replace(Text(s))
}

func escape(s string, blank func(rune) bool) string {
	unsafe := func(r rune) bool { return r == utf8.RuneError || !blank(r) && !unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !unsafe(r):
			b.WriteString(s[:size])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// Noun returns a noun in the number that n things have: step or steps, loss or losses, entry or entries.
func Noun[T ~int | ~int64 | ~uint64](n T, noun string) string {
	stem, isY := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case isY:
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// Or writes a list with an "or" before the last one: a, b or c.
func Or(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Count writes a number with its noun: 1 step, 2 steps.
func Count[T ~int | ~int64 | ~uint64](n T, noun string) string {
	return fmt.Sprint(n, " ", Noun(n, noun))
}
